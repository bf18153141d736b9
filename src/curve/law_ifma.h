/*
 * The group law in eight lanes, written once: LANES_F, LANES_FIELD(op) and LANES_GROUP(op) name the field and
 * the functions. Jacobian points with z = 0 for infinity, formulas as in curve/law.h.
 *
 * Additions are not complete: where the points are equal, opposite, or the first one is infinity, the result
 * has z = 0, and everything made from it has. Callers use them where this cannot happen, or take z = 0 for a
 * sign that it did.
 */

struct LANES_GROUP(8) {
    LANES_F x, y, z;
};

CUZK_FP8_CALL void LANES_GROUP(8_double)(struct LANES_GROUP(8) * p)
{
    LANES_F a, b, c, d, e, t;

    LANES_FIELD(sqr)(&p->x, &a);
    LANES_FIELD(sqr)(&p->y, &b);
    LANES_FIELD(mul)(&p->y, &p->z, &t);
    LANES_FIELD(double)(&t, &p->z);
    LANES_FIELD(sqr)(&b, &c);
    LANES_FIELD(add)(&p->x, &b, &d);
    LANES_FIELD(sqr)(&d, &d);
    LANES_FIELD(sub)(&d, &a, &d);
    LANES_FIELD(sub)(&d, &c, &d);
    LANES_FIELD(double)(&d, &d);
    LANES_FIELD(double)(&a, &e);
    LANES_FIELD(add)(&e, &a, &e);
    LANES_FIELD(sqr)(&e, &t);
    LANES_FIELD(sub)(&t, &d, &t);
    LANES_FIELD(sub)(&t, &d, &p->x);
    LANES_FIELD(sub)(&d, &p->x, &d);
    LANES_FIELD(mul)(&e, &d, &e);
    LANES_FIELD(double)(&c, &c);
    LANES_FIELD(double)(&c, &c);
    LANES_FIELD(double)(&c, &c);
    LANES_FIELD(sub)(&e, &c, &p->y);
}

/* out = p + q */
CUZK_FP8_CALL void LANES_GROUP(8_add)(const struct LANES_GROUP(8) * p, const struct LANES_GROUP(8) * q,
                                      struct LANES_GROUP(8) * out)
{
    LANES_F z1z1, z2z2, u1, u2, s1, s2, h, r, i, j, v, t;

    LANES_FIELD(sqr)(&p->z, &z1z1);
    LANES_FIELD(sqr)(&q->z, &z2z2);
    LANES_FIELD(mul)(&p->x, &z2z2, &u1);
    LANES_FIELD(mul)(&q->x, &z1z1, &u2);
    LANES_FIELD(mul)(&p->y, &q->z, &s1);
    LANES_FIELD(mul)(&s1, &z2z2, &s1);
    LANES_FIELD(mul)(&q->y, &p->z, &s2);
    LANES_FIELD(mul)(&s2, &z1z1, &s2);
    LANES_FIELD(sub)(&u2, &u1, &h);
    LANES_FIELD(sub)(&s2, &s1, &r);
    LANES_FIELD(double)(&r, &r);
    LANES_FIELD(double)(&h, &i);
    LANES_FIELD(sqr)(&i, &i);
    LANES_FIELD(mul)(&h, &i, &j);
    LANES_FIELD(mul)(&u1, &i, &v);
    LANES_FIELD(mul)(&p->z, &q->z, &t);
    LANES_FIELD(mul)(&t, &h, &t);
    LANES_FIELD(double)(&t, &out->z);
    LANES_FIELD(sqr)(&r, &t);
    LANES_FIELD(sub)(&t, &j, &t);
    LANES_FIELD(sub)(&t, &v, &t);
    LANES_FIELD(sub)(&t, &v, &out->x);
    LANES_FIELD(sub)(&v, &out->x, &v);
    LANES_FIELD(mul)(&v, &r, &v);
    LANES_FIELD(mul)(&s1, &j, &s1);
    LANES_FIELD(double)(&s1, &s1);
    LANES_FIELD(sub)(&v, &s1, &out->y);
}

/* |x| p, x = -0xd201000000010000 */
CUZK_FP8_CALL void LANES_GROUP(8_mul_by_abs_x)(const struct LANES_GROUP(8) * p, struct LANES_GROUP(8) * out)
{
    const uint64_t x = UINT64_C(0xd201000000010000);
    struct LANES_GROUP(8) acc = *p;

    for (int i = 62; i >= 0; i--) {
        LANES_GROUP(8_double)(&acc);
        if (x >> i & 1)
            LANES_GROUP(8_add)(&acc, p, &acc);
    }
    *out = acc;
}

/* The lanes where p, of z = 1, equals q; none where q is infinity. */
CUZK_FP8_CALL __mmask8 LANES_GROUP(8_equal_lanes)(const struct LANES_GROUP(8) * p,
                                                  const struct LANES_GROUP(8) * q)
{
    LANES_F zz, t;

    LANES_FIELD(sqr)(&q->z, &zz);
    LANES_FIELD(mul)(&p->x, &zz, &t);
    LANES_FIELD(sub)(&t, &q->x, &t);
    const __mmask8 same_x = LANES_FIELD(zero_lanes)(&t);
    LANES_FIELD(mul)(&zz, &q->z, &zz);
    LANES_FIELD(mul)(&p->y, &zz, &t);
    LANES_FIELD(sub)(&t, &q->y, &t);
    const __mmask8 same_y = LANES_FIELD(zero_lanes)(&t), infinity = LANES_FIELD(zero_lanes)(&q->z);
    return (__mmask8)(same_x & same_y & ~(unsigned)infinity);
}
