/*
 * A rank-1 constraint system held in memory: matrices A, B, C in compressed rows, coefficients deduplicated.
 *
 * A term is a variable word (term.h) and an index into the coefficient pool, 8 bytes together. pool[0] is one
 * and pool[1] is minus one in every system, so that most terms need no multiplication. Terms of a row are
 * normalised: ascending variables, no zero coefficient. The rows that Groth16 appends for public inputs are
 * not here (groth16/qap.h adds them).
 *
 * A system may be a head and then copies of one part, variables and rows alike, as every circuit of this
 * project is. Then only the rows of the head and of the first copy are stored: 18 challenges of a PoRep are
 * one, 2,349 sectors of a WindowPoSt are one. Copy p has the first copy's rows with other variables
 * (cuzk_r1cs_variable). Whoever reads rows goes through cuzk_r1cs_locate, or through the operations below.
 */
#ifndef CUZK_R1CS_R1CS_H
#define CUZK_R1CS_R1CS_H

#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "field/fr.h"
#include "r1cs/term.h"
#include "r1cs/witness.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CUZK_MATRIX_A, CUZK_MATRIX_B, CUZK_MATRIX_C, CUZK_MATRICES };
enum { CUZK_COEFFICIENT_ONE, CUZK_COEFFICIENT_MINUS_ONE }; /* their places in the pool */

struct cuzk_matrix {
    uint32_t *row_start;      /* [stored + 1]; stored row k is [row_start[k], row_start[k + 1]) */
    cuzk_variable *variables; /* [row_start[stored]] */
    uint32_t *coefficients;   /* the same length: indexes into the pool */
};

/* What a stretch of a system adds. */
struct cuzk_r1cs_extent {
    uint32_t inputs; /* of the head: the constant one included */
    uint32_t aux;
    uint32_t constraints;
};

/* Aux variables of the head that every copy sees another stretch of: where the first copy names one of
 * [first, first + count), copy p means the one shift[p] further on. */
struct cuzk_r1cs_window {
    uint32_t first, count; /* count 0: there are none */
    uint32_t *shift;       /* [parts], shift[0] is 0; NULL where count is 0 */
};

struct cuzk_r1cs {
    uint32_t inputs; /* public inputs, the constant one included: at least 1 */
    uint32_t aux;
    uint32_t constraints;
    uint32_t stored; /* rows in memory: all, or head.constraints + part.constraints */
    uint32_t parts;  /* copies behind the head; 0: nothing is repeated, the head is everything */
    struct cuzk_r1cs_extent head, part;
    struct cuzk_r1cs_window window;
    uint32_t pool_count;
    struct cuzk_fr *pool; /* [pool_count] */
    struct cuzk_matrix matrix[CUZK_MATRICES];
};

/* Where a row is stored, and which copy it is of. */
struct cuzk_r1cs_place {
    uint32_t stored, part;
};

static inline struct cuzk_r1cs_place cuzk_r1cs_locate(const struct cuzk_r1cs *r1cs, uint32_t row)
{
    const uint32_t head = r1cs->head.constraints;

    if (row < head || r1cs->part.constraints == 0)
        return (struct cuzk_r1cs_place){row, 0};
    return (struct cuzk_r1cs_place){head + (row - head) % r1cs->part.constraints,
                                    (row - head) / r1cs->part.constraints};
}

/* The next row's. */
static inline void cuzk_r1cs_advance(const struct cuzk_r1cs *r1cs, struct cuzk_r1cs_place *place)
{
    if (++place->stored == r1cs->stored && r1cs->parts > 0) {
        place->stored = r1cs->head.constraints;
        place->part++;
    }
}

/* The variable that a copy's row has where the stored row has this one. */
static inline cuzk_variable cuzk_r1cs_variable(const struct cuzk_r1cs *r1cs, cuzk_variable stored,
                                               uint32_t part)
{
    const uint32_t index = cuzk_variable_index(stored);

    if (part == 0)
        return stored;
    if (!cuzk_variable_is_aux(stored))
        return index < r1cs->head.inputs ? stored : stored + part * r1cs->part.inputs;
    if (index >= r1cs->head.aux)
        return stored + part * r1cs->part.aux;
    return index - r1cs->window.first < r1cs->window.count ? stored + r1cs->window.shift[part] : stored;
}

