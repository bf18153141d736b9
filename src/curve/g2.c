#include "curve/g2.h"

#include "curve/kernel.h"

const struct cuzk_g2_affine cuzk_g2_generator = {
    {.c0 = {{UINT64_C(0xf5f28fa202940a10), UINT64_C(0xb3f5fb2687b4961a), UINT64_C(0xa1a893b53e2ae580),
             UINT64_C(0x9894999d1a3caee9), UINT64_C(0x6f67b7631863366b), UINT64_C(0x058191924350bcd7)}},
     .c1 = {{UINT64_C(0xa5a9c0759e23f606), UINT64_C(0xaaa0c59dbccd60c3), UINT64_C(0x3bb17e18e2867806),
             UINT64_C(0x1b1ab6cc8541b367), UINT64_C(0xc2b6ed0ef2158547), UINT64_C(0x11922a097360edf3)}}},
    {.c0 = {{UINT64_C(0x4c730af860494c4a), UINT64_C(0x597cfa1f5e369c5a), UINT64_C(0xe7e6856caa0a635a),
             UINT64_C(0xbbefb5e96e0d495f), UINT64_C(0x07d3a975f0ef25a2), UINT64_C(0x0083fd8e7e80dae5)}},
     .c1 = {{UINT64_C(0xadc0fc92df64b05d), UINT64_C(0x18aa270a2b1461dc), UINT64_C(0x86adac6a3be4eba0),
             UINT64_C(0x79495c4ec93da33a), UINT64_C(0xe7175850a43ccaed), UINT64_C(0x0b2bc2a163de1bf2)}}}};

void cuzk_g2_identity(struct cuzk_g2 *out)
{
    cuzk_g2_law_identity(out);
}

bool cuzk_g2_is_identity(const struct cuzk_g2 *a)
{
    return cuzk_g2_law_is_identity(a);
}

bool cuzk_g2_affine_is_identity(const struct cuzk_g2_affine *a)
{
    return cuzk_g2_law_affine_is_identity(a);
}

void cuzk_g2_from_affine(const struct cuzk_g2_affine *a, struct cuzk_g2 *out)
{
    cuzk_g2_law_from_affine(a, out);
}

void cuzk_g2_neg(const struct cuzk_g2 *a, struct cuzk_g2 *out)
{
    cuzk_g2_law_neg(a, out);
}

void cuzk_g2_affine_neg(const struct cuzk_g2_affine *a, struct cuzk_g2_affine *out)
{
    out->x = a->x;
    cuzk_fp2_neg(&a->y, &out->y);
}

bool cuzk_g2_affine_equal(const struct cuzk_g2_affine *a, const struct cuzk_g2_affine *b)
{
    return cuzk_fp2_equal(&a->x, &b->x) && cuzk_fp2_equal(&a->y, &b->y);
}

void cuzk_g2_to_affine(const struct cuzk_g2 *a, struct cuzk_g2_affine *out)
{
    cuzk_curve_kernel()->g2_to_affine(a, out);
}

void cuzk_g2_batch_to_affine(const struct cuzk_g2 *points, size_t n, struct cuzk_g2_affine *out)
{
    cuzk_curve_kernel()->g2_batch_to_affine(points, n, out);
}

void cuzk_g2_double(const struct cuzk_g2 *a, struct cuzk_g2 *out)
{
    cuzk_curve_kernel()->g2_double(a, out);
}

void cuzk_g2_add(const struct cuzk_g2 *a, const struct cuzk_g2 *b, struct cuzk_g2 *out)
{
    cuzk_curve_kernel()->g2_add(a, b, out);
}

void cuzk_g2_add_mixed(const struct cuzk_g2 *a, const struct cuzk_g2_affine *b, struct cuzk_g2 *out)
{
    cuzk_curve_kernel()->g2_add_mixed(a, b, out);
}

bool cuzk_g2_equal(const struct cuzk_g2 *a, const struct cuzk_g2 *b)
{
    return cuzk_curve_kernel()->g2_equal(a, b);
}

void cuzk_g2_mul(const struct cuzk_g2 *a, const uint64_t scalar[4], struct cuzk_g2 *out)
{
    cuzk_curve_kernel()->g2_mul(a, scalar, out);
}

void cuzk_g2_curve_rhs(const struct cuzk_fp2 *x, struct cuzk_fp2 *out)
{
    cuzk_curve_kernel()->g2_curve_rhs(x, out);
}

bool cuzk_g2_is_on_curve(const struct cuzk_g2_affine *a)
{
    return cuzk_curve_kernel()->g2_is_on_curve(a);
}

bool cuzk_g2_in_subgroup(const struct cuzk_g2_affine *a)
{
    return cuzk_curve_kernel()->g2_in_subgroup(a);
}
