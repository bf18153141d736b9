/*
 * What the kinds of proof have in common, as a table: a request of a kind is looked at, decoded into a case,
 * and its partitions turned into assignments of the kind's circuit.
 *
 * Adding a kind is adding a row (engine/proof_kind.c) and a file engine/<kind>_case.c. Everything here is
 * thread-safe; a case is read-only once open.
 */
#ifndef CUZK_ENGINE_PROOF_KIND_H
#define CUZK_ENGINE_PROOF_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "engine/request.h"
#include "field/fr.h"
#include "r1cs/witness.h"
#include "srs/circuit_id.h"

struct cuzk_circuit; /* circuit/circuit.h */
struct cuzk_case;

struct cuzk_proof_kind_row {
    enum cuzk_proof_kind kind;
    const char *name;            /* "porep-c2"; metric labels write '_' for '-' */
    enum cuzk_priority priority; /* where the request names none */
    bool batchable;
    unsigned registered_first, registered_end; /* its registered proofs' numbers (engine/registered.h) */

    /* The scalar fields and lengths, without decoding: circuit and number of partitions. Errors: INPUT,
     * naming the field. */
    enum cuzk_status (*look)(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                             unsigned *partitions, struct cuzk_error *err);

    /* Decodes. The request may go afterwards. Errors: INPUT (with position), INVALID, MEMORY. */
    enum cuzk_status (*open)(const struct cuzk_request *request, const struct cuzk_log *log,
                             struct cuzk_case **out, struct cuzk_error *err);
};

/* Every case begins with this. */
struct cuzk_case {
    const struct cuzk_case_ops *ops;
    struct cuzk_circuit_id circuit;
    unsigned partitions;
    unsigned inputs; /* public inputs of a partition, the constant one left out */
};

struct cuzk_case_ops {
    /* The public inputs of a partition, as a verifier derives them: `inputs` of them. */
    const struct cuzk_fr *(*inputs)(const struct cuzk_case *that, unsigned partition);

    /* Checks every vanilla proof outright. Errors: INVALID with sector or partition, challenge and step. */
    enum cuzk_status (*check)(const struct cuzk_case *that, struct cuzk_pool *pool, struct cuzk_error *err);

    /* A partition's assignment into a fresh witness of the circuit's layout; progress, which may be NULL, can
     * end it early (circuit/circuit.h). Errors: INVALID (it names other public inputs than a verifier
     * derives), MEMORY, CANCELLED. */
    enum cuzk_status (*witness)(const struct cuzk_case *that, unsigned partition,
                                const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                                const struct cuzk_progress *progress, const struct cuzk_witness *witness,
                                struct cuzk_error *err);

    void (*close)(struct cuzk_case *that);
};

/* NULL for NONE and numbers beyond. */
const struct cuzk_proof_kind_row *cuzk_proof_kind_row(enum cuzk_proof_kind kind);

/* NULL is fine. */
void cuzk_case_close(struct cuzk_case *that);

/* For `witness` of every kind: the inputs that it ends with must be those that a verifier derives. Where they
 * are not, the vanilla proofs are checked outright, on the pool (NULL: one thread), so that the error names
 * challenge and step. Errors: INVALID, MEMORY. */
enum cuzk_status cuzk_case_compare_inputs(const struct cuzk_case *that, unsigned partition,
                                          const struct cuzk_witness *witness, struct cuzk_pool *pool,
                                          struct cuzk_error *err);

#endif
