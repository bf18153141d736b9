/*
 * G1: points of y^2 = x^3 + 4 over Fp and their subgroup of order r.
 *
 * Affine and Jacobian structures are in curve/g1_law.h. Every function takes `out` last and lets it be an
 * input; all accept infinity; none can fail. Variable time. Thread-safe.
 */
#ifndef CUZK_CURVE_G1_H
#define CUZK_CURVE_G1_H

#include "curve/g1_law.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The standard generator. */
extern const struct cuzk_g1_affine cuzk_g1_generator;

void cuzk_g1_identity(struct cuzk_g1 *out);
bool cuzk_g1_is_identity(const struct cuzk_g1 *a);
bool cuzk_g1_affine_is_identity(const struct cuzk_g1_affine *a);
void cuzk_g1_from_affine(const struct cuzk_g1_affine *a, struct cuzk_g1 *out);
void cuzk_g1_to_affine(const struct cuzk_g1 *a, struct cuzk_g1_affine *out);

/* n points with one inversion. */
void cuzk_g1_batch_to_affine(const struct cuzk_g1 *points, size_t n, struct cuzk_g1_affine *out);

void cuzk_g1_neg(const struct cuzk_g1 *a, struct cuzk_g1 *out);
void cuzk_g1_affine_neg(const struct cuzk_g1_affine *a, struct cuzk_g1_affine *out);
void cuzk_g1_double(const struct cuzk_g1 *a, struct cuzk_g1 *out);
void cuzk_g1_add(const struct cuzk_g1 *a, const struct cuzk_g1 *b, struct cuzk_g1 *out);
void cuzk_g1_add_mixed(const struct cuzk_g1 *a, const struct cuzk_g1_affine *b, struct cuzk_g1 *out);
bool cuzk_g1_equal(const struct cuzk_g1 *a, const struct cuzk_g1 *b);
bool cuzk_g1_affine_equal(const struct cuzk_g1_affine *a, const struct cuzk_g1_affine *b);

/* scalar * a; scalar is four plain 64-bit words, least significant first, any value. */
void cuzk_g1_mul(const struct cuzk_g1 *a, const uint64_t scalar[4], struct cuzk_g1 *out);

/* (weight[0] + weight[1] lambda) a with lambda = -x^2 mod r, the eigenvalue of (x, y) -> (beta x, y), x being
 * the curve's parameter: different for all 128-bit weights, and half the doublings of a multiplication. a is
 * in the subgroup. */
void cuzk_g1_mul_weight(const struct cuzk_g1_affine *a, const uint64_t weight[2], struct cuzk_g1 *out);

/* n points, weights and products of them; infinity is fine. */
void cuzk_g1_mul_weight_many(const struct cuzk_g1_affine *points, const uint64_t (*weights)[2], size_t n,
                             struct cuzk_g1 *out);

/* The sum of those products. */
void cuzk_g1_sum_weights(const struct cuzk_g1_affine *points, const uint64_t (*weights)[2], size_t n,
                         struct cuzk_g1 *out);

/* x^3 + b: the square of y on the curve. */
void cuzk_g1_curve_rhs(const struct cuzk_fp *x, struct cuzk_fp *out);

/* Whether the coordinates satisfy the curve's equation; infinity does. */
bool cuzk_g1_is_on_curve(const struct cuzk_g1_affine *a);

/* Whether a point of the curve lies in the subgroup of order r, by the endomorphism (Scott, "A note on group
 * membership tests for G1, G2 and GT on BLS pairing-friendly curves", IACR 2021/1130). The point must be on
 * the curve; infinity is in the subgroup. */
bool cuzk_g1_in_subgroup(const struct cuzk_g1_affine *a);

#ifdef __cplusplus
}
#endif

#endif
