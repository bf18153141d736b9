/* Compiled with CUZK_IFMA_FLAGS. */
#include "curve/kernel_ifma.h"

#include "field/fp12_ifma.h"

#define LANES_F         struct cuzk_fp8
#define LANES_FIELD(op) cuzk_fp_8_##op
#define LANES_GROUP(op) cuzk_g1_##op
#include "curve/law_ifma.h"
#undef LANES_F
#undef LANES_FIELD
#undef LANES_GROUP
#define LANES_F         struct cuzk_fp2_8
#define LANES_FIELD(op) cuzk_fp2_8_##op
#define LANES_GROUP(op) cuzk_g2_##op
#include "curve/law_ifma.h"
#undef LANES_F
#undef LANES_FIELD
#undef LANES_GROUP

enum { LANES = CUZK_CURVE_LANES, VECTORS = CUZK_CURVE_VECTORS, ALL = 0xff, WINDOW = 4 };

static const struct cuzk_fp beta = {{UINT64_C(0x30f1361b798a64e8), UINT64_C(0xf3b8ddab7ece5a2a),
                                     UINT64_C(0x16a8ca3ac61577f7), UINT64_C(0xc26a2ff874fd029b),
                                     UINT64_C(0x3636b76660701c6e), UINT64_C(0x051ba4ab241b6160)}};

/* a^((p - 3) / 4) for n vectors, by windows of four bits */
static void pow_p_minus_3_over_4(const struct cuzk_fp8 *a, size_t n, struct cuzk_fp8 *out)
{
    static const uint64_t exponent[CUZK_FP_LIMBS] = {
        UINT64_C(0xee7fbfffffffeaaa), UINT64_C(0x07aaffffac54ffff), UINT64_C(0xd9cc34a83dac3d89),
        UINT64_C(0xd91dd2e13ce144af), UINT64_C(0x92c6e9ed90d2eb35), UINT64_C(0x0680447a8e5ff9a6)};
    struct cuzk_fp8 table[VECTORS][1 << WINDOW];

    for (size_t k = 0; k < n; k++) {
        cuzk_fp8_one(&table[k][0]);
        table[k][1] = a[k];
    }
    for (int i = 2; i < 1 << WINDOW; i++)
        for (size_t k = 0; k < n; k++)
            cuzk_fp_8_mul(&table[k][i - 1], &a[k], &table[k][i]);
    for (int i = 64 * CUZK_FP_LIMBS - WINDOW; i >= 0; i -= WINDOW) {
        const unsigned digit = (unsigned)(exponent[i / 64] >> (i % 64)) & ((1 << WINDOW) - 1);
        if (i == 64 * CUZK_FP_LIMBS - WINDOW) {
            for (size_t k = 0; k < n; k++)
                out[k] = table[k][digit];
            continue;
        }
        for (int s = 0; s < WINDOW; s++)
            for (size_t k = 0; k < n; k++)
                cuzk_fp_8_sqr(&out[k], &out[k]);
        if (digit != 0)
            for (size_t k = 0; k < n; k++)
                cuzk_fp_8_mul(&out[k], &table[k][digit], &out[k]);
    }
}

/* phi(p) = -x^2 p, as in g1_kernel.h */
static bool g1_all_in_subgroup(const struct cuzk_fp8 *x, const struct cuzk_fp8 *y)
{
    struct cuzk_g1_8 p = {.x = *x, .y = *y}, q;
    struct cuzk_fp8 b;

    cuzk_fp8_one(&p.z);
    cuzk_g1_8_mul_by_abs_x(&p, &q);
    cuzk_g1_8_mul_by_abs_x(&q, &q);
    cuzk_fp_8_neg(&q.y, &q.y);
    cuzk_fp8_broadcast(&beta, &b);
    cuzk_fp_8_mul(&p.x, &b, &p.x);
    return cuzk_g1_8_equal_lanes(&p, &q) == ALL;
}

bool cuzk_g1_ifma_from_x(const struct cuzk_fp *x, const bool *larger, size_t vectors,
                         struct cuzk_g1_affine *out)
{
    static const struct cuzk_fp four = {{UINT64_C(0xaa270000000cfff3), UINT64_C(0x53cc0032fc34000a),
                                         UINT64_C(0x478fe97a6b0a807f), UINT64_C(0xb1d37ebee6ba24d7),
                                         UINT64_C(0x8ec9733bbf78ab2f), UINT64_C(0x09d645513d83de7e)}};
    struct cuzk_fp8 px[VECTORS], rhs[VECTORS], y[VECTORS], b, t;

