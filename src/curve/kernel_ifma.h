/*
 * Many points at once with AVX-512 IFMA, eight in the lanes of a vector: called after a run-time check only.
 */
#ifndef CUZK_CURVE_KERNEL_IFMA_H
#define CUZK_CURVE_KERNEL_IFMA_H

#include "curve/g1_law.h"
#include "curve/g2_law.h"

enum {
    CUZK_CURVE_LANES = 8,
    CUZK_CURVE_VECTORS = 4, /* at most in one call, which hides latencies */
};

/* The points with these x whose y is the larger root or not, 8 * vectors of them. true if all x belong to
 * points of the subgroup (then out is complete); false if some do not, or if that is for the complete law to
 * say. */
bool cuzk_g1_ifma_from_x(const struct cuzk_fp *x, const bool *larger, size_t vectors,
                         struct cuzk_g1_affine *out);
bool cuzk_g2_ifma_from_x(const struct cuzk_fp2 *x, const bool *larger, size_t vectors,
                         struct cuzk_g2_affine *out);

/* As cuzk_g1_mul_weight, for eight points of the subgroup other than infinity. */
void cuzk_g1_ifma_mul_weight(const struct cuzk_g1_affine points[CUZK_CURVE_LANES],
                             const uint64_t weights[CUZK_CURVE_LANES][2],
                             struct cuzk_g1 out[CUZK_CURVE_LANES]);

#endif
