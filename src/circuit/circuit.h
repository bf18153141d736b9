/*
 * Every proving circuit, by kind and sector size, behind one face: sizes, layout, constraints, witness.
 *
 * Every circuit is a head followed by parts that are alike (challenges of PoRep and of an update, sectors of
 * a PoSt), so where each part begins is known without building the others, and a witness's parts are made at
 * once. A kind is a row of one table (circuit.c): adding a kind is adding a row.
 *
 * A circuit is a plain value: it owns nothing, may be copied, and is read-only once open.
 */
#ifndef CUZK_CIRCUIT_CIRCUIT_H
#define CUZK_CIRCUIT_CIRCUIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "circuit/boolean.h"
#include "circuit/cs.h"
#include "circuit/porep_assignment.h"
#include "circuit/post_assignment.h"
#include "circuit/update_assignment.h"
#include "r1cs/witness.h"

enum cuzk_circuit_kind {
    CUZK_CIRCUIT_POREP,
    CUZK_CIRCUIT_WINNING, /* WinningPoSt */
    CUZK_CIRCUIT_WPOST,   /* a WindowPoSt partition */
    CUZK_CIRCUIT_SNAP,    /* empty sector update: the network's, data tree in SHA-256 */
    CUZK_CIRCUIT_SNAPP,   /* the same in one partition, data tree in Poseidon */
    CUZK_CIRCUIT_KINDS,
};

struct cuzk_circuit_id {
    enum cuzk_circuit_kind kind;
    uint64_t sector_size; /* bytes */
};

static inline bool cuzk_circuit_id_equal(const struct cuzk_circuit_id *one,
                                         const struct cuzk_circuit_id *other)
{
    return one->kind == other->kind && one->sector_size == other->sector_size;
}

struct cuzk_circuit {
    struct cuzk_circuit_id id;
    unsigned parts;                          /* how many follow the head */
    struct cuzk_cs_counts head, part, total; /* constraints are not counted */

    union {
        struct cuzk_porep_shape porep;
        struct cuzk_post_shape post;
        struct cuzk_update_shape update;
    } shape; /* by kind */
};

/* The first half of a circuit's short name: "porep". */
const char *cuzk_circuit_kind_name(enum cuzk_circuit_kind kind);

/* Errors: ARGUMENT (no circuit of that kind for that sector size), MEMORY. */
enum cuzk_status cuzk_circuit_open(const struct cuzk_circuit_id *id, struct cuzk_circuit *out,
                                   struct cuzk_error *err);

/* Builds the whole circuit. assignment: NULL for blank values (record and check mode, dry runs), else the
 * kind's own structure: struct cuzk_porep_assignment, cuzk_post_assignment,
 * cuzk_update_assignment. */
void cuzk_circuit_synthesise(const struct cuzk_circuit *circuit, struct cuzk_cs *cs, const void *assignment);

/* ---- piece by piece, in record mode, for blank values ---- */

/* What the head of a circuit allocated and its parts use. */
struct cuzk_circuit_head;

/* Builds the head. Errors: MEMORY; a failure of the circuit stays in cs. */
enum cuzk_status cuzk_circuit_record_head(const struct cuzk_circuit *circuit, struct cuzk_cs *cs,
                                          struct cuzk_circuit_head **out, struct cuzk_error *err);
void cuzk_circuit_head_destroy(struct cuzk_circuit_head *head);

/* Builds one part behind what cs holds so far, which may be the head alone whichever part it is: then the
 * variables are those of the first part. */
void cuzk_circuit_record_part(const struct cuzk_circuit *circuit, struct cuzk_cs *cs,
                              const struct cuzk_circuit_head *head, unsigned index);

/* The bits of the head that a part uses where every part uses others; count 0: there are none. */
struct cuzk_circuit_window {
    const struct cuzk_boolean *bits; /* inside the head */
    unsigned count;                  /* the same for every part */
};

struct cuzk_circuit_window cuzk_circuit_window_of(const struct cuzk_circuit *circuit,
                                                  const struct cuzk_circuit_head *head, unsigned index);

/* ---- layout and witness ---- */

/* Which aux variables are bits, without recording a constraint. Errors: MEMORY. */
enum cuzk_status cuzk_circuit_layout(const struct cuzk_circuit *circuit, struct cuzk_witness_layout *out,
                                     struct cuzk_error *err);

/* The witness of an assignment into a fresh one of the layout, parts spread over the pool. An assignment that
 * does not hold gives a witness that does not satisfy the circuit. progress, which may be NULL, is asked by
 * every thread some hundred times a second whether to go on. Errors: MEMORY, CANCELLED. */
enum cuzk_status cuzk_circuit_witness(const struct cuzk_circuit *circuit, const void *assignment,
                                      struct cuzk_pool *pool, const struct cuzk_progress *progress,
                                      const struct cuzk_witness *witness, struct cuzk_error *err);

/* Evaluates every constraint on a witness; progress as above. Errors: UNSATISFIED with number and path of the
 * first that fails, MEMORY, CANCELLED. */
enum cuzk_status cuzk_circuit_check(const struct cuzk_circuit *circuit,
                                    const struct cuzk_witness_layout *layout,
                                    const struct cuzk_witness *witness, const struct cuzk_progress *progress,
                                    struct cuzk_error *err);

#endif
