/*
 * The builder that every circuit is written against, in three modes from one gadget source.
 *
 *   record   constraints, normalised, go to a sink; there are no values. The layout (which aux variable is a
 *            bit) comes out beside them.
 *   witness  values only, written into a compact assignment (r1cs/witness.h); nothing is said of constraints.
 *   check    as record, and every constraint is evaluated on a given assignment; the first that fails is
 *            named by number and namespace path.
 *
 * A gadget allocates variables and, where cuzk_cs_constrains() holds, fills the combinations a, b, c and
 * calls cuzk_cs_enforce. Which variables are allocated, in which order and of which kind must not depend on
 * values. In record mode values are zero.
 *
 * Failure is sticky: the first one (no memory, a sink's status, an unsatisfied constraint) is kept, later
 * calls do nothing harmful, and cuzk_cs_finish returns it. Long loops ask cuzk_cs_stops, so that whoever
 * waits for a builder may also end it early: CANCELLED is such a failure.
 *
 * One cs serves one thread. Witnesses of independent parts can be made at once: cuzk_cs_witness starts at any
 * position of the assignment, and two builders may meet within one word of packed bits.
 */
#ifndef CUZK_CIRCUIT_CS_H
#define CUZK_CIRCUIT_CS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "circuit/combination.h"
#include "field/fr.h"
#include "r1cs/term.h"
#include "r1cs/witness.h"

enum cuzk_cs_mode { CUZK_CS_RECORD, CUZK_CS_WITNESS, CUZK_CS_CHECK };

/* A position in a circuit, or its size: variables and constraints so far. */
struct cuzk_cs_counts {
    uint32_t inputs; /* the constant one included */
    uint32_t aux;
    uint32_t bits; /* boolean ones among aux */
    uint32_t constraints;
};

/* Lanes: builders at most that go side by side through parts that are alike (witness mode). */
enum { CUZK_CS_DEPTH = 32, CUZK_CS_PATH = 256, CUZK_CS_LANES = 8 };

/* A namespace: each '#' in text stands for the next index. */
struct cuzk_cs_name {
    const char *text; /* static storage */
    uint32_t index[3];
};

/* Told of every namespace as it is entered and left (record mode). */
struct cuzk_cs_observer {
    void (*enter)(void *context, const struct cuzk_cs_name *name, const struct cuzk_cs_counts *at);
    void (*leave)(void *context, const struct cuzk_cs_counts *at);
    void *context;
};

struct cuzk_cs {
    enum cuzk_cs_mode mode;
    bool generic; /* witness mode: through the gadgets bit by bit, also where a direct routine exists */
    struct cuzk_cs_counts at;

    /* witness mode: where values go (NULL: nowhere, they are only counted) */
    struct cuzk_fr *input_values, *wide_values;
    uint64_t *bit_words;
    uint64_t pending;    /* bits of the word in work */
    uint32_t first_word; /* shared with whoever writes the bits before */

    /* the layout, where it is kept: bitmap over aux */
    bool keep_layout;
    uint64_t *is_bit;
    size_t is_bit_words;

    /* record and check mode */
    const struct cuzk_constraint_sink *sink;
    const struct cuzk_witness *checked;
    const struct cuzk_witness_layout *checked_layout;
    const struct cuzk_cs_observer *observer;
    struct cuzk_combination_builder a, b, c; /* of the constraint in work */
    struct cuzk_cs_name path[CUZK_CS_DEPTH];
    unsigned depth;

    const struct cuzk_progress *progress; /* who may end it early; NULL: nobody. Set after the beginning */
    enum cuzk_status status;
    struct cuzk_error error;
};

/* Begins a recording; inputs is 1 (the constant one). The sink may be NULL: only counts and layout then. */
void cuzk_cs_record(struct cuzk_cs *cs, const struct cuzk_constraint_sink *sink);

/* Begins writing values at a position of a zeroed assignment of the right size, {.inputs = 1} at its start.
 * A NULL witness makes a dry run: counts, and the layout if keep_layout is set after this call. */
void cuzk_cs_witness(struct cuzk_cs *cs, const struct cuzk_witness *witness, struct cuzk_cs_counts start);

/* Begins a check of an assignment; the constraints also go to the sink unless it is NULL. */
void cuzk_cs_check(struct cuzk_cs *cs, const struct cuzk_witness_layout *layout,
                   const struct cuzk_witness *witness, const struct cuzk_constraint_sink *sink);

/* Ends any of the three: flushes packed bits and returns the first failure. The counts stay in cs->at.
 * Errors: MEMORY, UNSATISFIED (check), whatever the sink returned. */
