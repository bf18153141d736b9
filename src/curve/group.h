/*
 * The host functions that G1 and G2 share, written once: g1.c and g2.c define LAW_F, LAW_FIELD(op),
 * LAW_GROUP(op), LAW_POINT and LAW_AFFINE and include this file. The contracts are in g1.h and g2.h.
 */

void LAW_GROUP(identity)(struct LAW_POINT *out)
{
    LAW_GROUP(law_identity)(out);
}

bool LAW_GROUP(is_identity)(const struct LAW_POINT *a)
{
    return LAW_GROUP(law_is_identity)(a);
}

bool LAW_GROUP(affine_is_identity)(const struct LAW_AFFINE *a)
{
    return LAW_GROUP(law_affine_is_identity)(a);
}

void LAW_GROUP(from_affine)(const struct LAW_AFFINE *a, struct LAW_POINT *out)
{
    LAW_GROUP(law_from_affine)(a, out);
}

/* (x / z^2, y / z^3) from 1 / z */
static void scale_to_affine(const struct LAW_POINT *a, const LAW_F *z_inverse, struct LAW_AFFINE *out)
{
    LAW_F t;

    LAW_FIELD(sqr)(z_inverse, &t);
    LAW_FIELD(mul)(&a->x, &t, &out->x);
    LAW_FIELD(mul)(&t, z_inverse, &t);
    LAW_FIELD(mul)(&a->y, &t, &out->y);
}

void LAW_GROUP(to_affine)(const struct LAW_POINT *a, struct LAW_AFFINE *out)
{
    LAW_F z;

    LAW_FIELD(inverse)(&a->z, &z); /* zero for infinity, which gives x = y = 0 */
    scale_to_affine(a, &z, out);
}

void LAW_GROUP(batch_to_affine)(const struct LAW_POINT *points, size_t n, struct LAW_AFFINE *out)
{
    LAW_F acc, z;

    /* out[i].x holds the product of all z before i until the second pass */
    LAW_FIELD(one)(&acc);
    for (size_t i = 0; i < n; i++) {
        out[i].x = acc;
        if (!LAW_FIELD(is_zero)(&points[i].z))
            LAW_FIELD(mul)(&acc, &points[i].z, &acc);
    }
    LAW_FIELD(inverse)(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (LAW_FIELD(is_zero)(&points[i].z)) {
            LAW_FIELD(zero)(&out[i].x);
            LAW_FIELD(zero)(&out[i].y);
            continue;
        }
        LAW_FIELD(mul)(&acc, &out[i].x, &z);
        LAW_FIELD(mul)(&acc, &points[i].z, &acc);
        scale_to_affine(&points[i], &z, &out[i]);
    }
}

void LAW_GROUP(neg)(const struct LAW_POINT *a, struct LAW_POINT *out)
{
    LAW_GROUP(law_neg)(a, out);
}

void LAW_GROUP(affine_neg)(const struct LAW_AFFINE *a, struct LAW_AFFINE *out)
{
    out->x = a->x;
    LAW_FIELD(neg)(&a->y, &out->y);
}

void LAW_GROUP(double)(const struct LAW_POINT *a, struct LAW_POINT *out)
{
    LAW_GROUP(law_double)(a, out);
}

void LAW_GROUP(add)(const struct LAW_POINT *a, const struct LAW_POINT *b, struct LAW_POINT *out)
{
    LAW_GROUP(law_add)(a, b, out);
}

void LAW_GROUP(add_mixed)(const struct LAW_POINT *a, const struct LAW_AFFINE *b, struct LAW_POINT *out)
{
    LAW_GROUP(law_add_mixed)(a, b, out);
}

bool LAW_GROUP(equal)(const struct LAW_POINT *a, const struct LAW_POINT *b)
{
    return LAW_GROUP(law_equal)(a, b);
}

bool LAW_GROUP(affine_equal)(const struct LAW_AFFINE *a, const struct LAW_AFFINE *b)
{
    return LAW_FIELD(equal)(&a->x, &b->x) && LAW_FIELD(equal)(&a->y, &b->y);
}

void LAW_GROUP(mul)(const struct LAW_POINT *a, const uint64_t scalar[4], struct LAW_POINT *out)
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
static void mul_by_abs_x(const struct LAW_POINT *a, struct LAW_POINT *out)
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