    cuzk_fp8_broadcast(&four, &b);
    for (size_t k = 0; k < vectors; k++) {
        const struct cuzk_fp *from[LANES];
        for (size_t i = 0; i < LANES; i++)
            from[i] = &x[LANES * k + i];
        cuzk_fp8_load(from, &px[k]);
        cuzk_fp_8_sqr(&px[k], &t);
        cuzk_fp_8_mul(&t, &px[k], &t);
        cuzk_fp8_add(&t, &b, &rhs[k]);
    }
    pow_p_minus_3_over_4(rhs, vectors, y);
    for (size_t k = 0; k < vectors; k++) {
        struct cuzk_fp *to[LANES];
        cuzk_fp_8_mul(&y[k], &rhs[k], &y[k]);
        cuzk_fp_8_sqr(&y[k], &t);
        cuzk_fp8_sub(&t, &rhs[k], &t);
        if (cuzk_fp_8_zero_lanes(&t) != ALL)
            return false;
        if (!g1_all_in_subgroup(&px[k], &y[k]))
            return false;
        for (size_t i = 0; i < LANES; i++)
            to[i] = &out[LANES * k + i].y;
        cuzk_fp_8_store(&y[k], to);
    }
    for (size_t i = 0; i < LANES * vectors; i++) {
        out[i].x = x[i];
        if (cuzk_fp_is_larger_root(&out[i].y) != larger[i])
            cuzk_fp_neg(&out[i].y, &out[i].y);
    }
    return true;
}

/* psi(p) = x p, as in g2_kernel.h */
static bool g2_all_in_subgroup(const struct cuzk_fp2_8 *x, const struct cuzk_fp2_8 *y)
{
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
    struct cuzk_g2_8 p = {.x = *x, .y = *y}, q;
    struct cuzk_fp2_8 c;

    cuzk_fp2_8_one(&p.z);
    cuzk_g2_8_mul_by_abs_x(&p, &q);
    cuzk_fp2_8_neg(&q.y, &q.y); /* x is negative */
    cuzk_fp_8_neg(&p.x.c[1], &p.x.c[1]);
    cuzk_fp2_8_broadcast(&cx, &c);
    cuzk_fp2_8_mul(&p.x, &c, &p.x);
    cuzk_fp_8_neg(&p.y.c[1], &p.y.c[1]);
    cuzk_fp2_8_broadcast(&cy, &c);
    cuzk_fp2_8_mul(&p.y, &c, &p.y);
    return cuzk_g2_8_equal_lanes(&p, &q) == ALL;
}

/* Square roots in Fp2, by the complex method as in fp2_kernel.h; the lanes that are squares. Lanes without an
 * imaginary part may be missed. */
static void fp2_sqrt(const struct cuzk_fp2_8 *a, size_t n, struct cuzk_fp2_8 *out, __mmask8 *squares)
{
    static const struct cuzk_fp one_half = {{UINT64_C(0x1804000000015554), UINT64_C(0x855000053ab00001),
                                             UINT64_C(0x633cb57c253c276f), UINT64_C(0x6e22d1ec31ebb502),
                                             UINT64_C(0xd3916126f2d14ca2), UINT64_C(0x17fbb8571a006596)}};
    struct cuzk_fp8 s[VECTORS], e[VECTORS], half, t, u;

    cuzk_fp8_broadcast(&one_half, &half);
    for (size_t k = 0; k < n; k++) {
        cuzk_fp_8_sqr(&a[k].c[0], &t);
        cuzk_fp_8_sqr(&a[k].c[1], &u);
        cuzk_fp8_add(&t, &u, &s[k]);
    }
    pow_p_minus_3_over_4(s, n, e);
    for (size_t k = 0; k < n; k++) {
        cuzk_fp_8_mul(&s[k], &e[k], &t);
        cuzk_fp8_add(&t, &a[k].c[0], &t);
        cuzk_fp_8_mul(&t, &half, &s[k]); /* (c0 + s) / 2 */
    }
    pow_p_minus_3_over_4(s, n, e);
    for (size_t k = 0; k < n; k++) {
        struct cuzk_fp8 root, other;
        struct cuzk_fp2_8 square;
        cuzk_fp_8_mul(&s[k], &e[k], &root);
        cuzk_fp_8_mul(&a[k].c[1], &half, &other);
        cuzk_fp_8_mul(&other, &e[k], &other);
        /* t e^2 = 1 or -1: which, the square of the root says */
        cuzk_fp_8_sqr(&root, &t);
        cuzk_fp8_sub(&t, &s[k], &t);
        const __mmask8 positive = cuzk_fp_8_zero_lanes(&t);
        cuzk_fp_8_neg(&other, &u);
        cuzk_fp8_select(positive, &root, &u, &out[k].c[0]);
        cuzk_fp8_select(positive, &other, &root, &out[k].c[1]);
        cuzk_fp2_8_sqr(&out[k], &square);
        cuzk_fp2_8_sub(&square, &a[k], &square);
        squares[k] = cuzk_fp2_8_zero_lanes(&square);
    }
}

