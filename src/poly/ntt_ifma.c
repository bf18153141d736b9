/*
 * The inner transform with eight lanes of AVX-512 IFMA.
 *
 * Decimation in time on naturally ordered input: a butterfly is (a, b) -> (a + w b, a - w b), where w depends
 * on the block alone and is broadcast. w b is below 2 r, so values grow by at most 2 r a level and stay below
 * 2^260 = 35 r for 16 levels with no reduction on the way: 2 r at the start, 24 r after the 11 levels allowed
 * here. Two levels are done in one visit (radix 4).
 */
#include "field/fr_ifma.h"
#include "poly/ntt_strip.h"

enum {
    CHAINS = 4,    /* independent runs of a geometric sequence, to hide the multiplier's latency */
    NEAR_LOG = 6,  /* blocks of this size are finished while in the first-level cache */
    PREFETCH = 12, /* rows ahead when reading with a large stride */
};

struct twiddle {
    uint64_t l[CUZK_FR8_LIMBS]; /* w * 2^260 mod r */
};

CUZK_FR8_FN void load_twiddle(const struct twiddle *w, struct cuzk_fr8 *out)
{
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++)
        out->l[i] = _mm512_set1_epi64((long long)w->l[i]);
}

static void prepare_twiddle(const struct cuzk_fr *twiddle, void *entry)
{
    struct cuzk_fr shifted = *twiddle;
    struct twiddle *out = entry;

    for (int i = 0; i < 4; i++)
        cuzk_fr_double(&shifted, &shifted); /* from 2^256 to 2^260 */
    const uint64_t *w = shifted.l;
    out->l[0] = w[0] & CUZK_FR8_MASK;
    out->l[1] = (w[0] >> 52 | w[1] << 12) & CUZK_FR8_MASK;
    out->l[2] = (w[1] >> 40 | w[2] << 24) & CUZK_FR8_MASK;
    out->l[3] = (w[2] >> 28 | w[3] << 36) & CUZK_FR8_MASK;
    out->l[4] = w[3] >> 16;
}

/* Brings a < 32 r below r. 35 / 2^52 is 1 / (r / 2^208) from below, so the estimated quotient is at most one
 * too small (and the fraction that 35 neglects, below 0.3): two r are left at most. */
CUZK_FR8_FN void reduce_fully(struct cuzk_fr8 *a)
{
    const uint64_t m[CUZK_FR8_LIMBS] = CUZK_FR8_MODULUS;
    const __m512i zero = _mm512_setzero_si512();
    const __m512i q = _mm512_madd52hi_epu64(zero, a->l[CUZK_FR8_LIMBS - 1], _mm512_set1_epi64(35));
    __m512i high = zero;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++) {
        const __m512i mi = _mm512_set1_epi64((long long)m[i]);
        a->l[i] = _mm512_sub_epi64(a->l[i], _mm512_madd52lo_epu64(high, q, mi));
        high = _mm512_madd52hi_epu64(zero, q, mi);
    }
    cuzk_fr8_carry(a);
    cuzk_fr8_reduce(a, 1);
}

/* Words of the eight elements that lie `stride` apart. */
CUZK_FR8_FN void load_strided(const struct cuzk_fr *a, size_t stride, __m512i w[CUZK_FR_LIMBS])
{
    struct cuzk_fr packed[CUZK_FR8_LANES] __attribute__((aligned(64)));
    __m512i pair[4];
#pragma GCC unroll 8
    for (size_t i = 0; i < 4; i++) {
        const __m256i even = _mm256_loadu_si256((const __m256i *)(a + 2 * i * stride));
        pair[i] = _mm512_inserti64x4(_mm512_castsi256_si512(even),
                                     _mm256_loadu_si256((const __m256i *)(a + (2 * i + 1) * stride)), 1);
        _mm512_store_si512(packed + 2 * i, pair[i]);
    }
    cuzk_fr8_load_words(packed, w);
}

CUZK_FR8_FN void store_strided(const __m512i w[CUZK_FR_LIMBS], size_t stride, struct cuzk_fr *out)
{
    struct cuzk_fr packed[CUZK_FR8_LANES] __attribute__((aligned(64)));
    cuzk_fr8_store_words(w, packed);
#pragma GCC unroll 8
    for (size_t i = 0; i < CUZK_FR8_LANES; i++)
        out[i * stride] = packed[i];
}

/* A geometric sequence for each lane, in the 2^260 form and below 2 r. */
struct sequence {
    struct cuzk_fr8 value[CHAINS], ratio; /* ratio^CHAINS */
};

static void sequence_start(const struct cuzk_strip_factors *factors, struct sequence *out)
{
    struct cuzk_fr8 ratio;

    cuzk_fr8_load_shifted(factors->base, &out->value[0]);
    cuzk_fr8_reduce(&out->value[0], 8);
    cuzk_fr8_load_shifted(factors->ratio, &ratio);
    cuzk_fr8_reduce(&ratio, 8);
    for (int k = 1; k < CHAINS; k++)
        cuzk_fr8_mul(&out->value[k - 1], &ratio, &out->value[k]);
    cuzk_fr8_sqr(&ratio, &out->ratio);
    cuzk_fr8_sqr(&out->ratio, &out->ratio);
}