enum cuzk_status cuzk_cs_finish(struct cuzk_cs *cs, struct cuzk_error *err);

/* The layout of a finished run that kept it. Errors: MEMORY. */
enum cuzk_status cuzk_cs_layout(struct cuzk_cs *cs, struct cuzk_witness_layout *out, struct cuzk_error *err);

/* Frees what cs holds; fine after any of the above, and on a zeroed cs. */
void cuzk_cs_destroy(struct cuzk_cs *cs);

/* The first failure wins. */
void cuzk_cs_fail(struct cuzk_cs *cs, enum cuzk_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool cuzk_cs_failed(const struct cuzk_cs *cs)
{
    return cs->status != CUZK_OK;
}

/* For loops of milliseconds and more, at every label, path or sector: true after a failure, and where
 * cs->progress wants an end, which is a failure then. Constraints that are evaluated ask by themselves. */
static inline bool cuzk_cs_stops(struct cuzk_cs *cs)
{
    if (cs->progress != NULL && cs->status == CUZK_OK)
        cs->status = cuzk_progress_check(cs->progress, &cs->error);
    return cs->status != CUZK_OK;
}

/* true where constraints are wanted: record and check mode */
static inline bool cuzk_cs_constrains(const struct cuzk_cs *cs)
{
    return cs->mode != CUZK_CS_WITNESS;
}

/* true where values are wanted and the direct routines may be used */
static inline bool cuzk_cs_is_direct(const struct cuzk_cs *cs)
{
    return cs->mode == CUZK_CS_WITNESS && !cs->generic;
}

/* ---- variables ---- */

/* A public input, a field-sized aux variable, a boolean one. Without any constraint. */
cuzk_variable cuzk_cs_alloc_input(struct cuzk_cs *cs, const struct cuzk_fr *value);
cuzk_variable cuzk_cs_alloc(struct cuzk_cs *cs, const struct cuzk_fr *value);
cuzk_variable cuzk_cs_alloc_bit(struct cuzk_cs *cs, bool value);

/* n boolean variables at once, n <= 64: bit i of values is the i-th; higher bits of values are zero. Witness
 * mode only. Returns the first. */
cuzk_variable cuzk_cs_alloc_bits(struct cuzk_cs *cs, uint64_t values, unsigned n);

/* n field-sized aux variables at once, *first the first of them. Returns the place of their values, NULL
 * where they are only counted. Witness mode only. */
struct cuzk_fr *cuzk_cs_alloc_many(struct cuzk_cs *cs, unsigned n, cuzk_variable *first);

/* ---- constraints (only where cuzk_cs_constrains) ---- */

/* Empties a, b and c. */
void cuzk_cs_begin(struct cuzk_cs *cs);

/* a += coefficient * variable, and so on. */
void cuzk_cs_add(struct cuzk_cs *cs, struct cuzk_combination_builder *combination, cuzk_variable variable,
                 const struct cuzk_fr *coefficient);

/* Adds the constraint a * b = c. `name` is static. */
void cuzk_cs_enforce(struct cuzk_cs *cs, const char *name);

/* The same with combinations of the caller's instead of cs->a, b, c. */
void cuzk_cs_enforce_combinations(struct cuzk_cs *cs, const char *name, struct cuzk_combination a,
                                  struct cuzk_combination b, struct cuzk_combination c);

/* ---- namespaces: free of cost in witness mode, a few stores otherwise ---- */

void cuzk_cs_enter_name(struct cuzk_cs *cs, struct cuzk_cs_name name);
void cuzk_cs_leave_name(struct cuzk_cs *cs);

static inline void cuzk_cs_enter(struct cuzk_cs *cs, const char *text)
{
    if (cuzk_cs_constrains(cs))
        cuzk_cs_enter_name(cs, (struct cuzk_cs_name){.text = text});
}

static inline void cuzk_cs_enter_n(struct cuzk_cs *cs, const char *text, uint32_t index)
{
    if (cuzk_cs_constrains(cs))
        cuzk_cs_enter_name(cs, (struct cuzk_cs_name){.text = text, .index = {index}});
}

static inline void cuzk_cs_leave(struct cuzk_cs *cs)
{
    if (cuzk_cs_constrains(cs))
        cuzk_cs_leave_name(cs);
}

/* Writes a name with its indexes into at most `size` bytes (terminated); returns the length written. */
size_t cuzk_cs_name_print(const struct cuzk_cs_name *name, char *out, size_t size);

/* The current path, names joined by '/'. */
void cuzk_cs_path_print(const struct cuzk_cs *cs, char out[CUZK_CS_PATH]);

#endif