bool cuzk_g2_ifma_from_x(const struct cuzk_fp2 *x, const bool *larger, size_t vectors,
                         struct cuzk_g2_affine *out)
{
    static const struct cuzk_fp2 four_xi = {
        .c0 = {{UINT64_C(0xaa270000000cfff3), UINT64_C(0x53cc0032fc34000a), UINT64_C(0x478fe97a6b0a807f),
                UINT64_C(0xb1d37ebee6ba24d7), UINT64_C(0x8ec9733bbf78ab2f), UINT64_C(0x09d645513d83de7e)}},
        .c1 = {{UINT64_C(0xaa270000000cfff3), UINT64_C(0x53cc0032fc34000a), UINT64_C(0x478fe97a6b0a807f),
                UINT64_C(0xb1d37ebee6ba24d7), UINT64_C(0x8ec9733bbf78ab2f), UINT64_C(0x09d645513d83de7e)}}};
    struct cuzk_fp2_8 px[VECTORS], rhs[VECTORS], y[VECTORS], b, t;
    __mmask8 squares[VECTORS];

    cuzk_fp2_8_broadcast(&four_xi, &b);
    for (size_t k = 0; k < vectors; k++) {
        const struct cuzk_fp2 *from[LANES];
        for (size_t i = 0; i < LANES; i++)
            from[i] = &x[LANES * k + i];
        cuzk_fp2_8_load(from, &px[k]);
        cuzk_fp2_8_sqr(&px[k], &t);
        cuzk_fp2_8_mul(&t, &px[k], &t);
        cuzk_fp2_8_add(&t, &b, &rhs[k]);
    }
    fp2_sqrt(rhs, vectors, y, squares);
    for (size_t k = 0; k < vectors; k++) {
        struct cuzk_fp2 *to[LANES];
        if (squares[k] != ALL || !g2_all_in_subgroup(&px[k], &y[k]))
            return false;
        for (size_t i = 0; i < LANES; i++)
            to[i] = &out[LANES * k + i].y;
        cuzk_fp2_8_store(&y[k], to);
    }
    for (size_t i = 0; i < LANES * vectors; i++) {
        out[i].x = x[i];
        if (cuzk_fp2_is_larger_root(&out[i].y) != larger[i])
            cuzk_fp2_neg(&out[i].y, &out[i].y);
    }
    return true;
}

/* The lanes' own entries of a table */
static void gather(const struct cuzk_g1_8 *table, __m512i entry, struct cuzk_g1_8 *out)
{
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i words = _mm512_mullo_epi64(entry, _mm512_set1_epi64(sizeof *table / sizeof(uint64_t)));
    const __m512i at = _mm512_add_epi64(words, lane);
    const uint64_t *base = (const uint64_t *)table;
    struct cuzk_fp8 *const to[3] = {&out->x, &out->y, &out->z};

    for (int c = 0; c < 3; c++)
        for (int i = 0; i < CUZK_FP8_LIMBS; i++)
            to[c]->l[i] = _mm512_i64gather_epi64(at, base + (c * CUZK_FP8_LIMBS + i) * LANES, 8);
}

