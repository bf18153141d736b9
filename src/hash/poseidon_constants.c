#include "hash/poseidon_constants.h"

#include <string.h>

enum { WIDTH = CUZK_POSEIDON_MAX_WIDTH };

typedef struct cuzk_fr matrix[WIDTH][WIDTH];

/* ---- Grain LFSR: 80 bits, bit 0 is the oldest ---- */

struct grain {
    uint8_t bit[80];
    unsigned at; /* position of the oldest bit in the ring */
};

static unsigned grain_step(struct grain *g)
{
    static const unsigned taps[6] = {62, 51, 38, 23, 13, 0};
    unsigned v = 0;

    for (int i = 0; i < 6; i++)
        v ^= g->bit[(g->at + taps[i]) % 80];
    g->bit[g->at] = (uint8_t)v;
    g->at = (g->at + 1) % 80;
    return v;
}

/* Bits come in pairs: the second is kept where the first is 1. */
static unsigned grain_bit(struct grain *g)
{
    while (grain_step(g) == 0)
        (void)grain_step(g);
    return grain_step(g);
}

static void grain_push(struct grain *g, unsigned *n, unsigned value, unsigned bits)
{
    while (bits-- > 0)
        g->bit[(*n)++] = value >> bits & 1;
}

static void grain_init(struct grain *g, unsigned width, unsigned partial_rounds)
{
    unsigned n = 0;

    grain_push(g, &n, 1, 2); /* prime field */
    grain_push(g, &n, 1, 4); /* S-box kind that Filecoin's instances were made with */
    grain_push(g, &n, CUZK_FR_BITS, 12);
    grain_push(g, &n, width, 12);
    grain_push(g, &n, CUZK_POSEIDON_FULL_ROUNDS, 10);
    grain_push(g, &n, partial_rounds, 10);
    while (n < 80)
        g->bit[n++] = 1;
    g->at = 0;
    for (int i = 0; i < 160; i++)
        (void)grain_step(g);
}

/* 255 bits, most significant first, drawn again while not below r. */
static void grain_element(struct grain *g, struct cuzk_fr *out)
{
    uint64_t words[CUZK_FR_LIMBS];

    do {
        memset(words, 0, sizeof words);
        for (int i = CUZK_FR_BITS; i-- > 0;)
            words[i / 64] |= (uint64_t)grain_bit(g) << (i % 64);
    } while (!cuzk_fr_words_are_reduced(words));
    cuzk_fr_from_words(words, out);
}

/* ---- matrices: the leading n x n part of `matrix` ---- */

static void multiply(matrix a, matrix b, unsigned n, matrix out)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            struct cuzk_fr sum, term;
            cuzk_fr_zero(&sum);
            for (unsigned k = 0; k < n; k++) {
                cuzk_fr_mul(&a[i][k], &b[k][j], &term);
                cuzk_fr_add(&sum, &term, &sum);
            }
            out[i][j] = sum;
        }
}

/* row vector times matrix; out must not be v */
static void apply(const struct cuzk_fr *v, matrix m, unsigned n, struct cuzk_fr *out)
{
    for (unsigned j = 0; j < n; j++) {
        struct cuzk_fr sum, term;
        cuzk_fr_zero(&sum);
        for (unsigned i = 0; i < n; i++) {
            cuzk_fr_mul(&v[i], &m[i][j], &term);
            cuzk_fr_add(&sum, &term, &sum);
        }
        out[j] = sum;
    }
}

/* Gauss-Jordan. The matrices here are minors of products of Cauchy matrices: always invertible. */
static void invert(matrix in, unsigned n, matrix out)
{
    matrix m;

    memcpy(m, in, sizeof m);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            if (i == j)
                cuzk_fr_one(&out[i][j]);
            else
                cuzk_fr_zero(&out[i][j]);
        }
    for (unsigned c = 0; c < n; c++) {
        unsigned pivot = c;
        while (pivot + 1 < n && cuzk_fr_is_zero(&m[pivot][c]))
            pivot++;
        for (unsigned j = 0; j < n && pivot != c; j++) {
            const struct cuzk_fr t = m[c][j], u = out[c][j];
            m[c][j] = m[pivot][j];
            out[c][j] = out[pivot][j];
            m[pivot][j] = t;
            out[pivot][j] = u;
        }
        struct cuzk_fr scale;
        cuzk_fr_inverse(&m[c][c], &scale);
        for (unsigned j = 0; j < n; j++) {
            cuzk_fr_mul(&m[c][j], &scale, &m[c][j]);
            cuzk_fr_mul(&out[c][j], &scale, &out[c][j]);
        }
        for (unsigned i = 0; i < n; i++) {
            const struct cuzk_fr factor = m[i][c];
            if (i == c || cuzk_fr_is_zero(&factor))
                continue;
            for (unsigned j = 0; j < n; j++) {
                struct cuzk_fr t;
                cuzk_fr_mul(&factor, &m[c][j], &t);
                cuzk_fr_sub(&m[i][j], &t, &m[i][j]);
                cuzk_fr_mul(&factor, &out[c][j], &t);
                cuzk_fr_sub(&out[i][j], &t, &out[i][j]);
            }
        }
    }
}