CUZK_FR8_FN void load_element(const struct cuzk_strip *strip, size_t i, struct cuzk_fr8 *out)
{
    const struct cuzk_fr *from = strip->data + i * strip->step_stride;
    __m512i w[CUZK_FR_LIMBS];

    if (strip->lane_stride == 1) {
        const char *ahead = (const char *)(from + PREFETCH * strip->step_stride);
        for (int line = 0; line < 4; line++)
            _mm_prefetch(ahead + 64 * line, _MM_HINT_T0);
        cuzk_fr8_load_words(from, w);
    } else {
        load_strided(from, strip->lane_stride, w);
    }
    cuzk_fr8_from_word_vectors(w, out);
}

static void load(const struct cuzk_strip *strip, struct cuzk_fr8 *x)
{
    const size_t n = (size_t)1 << strip->log_n;

    if (strip->load == NULL) {
        for (size_t i = 0; i < n; i++)
            load_element(strip, i, &x[i]);
        return;
    }
    struct sequence factors;
    sequence_start(strip->load, &factors);
    for (size_t i = 0; i < n; i += CHAINS) {
        for (size_t k = 0; k < CHAINS; k++) {
            struct cuzk_fr8 value;
            load_element(strip, i + k, &value);
            cuzk_fr8_mul(&value, &factors.value[k], &x[i + k]);
            cuzk_fr8_mul(&factors.value[k], &factors.ratio, &factors.value[k]);
        }
    }
}

CUZK_FR8_FN void store_element(const struct cuzk_strip *strip, size_t i, const struct cuzk_fr8 *value)
{
    struct cuzk_fr *to = strip->data + i * strip->step_stride;
    __m512i w[CUZK_FR_LIMBS];

    cuzk_fr8_to_word_vectors(value, w);
    if (strip->lane_stride == 1)
        cuzk_fr8_store_words(w, to);
    else
        store_strided(w, strip->lane_stride, to);
}

static void store(const struct cuzk_strip *strip, const struct cuzk_fr8 *x)
{
    const size_t n = (size_t)1 << strip->log_n;

    if (strip->store == NULL) {
        for (size_t i = 0; i < n; i++) {
            struct cuzk_fr8 value = x[cuzk_strip_reverse(i, strip->log_n)];
            reduce_fully(&value);
            store_element(strip, i, &value);
        }
        return;
    }
    struct sequence factors;
    sequence_start(strip->store, &factors);
    for (size_t i = 0; i < n; i += CHAINS) {
        for (size_t k = 0; k < CHAINS; k++) {
            struct cuzk_fr8 value;
            cuzk_fr8_mul(&x[cuzk_strip_reverse(i + k, strip->log_n)], &factors.value[k], &value);
            cuzk_fr8_reduce(&value, 1);
            store_element(strip, i + k, &value);
            cuzk_fr8_mul(&factors.value[k], &factors.ratio, &factors.value[k]);
        }
    }
}

/* Sum and difference without carries: limbs may leave [0, 2^52). 2 r keep the difference positive as t < 2 r.
 */
CUZK_FR8_FN void add_loose(const struct cuzk_fr8 *a, const struct cuzk_fr8 *t, struct cuzk_fr8 *out)
{
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++)
        out->l[i] = _mm512_add_epi64(a->l[i], t->l[i]);
}

CUZK_FR8_FN void sub_loose(const struct cuzk_fr8 *a, const struct cuzk_fr8 *t, struct cuzk_fr8 *out)
{
    const uint64_t m[CUZK_FR8_LIMBS] = CUZK_FR8_MODULUS;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++) {
        const uint64_t twice = 2 * m[i];
        out->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], t->l[i]), _mm512_set1_epi64((long long)twice));
    }
}

/* The second of two levels and the carries: y0, y1 with w1, y2, y3 with w2. y1 and y3 must be carried. */
CUZK_FR8_FN void finish_four(struct cuzk_fr8 *x, size_t h, const struct cuzk_fr8 *y0,
                             const struct cuzk_fr8 *u1, const struct cuzk_fr8 *y2, const struct cuzk_fr8 *u3)
{
    struct cuzk_fr8 z;
    add_loose(y0, u1, &z);
    cuzk_fr8_carry(&z);
    x[0] = z;
    sub_loose(y0, u1, &z);
    cuzk_fr8_carry(&z);
    x[h] = z;
    add_loose(y2, u3, &z);
    cuzk_fr8_carry(&z);
    x[2 * h] = z;
    sub_loose(y2, u3, &z);
    cuzk_fr8_carry(&z);
    x[3 * h] = z;
}

/* Two levels of block 0, whose twiddles are 1, 1 and w4 = the fourth root. Inputs must be below 2 r, or be no
 * more than the bound that makes them so: the first block is the first thing done, and later only after
 * bring_down. */
