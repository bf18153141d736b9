/*
 * Transforms of points of G1: what poly/ntt.h does to field elements, with sums of points and products by
 * roots of unity in place of theirs. From h of a parameter file it makes the Lagrange basis of a domain or
 * coset (groth16/derived.h). n log2(n) / 2 multiplications of a point by a scalar: minutes of a processor at
 * 2^16.
 */
#ifndef CUZK_POLY_POINT_NTT_H
#define CUZK_POLY_POINT_NTT_H

#include "base/progress.h"
#include "curve/g1.h"
#include "poly/ntt.h"

/* points[k] = sum over i below n = 2^log_n of first ratio^i w^(-i k) points[i], in place, natural order, w
 * the root of poly/ntt.h. Points are in the subgroup; infinity is fine. Errors: ARGUMENT (log_n above 31),
 * MEMORY, CANCELLED. */
enum cuzk_status cuzk_point_ntt_inverse(struct cuzk_pool *pool, unsigned log_n,
                                        const struct cuzk_ntt_twist *twist, struct cuzk_g1 *points,
                                        const struct cuzk_progress *progress, struct cuzk_error *err);

#endif
