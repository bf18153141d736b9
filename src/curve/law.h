/*
 * The group law of y^2 = x^3 + b over a field F, written once and instantiated for G1 (F = Fp) and G2 (F =
 * Fp2) by curve/g1_law.h and curve/g2_law.h, which define LAW_F, LAW_FIELD(op), LAW_GROUP(op), LAW_POINT and
 * LAW_AFFINE before including it. Hence no include guard.
 *
 * Points are Jacobian, (x / z^2, y / z^3), infinity z = 0; affine points have x = y = 0 for infinity. Every
 * function is complete (equal, opposite and infinite arguments included), takes `out` last, and lets it be an
 * input. Formulas: Explicit-Formulas Database, short Weierstrass, a = 0: dbl-2009-l, add-2007-bl,
 * madd-2007-bl. Variable time. Compiles for the host and the device.
 */

static CUZK_HD void LAW_GROUP(law_identity)(struct LAW_POINT *out)
{
    LAW_FIELD(one)(&out->x);
    LAW_FIELD(one)(&out->y);
    LAW_FIELD(zero)(&out->z);
}

static CUZK_HD bool LAW_GROUP(law_is_identity)(const struct LAW_POINT *a)
{
    return LAW_FIELD(is_zero)(&a->z);
}

static CUZK_HD bool LAW_GROUP(law_affine_is_identity)(const struct LAW_AFFINE *a)
{
    return LAW_FIELD(is_zero)(&a->x) && LAW_FIELD(is_zero)(&a->y);
}

static CUZK_HD void LAW_GROUP(law_from_affine)(const struct LAW_AFFINE *a, struct LAW_POINT *out)
{
    if (LAW_GROUP(law_affine_is_identity)(a)) {
        LAW_GROUP(law_identity)(out);
        return;
    }
    out->x = a->x;
    out->y = a->y;
    LAW_FIELD(one)(&out->z);
}

static CUZK_HD void LAW_GROUP(law_neg)(const struct LAW_POINT *a, struct LAW_POINT *out)
{
    out->x = a->x;
    LAW_FIELD(neg)(&a->y, &out->y);
    out->z = a->z;
}

static CUZK_HD_CALL void LAW_GROUP(law_double)(const struct LAW_POINT *p, struct LAW_POINT *out)
{
    LAW_F a, b, c, d, e, t;

    LAW_FIELD(sqr)(&p->x, &a);
    LAW_FIELD(sqr)(&p->y, &b);
    LAW_FIELD(sqr)(&b, &c);
    LAW_FIELD(add)(&p->x, &b, &d);
    LAW_FIELD(sqr)(&d, &d);
    LAW_FIELD(sub)(&d, &a, &d);
    LAW_FIELD(sub)(&d, &c, &d);
    LAW_FIELD(double)(&d, &d);
    LAW_FIELD(double)(&a, &e);
    LAW_FIELD(add)(&e, &a, &e);
    LAW_FIELD(mul)(&p->y, &p->z, &t);
    LAW_FIELD(double)(&t, &out->z);
    LAW_FIELD(sqr)(&e, &t);
    LAW_FIELD(sub)(&t, &d, &t);
    LAW_FIELD(sub)(&t, &d, &out->x);
    LAW_FIELD(sub)(&d, &out->x, &d);
    LAW_FIELD(mul)(&e, &d, &e);
    LAW_FIELD(double)(&c, &c);
    LAW_FIELD(double)(&c, &c);
    LAW_FIELD(double)(&c, &c);
    LAW_FIELD(sub)(&e, &c, &out->y);
}

static CUZK_HD_CALL void LAW_GROUP(law_add)(const struct LAW_POINT *p, const struct LAW_POINT *q,
                                            struct LAW_POINT *out)
{
    LAW_F z1z1, z2z2, u1, u2, s1, s2, h, r, i, j, v, t;

