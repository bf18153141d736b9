/*
 * The columns of C times points: what deriving a key (groth16/derived.h) folds into l.
 *
 * The points stand for the rows of C. Nearly all terms of the circuits are plus or minus one and become lists
 * that share inversions (msm/list_sums.h). Powers of two come many in a row, up to 2^254 where bits are
 * packed: the row's point is doubled once for all of them. Long columns, as that of the constant one with its
 * hundreds of thousands of constants, are multi-scalar multiplications.
 */
#ifndef CUZK_GROTH16_FOLD_H
#define CUZK_GROTH16_FOLD_H

#include "base/pool.h"
#include "base/progress.h"
#include "curve/encoding.h"
#include "r1cs/r1cs.h"

struct cuzk_fold;

/* Sorts the terms of C by columns: eight bytes a term and a variable. r1cs, with C, and the pool must outlive
 * the fold; one thread at a time. Errors: MEMORY, CANCELLED. */
enum cuzk_status cuzk_fold_create(const struct cuzk_r1cs *r1cs, struct cuzk_pool *pool,
                                  const struct cuzk_progress *progress, struct cuzk_fold **out,
                                  struct cuzk_error *err);
void cuzk_fold_destroy(struct cuzk_fold *fold);

/* out = the sum over the column of a public input. points: uncompressed, one a row, in the subgroup; infinity
 * is fine. Errors: MEMORY, INPUT (a point of a row is not on the curve or not encoded as one). */
enum cuzk_status cuzk_fold_input(const struct cuzk_fold *fold, const uint8_t *points, uint32_t input,
                                 uint8_t out[CUZK_G1_RAW_BYTES], struct cuzk_error *err);

/* out[k] = own[k] and the sum over the column of aux variable first + k, for k below count. own and out:
 * uncompressed points. Errors: MEMORY, INPUT (the same, or own has such a point; says which). */
enum cuzk_status cuzk_fold_aux(const struct cuzk_fold *fold, const uint8_t *points, uint32_t first,
                               uint32_t count, const uint8_t *own, uint8_t *out, struct cuzk_error *err);

#endif
