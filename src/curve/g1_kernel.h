/*
 * The larger functions of G1: conversions, multiplication, tests.
 *
 * Static functions, so that files compiled for different instruction sets each have their own
 * (curve/kernel.h). Other code calls curve/g1.h. The contracts are there.
 */
#ifndef CUZK_CURVE_G1_KERNEL_H
#define CUZK_CURVE_G1_KERNEL_H

#include "curve/g1_law.h"
#include "field/fp_kernel.h"

#define LAW_F         struct cuzk_fp
#define LAW_FIELD(op) cuzk_fp_##op
#define LAW_GROUP(op) cuzk_g1_##op
#define LAW_POINT     cuzk_g1
#define LAW_AFFINE    cuzk_g1_affine
#include "curve/law_kernel.h"
#undef LAW_F
#undef LAW_FIELD
#undef LAW_GROUP
#undef LAW_POINT
#undef LAW_AFFINE

CUZK_KERNEL void cuzk_g1_kernel_curve_rhs(const struct cuzk_fp *x, struct cuzk_fp *out)
{
    static const struct cuzk_fp b = {{UINT64_C(0xaa270000000cfff3), UINT64_C(0x53cc0032fc34000a),
                                      UINT64_C(0x478fe97a6b0a807f), UINT64_C(0xb1d37ebee6ba24d7),
                                      UINT64_C(0x8ec9733bbf78ab2f), UINT64_C(0x09d645513d83de7e)}};
    struct cuzk_fp t;

    cuzk_fp_sqr(x, &t);
    cuzk_fp_mul(&t, x, &t);
    cuzk_fp_add(&t, &b, out);
}

CUZK_KERNEL bool cuzk_g1_kernel_is_on_curve(const struct cuzk_g1_affine *a)
{
    struct cuzk_fp left, right;

    if (cuzk_g1_law_affine_is_identity(a))
        return true;
    cuzk_fp_sqr(&a->y, &left);
    cuzk_g1_kernel_curve_rhs(&a->x, &right);
    return cuzk_fp_equal(&left, &right);
}

/* x of phi(x, y) = (beta x, y) */
CUZK_KERNEL void cuzk_g1_kernel_endomorphism_x(struct cuzk_fp *x)
{
    static const struct cuzk_fp beta = {{UINT64_C(0x30f1361b798a64e8), UINT64_C(0xf3b8ddab7ece5a2a),
                                         UINT64_C(0x16a8ca3ac61577f7), UINT64_C(0xc26a2ff874fd029b),
                                         UINT64_C(0x3636b76660701c6e), UINT64_C(0x051ba4ab241b6160)}};

    cuzk_fp_mul(x, &beta, x);
}

CUZK_KERNEL bool cuzk_g1_kernel_in_subgroup(const struct cuzk_g1_affine *a)
{
    /* phi(x, y) = (beta x, y) has phi^2 + phi + 1 = 0 on the whole curve. If phi(a) = -x^2 a then
     * (x^4 - x^2 + 1) a = r a is infinity; and on the subgroup phi is this multiple. */
    struct cuzk_g1 p, q;

    if (cuzk_g1_law_affine_is_identity(a))
        return true;
    cuzk_g1_law_from_affine(a, &p);
    cuzk_g1_kernel_mul_by_abs_x(&p, &q);
    cuzk_g1_kernel_mul_by_abs_x(&q, &q);
    cuzk_g1_law_neg(&q, &q);
    cuzk_g1_kernel_endomorphism_x(&p.x);
    return cuzk_g1_law_equal(&p, &q);
}

#endif