/* Terms of a matrix, those of all copies counted. */
uint64_t cuzk_r1cs_terms(const struct cuzk_r1cs *r1cs, int matrix);

void cuzk_r1cs_destroy(struct cuzk_r1cs *r1cs);

/* Frees one matrix of a system that will not be asked for it again (a prover never evaluates C): its row
 * starts and terms become NULL. */
void cuzk_r1cs_drop_matrix(struct cuzk_r1cs *r1cs, int matrix);

/* ---- building ---- */

struct cuzk_r1cs_builder;

enum cuzk_status cuzk_r1cs_builder_create(struct cuzk_r1cs_builder **out, struct cuzk_error *err);
void cuzk_r1cs_builder_destroy(struct cuzk_r1cs_builder *builder);

/* The sink that appends to the builder. Errors of its calls: MEMORY, UNSUPPORTED (2^32 terms in a matrix). */
struct cuzk_constraint_sink cuzk_r1cs_builder_sink(struct cuzk_r1cs_builder *builder);

/* Hands over the system; the builder is empty afterwards and only good for destroy. Errors: INPUT if a
 * constraint names an input or aux variable that is not below the counts, or inputs is 0; MEMORY. */
enum cuzk_status cuzk_r1cs_builder_finish(struct cuzk_r1cs_builder *builder, uint32_t inputs, uint32_t aux,
                                          struct cuzk_r1cs **out, struct cuzk_error *err);

/* Makes a system with one copy behind its head into one with `parts`. head: of the system, which keeps what
 * lies behind it as the part. window: NULL, or one whose shifts [parts] are copied. Errors: ARGUMENT (a head
 * that is larger than the system, no parts, a window or its shifts outside the head, a system that has copies
 * already), UNSUPPORTED (2^31 variables or 2^32 rows), MEMORY. */
enum cuzk_status cuzk_r1cs_repeat(struct cuzk_r1cs *r1cs, const struct cuzk_r1cs_extent *head, uint32_t parts,
                                  const struct cuzk_r1cs_window *window, struct cuzk_error *err);

/* Sends all constraints, in order, to a sink. */
enum cuzk_status cuzk_r1cs_replay(const struct cuzk_r1cs *r1cs, const struct cuzk_constraint_sink *sink,
                                  struct cuzk_error *err);

/* ---- what the matrices touch ---- */

/* Which variables occur in one matrix: bitmaps (bit k % 64 of word k / 64) and how many bits are set. */
struct cuzk_density {
    uint64_t *inputs; /* [(inputs + 63) / 64]; owned */
    uint64_t *aux;    /* [(aux + 63) / 64]; owned */
    uint32_t input_count;
    uint32_t aux_count;
};

enum cuzk_status cuzk_r1cs_density(const struct cuzk_r1cs *r1cs, int matrix, struct cuzk_density *out,
                                   struct cuzk_error *err);
void cuzk_density_destroy(struct cuzk_density *density);

/* ---- evaluation ---- */

/* <row, z> for rows [begin, end) of a matrix, into out[0 .. end - begin). */
void cuzk_r1cs_evaluate_rows(const struct cuzk_r1cs *r1cs, int matrix,
                             const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                             uint32_t begin, uint32_t end, struct cuzk_fr *out);

/* Whether the layout has this system's number of inputs and aux variables. Error: ARGUMENT, with both. */
enum cuzk_status cuzk_r1cs_match_layout(const struct cuzk_r1cs *r1cs,
                                        const struct cuzk_witness_layout *layout, struct cuzk_error *err);

/* OK if every constraint holds and input 0 is one; UNSATISFIED with the number (from 0) of the first that
 * does not. */
enum cuzk_status cuzk_r1cs_check(const struct cuzk_r1cs *r1cs, const struct cuzk_witness_layout *layout,
                                 const struct cuzk_witness *witness, struct cuzk_pool *pool,
                                 struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
