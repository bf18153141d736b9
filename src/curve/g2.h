/*
 * G2: points of y^2 = x^3 + 4 (1 + u) over Fp2 and their subgroup of order r.
 *
 * Affine and Jacobian structures are in curve/g2_law.h. Every function takes `out` last and lets it be an
 * input; all accept infinity; none can fail. Variable time. Thread-safe.
 */
#ifndef CUZK_CURVE_G2_H
#define CUZK_CURVE_G2_H

#include "curve/g2_law.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The standard generator. */
extern const struct cuzk_g2_affine cuzk_g2_generator;

void cuzk_g2_identity(struct cuzk_g2 *out);
bool cuzk_g2_is_identity(const struct cuzk_g2 *a);
bool cuzk_g2_affine_is_identity(const struct cuzk_g2_affine *a);
void cuzk_g2_from_affine(const struct cuzk_g2_affine *a, struct cuzk_g2 *out);
void cuzk_g2_to_affine(const struct cuzk_g2 *a, struct cuzk_g2_affine *out);

/* n points with one inversion. */
void cuzk_g2_batch_to_affine(const struct cuzk_g2 *points, size_t n, struct cuzk_g2_affine *out);

void cuzk_g2_neg(const struct cuzk_g2 *a, struct cuzk_g2 *out);
void cuzk_g2_affine_neg(const struct cuzk_g2_affine *a, struct cuzk_g2_affine *out);
void cuzk_g2_double(const struct cuzk_g2 *a, struct cuzk_g2 *out);
void cuzk_g2_add(const struct cuzk_g2 *a, const struct cuzk_g2 *b, struct cuzk_g2 *out);
void cuzk_g2_add_mixed(const struct cuzk_g2 *a, const struct cuzk_g2_affine *b, struct cuzk_g2 *out);
bool cuzk_g2_equal(const struct cuzk_g2 *a, const struct cuzk_g2 *b);
bool cuzk_g2_affine_equal(const struct cuzk_g2_affine *a, const struct cuzk_g2_affine *b);

/* scalar * a; scalar is four plain 64-bit words, least significant first, any value. */
void cuzk_g2_mul(const struct cuzk_g2 *a, const uint64_t scalar[4], struct cuzk_g2 *out);

/* x^3 + b: the square of y on the curve. */
void cuzk_g2_curve_rhs(const struct cuzk_fp2 *x, struct cuzk_fp2 *out);

/* Whether the coordinates satisfy the curve's equation; infinity does. */
bool cuzk_g2_is_on_curve(const struct cuzk_g2_affine *a);

/* Whether a point of the curve lies in the subgroup of order r, by the endomorphism (Scott, "A note on group
 * membership tests for G1, G2 and GT on BLS pairing-friendly curves", IACR 2021/1130). The point must be on
 * the curve; infinity is in the subgroup. */
bool cuzk_g2_in_subgroup(const struct cuzk_g2_affine *a);

#ifdef __cplusplus
}
#endif

#endif