static void make_mds(unsigned width, matrix out)
{
    for (unsigned i = 0; i < width; i++)
        for (unsigned j = 0; j < width; j++) {
            cuzk_fr_from_u64(i + j + width, &out[i][j]);
            cuzk_fr_inverse(&out[i][j], &out[i][j]);
        }
}

/*
 * m = m' * m'' with m' = [1 0; 0 M] (M the minor without first row and column) and m'' sparse: first row that
 * of m, first column m[0][0] and M^-1 times the column of m, else identity. m' commutes with an S-box of
 * element 0 alone, so it joins the matrix of the round before; done once a partial round, from the last to
 * the first.
 */
static void make_sparse(struct cuzk_poseidon *p)
{
    const unsigned w = p->width;
    matrix current, next, minor, inverse;

    memcpy(current, p->mds, sizeof current);
    for (unsigned round = p->partial_rounds; round-- > 0;) {
        struct cuzk_poseidon_sparse *sparse = &p->sparse[round];
        memset(minor, 0, sizeof minor);
        for (unsigned i = 1; i < w; i++)
            for (unsigned j = 1; j < w; j++)
                minor[i - 1][j - 1] = current[i][j];
        invert(minor, w - 1, inverse);
        sparse->column[0] = current[0][0];
        for (unsigned i = 1; i < w; i++) {
            struct cuzk_fr term;
            cuzk_fr_zero(&sparse->column[i]);
            for (unsigned k = 1; k < w; k++) {
                cuzk_fr_mul(&inverse[i - 1][k - 1], &current[k][0], &term);
                cuzk_fr_add(&sparse->column[i], &term, &sparse->column[i]);
            }
            sparse->row[i - 1] = current[0][i];
        }
        for (unsigned i = 0; i < w; i++) {
            cuzk_fr_zero(&current[0][i]);
            cuzk_fr_zero(&current[i][0]);
        }
        cuzk_fr_one(&current[0][0]);
        multiply(p->mds, current, w, next);
        memcpy(current, next, sizeof current);
    }
    memcpy(p->pre_sparse, current, sizeof current);
}

/* Constants of a round are moved before the matrix of the round before by the inverse matrix; in partial
 * rounds only element 0 stays there and the rest moves further up. */
static void compress_constants(struct cuzk_poseidon *p)
{
    const unsigned w = p->width, half = CUZK_POSEIDON_HALF_FULL_ROUNDS;
    const struct cuzk_fr *keys = p->round_constants;
    struct cuzk_fr *out = p->compressed, acc[WIDTH], moved[WIDTH];
    matrix inverse;

    memset(inverse, 0, sizeof inverse);
    invert(p->mds, w, inverse);
    memcpy(out, keys, w * sizeof *out);
    out += w;
    for (unsigned i = 1; i < half; i++, out += w)
        apply(keys + i * w, inverse, w, out);
    struct cuzk_fr *partial = out + w;
    memcpy(acc, keys + (half + p->partial_rounds) * w, w * sizeof *acc);
    for (unsigned i = p->partial_rounds; i-- > 0;) {
        apply(acc, inverse, w, moved);
        partial[i] = moved[0];
        cuzk_fr_zero(&moved[0]);
        for (unsigned j = 0; j < w; j++)
            cuzk_fr_add(&moved[j], &keys[(half + i) * w + j], &acc[j]);
    }
    apply(acc, inverse, w, out);
    out = partial + p->partial_rounds;
    for (unsigned i = 1; i < half; i++, out += w)
        apply(keys + (half + p->partial_rounds + i) * w, inverse, w, out);
    p->compressed_count = (size_t)(out - p->compressed);
}

void cuzk_poseidon_generate(unsigned arity, struct cuzk_poseidon *out)
{
    struct grain grain;

    memset(out, 0, sizeof *out);
    out->arity = arity;
    out->width = arity + 1;
    out->partial_rounds = arity == 2 ? 55 : arity == 4 ? 56 : 57;
    cuzk_fr_from_u64((UINT64_C(1) << arity) - 1, &out->tag);
    grain_init(&grain, out->width, out->partial_rounds);
    for (unsigned i = 0; i < (CUZK_POSEIDON_FULL_ROUNDS + out->partial_rounds) * out->width; i++)
        grain_element(&grain, &out->round_constants[i]);
    make_mds(out->width, out->mds);
    make_sparse(out);
    compress_constants(out);
}
