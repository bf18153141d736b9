/*
 * The larger functions that G1 and G2 share, written once; g1_kernel.h and g2_kernel.h define LAW_F,
 * LAW_FIELD(op), LAW_GROUP(op), LAW_POINT and LAW_AFFINE before including it. Hence no include guard.
 */

/* (x / z^2, y / z^3) from 1 / z */
CUZK_KERNEL void LAW_GROUP(kernel_scale)(const struct LAW_POINT *a, const LAW_F *z_inverse,
                                         struct LAW_AFFINE *out)
{
    LAW_F t;

    LAW_FIELD(sqr)(z_inverse, &t);
    LAW_FIELD(mul)(&a->x, &t, &out->x);
    LAW_FIELD(mul)(&t, z_inverse, &t);
    LAW_FIELD(mul)(&a->y, &t, &out->y);
}

CUZK_KERNEL void LAW_GROUP(kernel_to_affine)(const struct LAW_POINT *a, struct LAW_AFFINE *out)
{
    LAW_F z;

    LAW_FIELD(kernel_inverse)(&a->z, &z); /* zero for infinity, which gives x = y = 0 */
    LAW_GROUP(kernel_scale)(a, &z, out);
}

CUZK_KERNEL void LAW_GROUP(kernel_batch_to_affine)(const struct LAW_POINT *points, size_t n,
                                                   struct LAW_AFFINE *out)
{
    LAW_F acc, z;

    /* out[i].x holds the product of all z before i until the second pass */
    LAW_FIELD(one)(&acc);
    for (size_t i = 0; i < n; i++) {
        out[i].x = acc;
        if (!LAW_FIELD(is_zero)(&points[i].z))
            LAW_FIELD(mul)(&acc, &points[i].z, &acc);
    }
    LAW_FIELD(kernel_inverse)(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (LAW_FIELD(is_zero)(&points[i].z)) {
            LAW_FIELD(zero)(&out[i].x);
            LAW_FIELD(zero)(&out[i].y);
            continue;
        }
        LAW_FIELD(mul)(&acc, &out[i].x, &z);
        LAW_FIELD(mul)(&acc, &points[i].z, &acc);
        LAW_GROUP(kernel_scale)(&points[i], &z, &out[i]);
    }
}

CUZK_KERNEL void LAW_GROUP(kernel_mul)(const struct LAW_POINT *a, const uint64_t scalar[4],
                                       struct LAW_POINT *out)
{
    struct LAW_POINT table[16], acc; /* table[i] = i a */

    LAW_GROUP(law_identity)(&table[0]);
    table[1] = *a;
    for (int i = 2; i < 16; i++)
        LAW_GROUP(law_add)(&table[i - 1], a, &table[i]);
    LAW_GROUP(law_identity)(&acc);
    for (int i = 63; i >= 0; i--) {
        for (int k = 0; k < 4; k++)
            LAW_GROUP(law_double)(&acc, &acc);
        LAW_GROUP(law_add)(&acc, &table[scalar[i / 16] >> (4 * (i % 16)) & 15], &acc);
    }
    *out = acc;
}

/* |x| a, where x = -0xd201000000010000 is the curve's parameter */
CUZK_KERNEL void LAW_GROUP(kernel_mul_by_abs_x)(const struct LAW_POINT *a, struct LAW_POINT *out)
{
    const uint64_t x = UINT64_C(0xd201000000010000);
    struct LAW_POINT acc = *a;

    for (int i = 62; i >= 0; i--) {
        LAW_GROUP(law_double)(&acc, &acc);
        if (x >> i & 1)
            LAW_GROUP(law_add)(&acc, a, &acc);
    }
    *out = acc;
}