/* acc += entry where the digit is not zero; `infinite` are the lanes of acc that are still infinity */
static void add_digit(struct cuzk_g1_8 *acc, const struct cuzk_g1_8 *entry, __mmask8 nonzero,
                      __mmask8 *infinite)
{
    const __mmask8 first = nonzero & *infinite;
    struct cuzk_g1_8 sum;

    cuzk_g1_8_add(acc, entry, &sum);
    cuzk_fp8_select(first, &entry->x, &sum.x, &sum.x);
    cuzk_fp8_select(first, &entry->y, &sum.y, &sum.y);
    cuzk_fp8_select(first, &entry->z, &sum.z, &sum.z);
    cuzk_fp8_select(nonzero, &sum.x, &acc->x, &acc->x);
    cuzk_fp8_select(nonzero, &sum.y, &acc->y, &acc->y);
    cuzk_fp8_select(nonzero, &sum.z, &acc->z, &acc->z);
    *infinite &= (__mmask8) ~(unsigned)nonzero;
}

/* The additions never meet equal or opposite points: a P + b phi(P) is infinity only for a = b = 0 while both
 * are below 2^64 in size, acc is 16 a P + 16 b phi(P) before the first digit of a window and (16 a + d) P +
 * 16 b phi(P) before the second, and no multiple of 16 is a digit from 1 to 15 or its opposite. */
void cuzk_g1_ifma_mul_weight(const struct cuzk_g1_affine points[LANES], const uint64_t weights[LANES][2],
                             struct cuzk_g1 out[LANES])
{
    struct cuzk_g1_8 table[1 << WINDOW], acc, entry;
    const struct cuzk_fp *x[LANES], *y[LANES];
    struct cuzk_fp *to[3][LANES];
    const __m512i mask = _mm512_set1_epi64((1 << WINDOW) - 1);
    __mmask8 infinite = ALL;
    struct cuzk_fp8 b;
    __m512i low, high;
    uint64_t parts[2][LANES];

    for (int i = 0; i < LANES; i++) {
        x[i] = &points[i].x;
        y[i] = &points[i].y;
        parts[0][i] = weights[i][0];
        parts[1][i] = weights[i][1];
        to[0][i] = &out[i].x;
        to[1][i] = &out[i].y;
        to[2][i] = &out[i].z;
    }
    low = _mm512_loadu_si512(parts[0]);
    high = _mm512_loadu_si512(parts[1]);
    cuzk_fp8_broadcast(&beta, &b);
    cuzk_fp8_load(x, &table[1].x);
    cuzk_fp8_load(y, &table[1].y);
    cuzk_fp8_one(&table[1].z);
    table[0] = table[1]; /* never used */
    for (int i = 2; i < 1 << WINDOW; i++) {
        if (i % 2 == 0) {
            table[i] = table[i / 2];
            cuzk_g1_8_double(&table[i]);
        } else {
            cuzk_g1_8_add(&table[i - 1], &table[1], &table[i]);
        }
    }
    acc = table[1];
    cuzk_fp8_zero(&acc.z);
    for (int shift = 64 - WINDOW; shift >= 0; shift -= WINDOW) {
        if (infinite != ALL)
            for (int k = 0; k < WINDOW; k++)
                cuzk_g1_8_double(&acc);
        const __m512i d0 = _mm512_and_si512(_mm512_srli_epi64(low, (unsigned)shift), mask),
                      d1 = _mm512_and_si512(_mm512_srli_epi64(high, (unsigned)shift), mask);
        gather(table, d0, &entry);
        add_digit(&acc, &entry, _mm512_test_epi64_mask(d0, d0), &infinite);
        gather(table, d1, &entry);
        cuzk_fp_8_mul(&entry.x, &b, &entry.x);
        add_digit(&acc, &entry, _mm512_test_epi64_mask(d1, d1), &infinite);
    }
    /* a weight of zero */
    cuzk_fp8_zero(&b);
    cuzk_fp8_select(infinite, &b, &acc.z, &acc.z);
    cuzk_fp_8_store(&acc.x, to[0]);
    cuzk_fp_8_store(&acc.y, to[1]);
    cuzk_fp_8_store(&acc.z, to[2]);
}