    if (LAW_GROUP(law_is_identity)(p)) {
        *out = *q;
        return;
    }
    if (LAW_GROUP(law_is_identity)(q)) {
        *out = *p;
        return;
    }
    LAW_FIELD(sqr)(&p->z, &z1z1);
    LAW_FIELD(sqr)(&q->z, &z2z2);
    LAW_FIELD(mul)(&p->x, &z2z2, &u1);
    LAW_FIELD(mul)(&q->x, &z1z1, &u2);
    LAW_FIELD(mul)(&p->y, &q->z, &s1);
    LAW_FIELD(mul)(&s1, &z2z2, &s1);
    LAW_FIELD(mul)(&q->y, &p->z, &s2);
    LAW_FIELD(mul)(&s2, &z1z1, &s2);
    LAW_FIELD(sub)(&u2, &u1, &h);
    LAW_FIELD(sub)(&s2, &s1, &r);
    if (LAW_FIELD(is_zero)(&h)) {
        if (LAW_FIELD(is_zero)(&r))
            LAW_GROUP(law_double)(p, out);
        else
            LAW_GROUP(law_identity)(out);
        return;
    }
    LAW_FIELD(double)(&r, &r);
    LAW_FIELD(double)(&h, &i);
    LAW_FIELD(sqr)(&i, &i);
    LAW_FIELD(mul)(&h, &i, &j);
    LAW_FIELD(mul)(&u1, &i, &v);
    LAW_FIELD(add)(&p->z, &q->z, &t);
    LAW_FIELD(sqr)(&t, &t);
    LAW_FIELD(sub)(&t, &z1z1, &t);
    LAW_FIELD(sub)(&t, &z2z2, &t);
    LAW_FIELD(mul)(&t, &h, &out->z);
    LAW_FIELD(sqr)(&r, &t);
    LAW_FIELD(sub)(&t, &j, &t);
    LAW_FIELD(sub)(&t, &v, &t);
    LAW_FIELD(sub)(&t, &v, &out->x);
    LAW_FIELD(sub)(&v, &out->x, &v);
    LAW_FIELD(mul)(&v, &r, &v);
    LAW_FIELD(mul)(&s1, &j, &s1);
    LAW_FIELD(double)(&s1, &s1);
    LAW_FIELD(sub)(&v, &s1, &out->y);
}

static CUZK_HD_CALL void LAW_GROUP(law_add_mixed)(const struct LAW_POINT *p, const struct LAW_AFFINE *q,
                                                  struct LAW_POINT *out)
{
    LAW_F z1z1, u2, s2, h, hh, i, j, r, v, t;

    if (LAW_GROUP(law_affine_is_identity)(q)) {
        *out = *p;
        return;
    }
    if (LAW_GROUP(law_is_identity)(p)) {
        LAW_GROUP(law_from_affine)(q, out);
        return;
    }
    LAW_FIELD(sqr)(&p->z, &z1z1);
    LAW_FIELD(mul)(&q->x, &z1z1, &u2);
    LAW_FIELD(mul)(&q->y, &p->z, &s2);
    LAW_FIELD(mul)(&s2, &z1z1, &s2);
    LAW_FIELD(sub)(&u2, &p->x, &h);
    LAW_FIELD(sub)(&s2, &p->y, &r);
    if (LAW_FIELD(is_zero)(&h)) {
        if (LAW_FIELD(is_zero)(&r))
            LAW_GROUP(law_double)(p, out);
        else
            LAW_GROUP(law_identity)(out);
        return;
    }
    LAW_FIELD(double)(&r, &r);
    LAW_FIELD(sqr)(&h, &hh);
    LAW_FIELD(double)(&hh, &i);
    LAW_FIELD(double)(&i, &i);
    LAW_FIELD(mul)(&h, &i, &j);
    LAW_FIELD(mul)(&p->x, &i, &v);
    LAW_FIELD(add)(&p->z, &h, &t);
    LAW_FIELD(sqr)(&t, &t);
    LAW_FIELD(sub)(&t, &z1z1, &t);
    LAW_FIELD(sub)(&t, &hh, &out->z);
    LAW_FIELD(mul)(&p->y, &j, &s2);
    LAW_FIELD(double)(&s2, &s2);
    LAW_FIELD(sqr)(&r, &t);
    LAW_FIELD(sub)(&t, &j, &t);
    LAW_FIELD(sub)(&t, &v, &t);
    LAW_FIELD(sub)(&t, &v, &out->x);
    LAW_FIELD(sub)(&v, &out->x, &v);
    LAW_FIELD(mul)(&v, &r, &v);
    LAW_FIELD(sub)(&v, &s2, &out->y);
}

/* whether two points are the same, whatever their z */
static CUZK_HD_CALL bool LAW_GROUP(law_equal)(const struct LAW_POINT *p, const struct LAW_POINT *q)
{
    LAW_F z1z1, z2z2, u1, u2;

    if (LAW_GROUP(law_is_identity)(p) || LAW_GROUP(law_is_identity)(q))
        return LAW_GROUP(law_is_identity)(p) && LAW_GROUP(law_is_identity)(q);
    LAW_FIELD(sqr)(&p->z, &z1z1);
    LAW_FIELD(sqr)(&q->z, &z2z2);
    LAW_FIELD(mul)(&p->x, &z2z2, &u1);
    LAW_FIELD(mul)(&q->x, &z1z1, &u2);
    if (!LAW_FIELD(equal)(&u1, &u2))
        return false;
    LAW_FIELD(mul)(&z2z2, &q->z, &z2z2);
    LAW_FIELD(mul)(&z1z1, &p->z, &z1z1);
    LAW_FIELD(mul)(&p->y, &z2z2, &u1);
    LAW_FIELD(mul)(&q->y, &z1z1, &u2);
    return LAW_FIELD(equal)(&u1, &u2);
}
