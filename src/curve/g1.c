#include "curve/g1.h"

#include <string.h>

#include "base/cpu.h"
#include "curve/kernel.h"
#include "curve/kernel_ifma.h"

const struct cuzk_g1_affine cuzk_g1_generator = {
    {{UINT64_C(0x5cb38790fd530c16), UINT64_C(0x7817fc679976fff5), UINT64_C(0x154f95c7143ba1c1),
      UINT64_C(0xf0ae6acdf3d0e747), UINT64_C(0xedce6ecc21dbf440), UINT64_C(0x120177419e0bfb75)}},
    {{UINT64_C(0xbaac93d50ce72271), UINT64_C(0x8c22631a7918fd8e), UINT64_C(0xdd595f13570725ce),
      UINT64_C(0x51ac582950405194), UINT64_C(0x0e1c8c3fad0059c0), UINT64_C(0x0bbc3efc5008a26a)}}};

void cuzk_g1_identity(struct cuzk_g1 *out)
{
    cuzk_g1_law_identity(out);
}

bool cuzk_g1_is_identity(const struct cuzk_g1 *a)
{
    return cuzk_g1_law_is_identity(a);
}

bool cuzk_g1_affine_is_identity(const struct cuzk_g1_affine *a)
{
    return cuzk_g1_law_affine_is_identity(a);
}

void cuzk_g1_from_affine(const struct cuzk_g1_affine *a, struct cuzk_g1 *out)
{
    cuzk_g1_law_from_affine(a, out);
}

void cuzk_g1_neg(const struct cuzk_g1 *a, struct cuzk_g1 *out)
{
    cuzk_g1_law_neg(a, out);
}

void cuzk_g1_affine_neg(const struct cuzk_g1_affine *a, struct cuzk_g1_affine *out)
{
    out->x = a->x;
    cuzk_fp_neg(&a->y, &out->y);
}

bool cuzk_g1_affine_equal(const struct cuzk_g1_affine *a, const struct cuzk_g1_affine *b)
{
    return cuzk_fp_equal(&a->x, &b->x) && cuzk_fp_equal(&a->y, &b->y);
}

void cuzk_g1_to_affine(const struct cuzk_g1 *a, struct cuzk_g1_affine *out)
{
    cuzk_curve_kernel()->g1_to_affine(a, out);
}

void cuzk_g1_batch_to_affine(const struct cuzk_g1 *points, size_t n, struct cuzk_g1_affine *out)
{
    cuzk_curve_kernel()->g1_batch_to_affine(points, n, out);
}

void cuzk_g1_double(const struct cuzk_g1 *a, struct cuzk_g1 *out)
{
    cuzk_curve_kernel()->g1_double(a, out);
}

void cuzk_g1_add(const struct cuzk_g1 *a, const struct cuzk_g1 *b, struct cuzk_g1 *out)
{
    cuzk_curve_kernel()->g1_add(a, b, out);
}

void cuzk_g1_add_mixed(const struct cuzk_g1 *a, const struct cuzk_g1_affine *b, struct cuzk_g1 *out)
{
    cuzk_curve_kernel()->g1_add_mixed(a, b, out);
}

bool cuzk_g1_equal(const struct cuzk_g1 *a, const struct cuzk_g1 *b)
{
    return cuzk_curve_kernel()->g1_equal(a, b);
}

void cuzk_g1_mul(const struct cuzk_g1 *a, const uint64_t scalar[4], struct cuzk_g1 *out)
{
    cuzk_curve_kernel()->g1_mul(a, scalar, out);
}

void cuzk_g1_curve_rhs(const struct cuzk_fp *x, struct cuzk_fp *out)
{
    cuzk_curve_kernel()->g1_curve_rhs(x, out);
}

bool cuzk_g1_is_on_curve(const struct cuzk_g1_affine *a)
{
    return cuzk_curve_kernel()->g1_is_on_curve(a);
}

bool cuzk_g1_in_subgroup(const struct cuzk_g1_affine *a)
{
    return cuzk_curve_kernel()->g1_in_subgroup(a);
}

void cuzk_g1_mul_weight(const struct cuzk_g1_affine *a, const uint64_t weight[2], struct cuzk_g1 *out)
{
    cuzk_curve_kernel()->g1_sum_weights(a, (const uint64_t(*)[2])weight, 1, out);
}

/* up to eight points in lanes, the missing ones and infinity replaced by the generator */
static void mul_weight_lanes(const struct cuzk_g1_affine *points, const uint64_t (*weights)[2], size_t n,
                             struct cuzk_g1 *out)
{
    struct cuzk_g1_affine p[CUZK_CURVE_LANES];
    struct cuzk_g1 products[CUZK_CURVE_LANES];
    uint64_t w[CUZK_CURVE_LANES][2] = {{0}};

    for (size_t i = 0; i < CUZK_CURVE_LANES; i++) {
        const bool used = i < n && !cuzk_g1_law_affine_is_identity(&points[i]);
        p[i] = used ? points[i] : cuzk_g1_generator;
        if (used)
            memcpy(w[i], weights[i], sizeof w[i]);
    }
    cuzk_g1_ifma_mul_weight(p, (const uint64_t(*)[2])w, products);
    memcpy(out, products, n * sizeof *out);
}

void cuzk_g1_mul_weight_many(const struct cuzk_g1_affine *points, const uint64_t (*weights)[2], size_t n,
                             struct cuzk_g1 *out)
{
    const bool lanes = cuzk_cpu_level() >= CUZK_CPU_IFMA;

    for (size_t i = 0; i < n;) {
        const size_t m = n - i < CUZK_CURVE_LANES ? n - i : (size_t)CUZK_CURVE_LANES;
        if (lanes && m >= 3)
            mul_weight_lanes(points + i, weights + i, m, out + i);
        else
            for (size_t k = i; k < i + m; k++)
                cuzk_g1_mul_weight(&points[k], weights[k], &out[k]);
        i += m;
    }
}

void cuzk_g1_sum_weights(const struct cuzk_g1_affine *points, const uint64_t (*weights)[2], size_t n,
                         struct cuzk_g1 *out)
{
    const bool lanes = cuzk_cpu_level() >= CUZK_CPU_IFMA;
    struct cuzk_g1 group[CUZK_G1_WEIGHTS];

    cuzk_g1_law_identity(out);
    for (size_t i = 0; i < n; i += CUZK_G1_WEIGHTS) {
        const size_t m = n - i < CUZK_G1_WEIGHTS ? n - i : (size_t)CUZK_G1_WEIGHTS;
        if (lanes && m >= CUZK_CURVE_LANES) {
            cuzk_g1_mul_weight_many(points + i, weights + i, m, group);
            for (size_t k = 0; k < m; k++)
                cuzk_g1_add(out, &group[k], out);
        } else {
            cuzk_curve_kernel()->g1_sum_weights(points + i, weights + i, m, &group[0]);
            cuzk_g1_add(out, &group[0], out);
        }
    }
}