static void four_first(struct cuzk_fr8 *x, size_t h, const struct twiddle *w4)
{
    struct cuzk_fr8 w;
    load_twiddle(w4, &w);
    for (size_t j = 0; j < h; j++) {
        struct cuzk_fr8 y0, y1, y2, y3, u3;
        add_loose(&x[j], &x[j + 2 * h], &y0);
        sub_loose(&x[j], &x[j + 2 * h], &y2);
        add_loose(&x[j + h], &x[j + 3 * h], &y1);
        sub_loose(&x[j + h], &x[j + 3 * h], &y3);
        cuzk_fr8_carry(&y3);
        cuzk_fr8_mul(&y3, &w, &u3);
        /* y1 is below 4 r here, so the difference needs 4 r: add 2 r more to y0's part */
        struct cuzk_fr8 z;
        add_loose(&y0, &y1, &z);
        cuzk_fr8_carry(&z);
        x[j] = z;
        cuzk_fr8_sub(&y0, &y1, 4, &z);
        x[j + h] = z;
        add_loose(&y2, &u3, &z);
        cuzk_fr8_carry(&z);
        x[j + 2 * h] = z;
        sub_loose(&y2, &u3, &z);
        cuzk_fr8_carry(&z);
        x[j + 3 * h] = z;
    }
}

/* Two levels of any block. */
static void four(struct cuzk_fr8 *x, size_t h, const struct twiddle *t, const struct twiddle *t1,
                 const struct twiddle *t2)
{
    struct cuzk_fr8 w, w1, w2;
    load_twiddle(t, &w);
    load_twiddle(t1, &w1);
    load_twiddle(t2, &w2);
    for (size_t j = 0; j < h; j++) {
        struct cuzk_fr8 y0, y1, y2, y3, t2w, t3w, u1, u3;
        cuzk_fr8_mul(&x[j + 2 * h], &w, &t2w);
        cuzk_fr8_mul(&x[j + 3 * h], &w, &t3w);
        add_loose(&x[j + h], &t3w, &y1);
        cuzk_fr8_carry(&y1);
        sub_loose(&x[j + h], &t3w, &y3);
        cuzk_fr8_carry(&y3);
        cuzk_fr8_mul(&y1, &w1, &u1);
        cuzk_fr8_mul(&y3, &w2, &u3);
        add_loose(&x[j], &t2w, &y0);
        sub_loose(&x[j], &t2w, &y2);
        finish_four(x + j, h, &y0, &u1, &y2, &u3);
    }
}

/* Levels from `level` to `end` (an even number of them) of the blocks [first, last) of that level. */
static void levels(struct cuzk_fr8 *x, unsigned log_n, unsigned level, unsigned end, size_t first,
                   size_t last, const struct twiddle *twiddles)
{
    for (; level < end; level += 2, first *= 4, last *= 4) {
        const size_t h = (size_t)1 << (log_n - level - 2);
        for (size_t b = first; b < last; b++)
            four(x + 4 * h * b, h, &twiddles[b], &twiddles[2 * b], &twiddles[2 * b + 1]);
    }
}

static void transform(const struct cuzk_strip *strip, void *buffer)
{
    const struct twiddle *twiddles = strip->twiddles;
    struct cuzk_fr8 *x = buffer;
    const unsigned log_n = strip->log_n;
    const size_t n = (size_t)1 << log_n;
    unsigned level;

    load(strip, x);
    if (log_n % 2 == 1) { /* one level alone: its twiddle is one */
        for (size_t j = 0; j < n / 2; j++) {
            struct cuzk_fr8 sum, difference;
            cuzk_fr8_add(&x[j], &x[j + n / 2], &sum);
            cuzk_fr8_sub(&x[j], &x[j + n / 2], 2, &difference);
            x[j] = sum;
            x[j + n / 2] = difference;
        }
        level = 1;
    } else {
        four_first(x, n / 4, &twiddles[1]);
        level = 2;
    }
    unsigned near = level;
    while (near < log_n && log_n - near > NEAR_LOG)
        near += 2;
    levels(x, log_n, level, near, 0, (size_t)1 << level, twiddles);
    for (size_t b = 0; b < (size_t)1 << near; b++)
        levels(x, log_n, near, log_n, b, b + 1, twiddles);
    store(strip, x);
}

static void multiply(const struct cuzk_fr *a, const struct cuzk_fr *b, size_t n, struct cuzk_fr *out)
{
    size_t i = 0;

    for (; i + CUZK_FR8_LANES <= n; i += CUZK_FR8_LANES) {
        struct cuzk_fr8 x, y, z;
        cuzk_fr8_load_shifted(a + i, &x);
        cuzk_fr8_load(b + i, &y);
        cuzk_fr8_mul(&x, &y, &z);
        cuzk_fr8_reduce(&z, 1);
        cuzk_fr8_store(&z, out + i);
    }
    for (; i < n; i++)
        cuzk_fr_mul(&a[i], &b[i], &out[i]);
}

const struct cuzk_strip_kernel cuzk_strip_ifma = {
    .twiddle_bytes = sizeof(struct twiddle),
    .element_bytes = sizeof(struct cuzk_fr8),
    .prepare_twiddle = prepare_twiddle,
    .transform = transform,
    .multiply = multiply,
};
