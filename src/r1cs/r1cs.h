/*
 * A rank-1 constraint system held in memory: matrices A, B, C in compressed rows, coefficients deduplicated.
 *
 * A term is a variable word (term.h) and an index into the coefficient pool, 8 bytes together. pool[0] is one
 * and pool[1] is minus one in every system, so that most terms need no multiplication. Terms of a row are
 * normalised: ascending variables, no zero coefficient. The rows that Groth16 appends for public inputs are
 * not here (groth16/qap.h adds them).
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
    uint32_t *row_start;      /* [constraints + 1]; row k is [row_start[k], row_start[k + 1]) */
    cuzk_variable *variables; /* [row_start[constraints]] */
    uint32_t *coefficients;   /* the same length: indexes into the pool */
};

struct cuzk_r1cs {
    uint32_t inputs; /* public inputs, the constant one included: at least 1 */
    uint32_t aux;
    uint32_t constraints;
    uint32_t pool_count;
    struct cuzk_fr *pool; /* [pool_count] */
    struct cuzk_matrix matrix[CUZK_MATRICES];
};

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
