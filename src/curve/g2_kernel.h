/*
 * The larger functions of G2: conversions, multiplication, tests.
 *
 * Static functions, so that files compiled for different instruction sets each have their own
 * (curve/kernel.h). Other code calls curve/g2.h. The contracts are there.
 */
#ifndef CUZK_CURVE_G2_KERNEL_H
#define CUZK_CURVE_G2_KERNEL_H

#include "curve/g2_law.h"
#include "field/fp2_kernel.h"

#define LAW_F         struct cuzk_fp2
#define LAW_FIELD(op) cuzk_fp2_##op
#define LAW_GROUP(op) cuzk_g2_##op
#define LAW_POINT     cuzk_g2
#define LAW_AFFINE    cuzk_g2_affine
#include "curve/law_kernel.h"
#undef LAW_F
#undef LAW_FIELD
#undef LAW_GROUP
#undef LAW_POINT
#undef LAW_AFFINE

CUZK_KERNEL void cuzk_g2_kernel_curve_rhs(const struct cuzk_fp2 *x, struct cuzk_fp2 *out)
{
    static const struct cuzk_fp2 b = {
        .c0 = {{UINT64_C(0xaa270000000cfff3), UINT64_C(0x53cc0032fc34000a), UINT64_C(0x478fe97a6b0a807f),
                UINT64_C(0xb1d37ebee6ba24d7), UINT64_C(0x8ec9733bbf78ab2f), UINT64_C(0x09d645513d83de7e)}},
        .c1 = {{UINT64_C(0xaa270000000cfff3), UINT64_C(0x53cc0032fc34000a), UINT64_C(0x478fe97a6b0a807f),
                UINT64_C(0xb1d37ebee6ba24d7), UINT64_C(0x8ec9733bbf78ab2f), UINT64_C(0x09d645513d83de7e)}}};
    struct cuzk_fp2 t;

    cuzk_fp2_sqr(x, &t);
    cuzk_fp2_mul(&t, x, &t);
    cuzk_fp2_add(&t, &b, out);
}

CUZK_KERNEL bool cuzk_g2_kernel_is_on_curve(const struct cuzk_g2_affine *a)
{
    struct cuzk_fp2 left, right;

    if (cuzk_g2_law_affine_is_identity(a))
        return true;
    cuzk_fp2_sqr(&a->y, &left);
    cuzk_g2_kernel_curve_rhs(&a->x, &right);
    return cuzk_fp2_equal(&left, &right);
}

CUZK_KERNEL bool cuzk_g2_kernel_in_subgroup(const struct cuzk_g2_affine *a)
{
    /* psi(x, y) = (cx conj(x), cy conj(y)), the untwisted, twisted Frobenius, has psi^2 - t psi + p = 0 with
     * t = x + 1 on the whole curve. If psi(a) = x a then (p - x) a is infinity, and gcd(p - x, order of the
     * curve) = r. */
    static const struct cuzk_fp2 cx = {
        .c0 = {{UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000),
                UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000)}},
        .c1 = {{UINT64_C(0x890dc9e4867545c3), UINT64_C(0x2af322533285a5d5), UINT64_C(0x50880866309b7e2c),
                UINT64_C(0xa20d1b8c7e881024), UINT64_C(0x14e4f04fe2db9068), UINT64_C(0x14e56d3f1564853a)}}};
    static const struct cuzk_fp2 cy = {
        .c0 = {{UINT64_C(0x3e2f585da55c9ad1), UINT64_C(0x4294213d86c18183), UINT64_C(0x382844c88b623732),
                UINT64_C(0x92ad2afd19103e18), UINT64_C(0x1d794e4fac7cf0b9), UINT64_C(0x0bd592fc7d825ec8)}},
        .c1 = {{UINT64_C(0x7bcfa7a25aa30fda), UINT64_C(0xdc17dec12a927e7c), UINT64_C(0x2f088dd86b4ebef1),
                UINT64_C(0xd1ca2087da74d4a7), UINT64_C(0x2da2596696cebc1d), UINT64_C(0x0e2b7eedbbfd87d2)}}};
    struct cuzk_g2 p, q;

    if (cuzk_g2_law_affine_is_identity(a))
        return true;
    cuzk_g2_law_from_affine(a, &p);
    cuzk_g2_kernel_mul_by_abs_x(&p, &q);
    cuzk_g2_law_neg(&q, &q); /* x is negative */
    cuzk_fp2_conjugate(&p.x, &p.x);
    cuzk_fp2_mul(&p.x, &cx, &p.x);
    cuzk_fp2_conjugate(&p.y, &p.y);
    cuzk_fp2_mul(&p.y, &cy, &p.y);
    return cuzk_g2_law_equal(&p, &q);
}

#endif
