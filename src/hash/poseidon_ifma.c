/*
 * The permutation of poseidon.c over eight states, everything in the 2^260 form. Numbers are not kept below
 * r; their sizes, in multiples of r, with 2^260 = 35.3 r:
 *   - constants are below 1, inputs below 16, the first state below 17;
 *   - an S-box makes less than 2.7 of anything below 17, and a key adds less than 1;
 *   - a matrix row sums up to 12 products before one reduction: below 12 * 3.7 / 35.3 + 1 < 2.3;
 *   - in partial rounds elements 1.. grow by less than 1.1 each round and are brought below 1 every
 *     ROUNDS_BETWEEN rounds: they stay below 16, and element 0 below 12 * 16 / 35.3 + 1 < 7.
 */
#include "hash/poseidon_ifma.h"

#include <string.h>

#include "field/fr_ifma.h"

enum { WIDTH = CUZK_POSEIDON_MAX_WIDTH, LIMBS = CUZK_FR8_LIMBS, ROUNDS_BETWEEN = 10 };

static void convert(const struct cuzk_fr *in, uint64_t out[LIMBS])
{
    struct cuzk_fr v = *in;

    for (int i = 0; i < 4; i++) /* times 2^4 */
        cuzk_fr_double(&v, &v);
    out[0] = v.l[0] & CUZK_FR8_MASK;
    out[1] = (v.l[0] >> 52 | v.l[1] << 12) & CUZK_FR8_MASK;
    out[2] = (v.l[1] >> 40 | v.l[2] << 24) & CUZK_FR8_MASK;
    out[3] = (v.l[2] >> 28 | v.l[3] << 36) & CUZK_FR8_MASK;
    out[4] = v.l[3] >> 16;
}

void cuzk_poseidon_ifma_make(const struct cuzk_poseidon *poseidon, struct cuzk_poseidon_ifma *out)
{
    for (size_t i = 0; i < poseidon->compressed_count; i++)
        convert(&poseidon->compressed[i], out->compressed[i]);
    for (unsigned i = 0; i < poseidon->width; i++)
        for (unsigned j = 0; j < poseidon->width; j++) {
            convert(&poseidon->mds[i][j], out->mds[i][j]);
            convert(&poseidon->pre_sparse[i][j], out->pre_sparse[i][j]);
        }
    for (unsigned round = 0; round < poseidon->partial_rounds; round++)
        for (unsigned i = 0; i < poseidon->width; i++) {
            convert(&poseidon->sparse[round].column[i], out->sparse[round].column[i]);
            if (i > 0)
                convert(&poseidon->sparse[round].row[i - 1], out->sparse[round].row[i - 1]);
        }
}

CUZK_FR8_FN void clear(__m512i t[2 * LIMBS])
{
#pragma GCC unroll 16
    for (int i = 0; i < 2 * LIMBS; i++)
        t[i] = _mm512_setzero_si512();
}

/* t += a * constant, not reduced */
CUZK_FR8_FN void multiply_add(const struct cuzk_fr8 *a, const uint64_t constant[LIMBS], __m512i t[2 * LIMBS])
{
#pragma GCC unroll 8
    for (int j = 0; j < LIMBS; j++) {
        const __m512i b = _mm512_set1_epi64((long long)constant[j]);
#pragma GCC unroll 8
        for (int i = 0; i < LIMBS; i++) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a->l[i], b);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a->l[i], b);
        }
    }
}

CUZK_FR8_FN void add_constant(struct cuzk_fr8 *a, const uint64_t constant[LIMBS])
{
#pragma GCC unroll 8
    for (int i = 0; i < LIMBS; i++)
        a->l[i] = _mm512_add_epi64(a->l[i], _mm512_set1_epi64((long long)constant[i]));
    cuzk_fr8_carry(a);
}

/* Where the values of S-boxes go, one hash a lane. */
struct trace {
    struct cuzk_fr *const *out;
    size_t at;
};

static __attribute__((noinline)) void put(struct trace *trace, const struct cuzk_fr8 *value)
{
    __m512i words[CUZK_FR_LIMBS];

    cuzk_fr8_leave_to_words(value, words);
    cuzk_fr8_scatter_words(words, trace->out, trace->at++);
}

/* x -> x^5 + key; the trace may be NULL. */
static __attribute__((noinline)) void s_box(struct cuzk_fr8 *x, const uint64_t key[LIMBS],
                                            struct trace *trace)
{
    struct cuzk_fr8 square, fourth;

    cuzk_fr8_sqr(x, &square);
    cuzk_fr8_sqr(&square, &fourth);
    cuzk_fr8_mul(&fourth, x, x);
    if (key != NULL)
        add_constant(x, key);
    if (trace == NULL)
        return;
    put(trace, &square);
    put(trace, &fourth);
    put(trace, x);
}

static __attribute__((noinline)) void multiply_dense(struct cuzk_fr8 *state, const uint64_t m[][WIDTH][LIMBS],
                                                     unsigned width)
{
    struct cuzk_fr8 out[WIDTH];

    for (unsigned j = 0; j < width; j++) {
        __m512i t[2 * LIMBS];
        clear(t);
        for (unsigned i = 0; i < width; i++)
            multiply_add(&state[i], m[i][j], t);
        cuzk_fr8_reduce_product(t, &out[j]);
    }
    memcpy(state, out, width * sizeof *out);
}

static __attribute__((noinline)) void partial_rounds(struct cuzk_fr8 *state, const struct cuzk_poseidon *p,
                                                     const struct cuzk_poseidon_ifma *constants,
                                                     const uint64_t (*key)[LIMBS], struct trace *trace)
{
    for (unsigned round = 0; round < p->partial_rounds; round++) {
        __m512i t[2 * LIMBS];
        clear(t); /* the part that does not wait for the S-box comes first */
        for (unsigned i = 1; i < p->width; i++)
            multiply_add(&state[i], constants->sparse[round].column[i], t);
        if (trace != NULL)
            put(trace, &state[0]);
        s_box(&state[0], *key++, trace);
        const struct cuzk_fr8 first = state[0];
        multiply_add(&first, constants->sparse[round].column[0], t);
        cuzk_fr8_reduce_product(t, &state[0]);
        for (unsigned i = 1; i < p->width; i++) {
            clear(t);
            multiply_add(&first, constants->sparse[round].row[i - 1], t);
#pragma GCC unroll 8
            for (int k = 0; k < LIMBS; k++)
                t[LIMBS + k] = _mm512_add_epi64(t[LIMBS + k], state[i].l[k]);
            cuzk_fr8_reduce_product(t, &state[i]);
        }
        if (round % ROUNDS_BETWEEN == ROUNDS_BETWEEN - 1 || round + 1 == p->partial_rounds)
            for (unsigned i = 1; i < p->width; i++)
                cuzk_fr8_reduce(&state[i], 8);
    }
}

/* Tag and inputs of eight hashes, inputs one behind the other. */
static void load(const struct cuzk_poseidon *p, const struct cuzk_fr *tag, const struct cuzk_fr *inputs,
                 struct cuzk_fr8 state[WIDTH])
{
    struct cuzk_fr lanes[8];
    uint64_t limbs[LIMBS];

    convert(tag, limbs);
    for (int k = 0; k < LIMBS; k++)
        state[0].l[k] = _mm512_set1_epi64((long long)limbs[k]);
    for (unsigned i = 1; i < p->width; i++) {
        for (unsigned lane = 0; lane < 8; lane++)
            lanes[lane] = inputs[lane * p->arity + i - 1];
        cuzk_fr8_load_shifted(lanes, &state[i]);
    }
}

static void permute(const struct cuzk_poseidon *p, const struct cuzk_poseidon_ifma *constants,
                    struct cuzk_fr8 *state, struct trace *trace)
{
    const unsigned width = p->width, half = CUZK_POSEIDON_HALF_FULL_ROUNDS;
    const uint64_t(*key)[LIMBS] = constants->compressed;

    for (unsigned i = 0; i < width; i++)
        add_constant(&state[i], *key++);
    for (unsigned round = 0; round < half; round++) {
        for (unsigned i = 0; i < width; i++) {
            if (trace != NULL && round > 0)
                put(trace, &state[i]);
            s_box(&state[i], *key++, round == 0 && i == 0 ? NULL : trace);
        }
        multiply_dense(state, round + 1 < half ? constants->mds : constants->pre_sparse, width);
    }
    partial_rounds(state, p, constants, key, trace);
    key += p->partial_rounds;
    for (unsigned round = 0; round < half; round++) {
        for (unsigned i = 0; i < width; i++) {
            if (trace != NULL)
                put(trace, &state[i]);
            s_box(&state[i], round + 1 < half ? *key++ : NULL, trace);
        }
        multiply_dense(state, constants->mds, width);
    }
}

void cuzk_poseidon_ifma_hash8(const struct cuzk_poseidon *p, const struct cuzk_poseidon_ifma *constants,
                              const struct cuzk_fr *inputs, struct cuzk_fr out[8])
{
    struct cuzk_fr8 state[WIDTH];
    __m512i words[CUZK_FR_LIMBS];

    load(p, &p->tag, inputs, state);
    permute(p, constants, state, NULL);
    cuzk_fr8_leave_to_words(&state[1], words);
    cuzk_fr8_store_words(words, out);
}

void cuzk_poseidon_ifma_trace8(const struct cuzk_poseidon *p, const struct cuzk_poseidon_ifma *constants,
                               const struct cuzk_fr *tag, const struct cuzk_fr *inputs,
                               struct cuzk_fr *const out[8])
{
    struct trace trace = {.out = out};
    struct cuzk_fr8 state[WIDTH];

    load(p, tag, inputs, state);
    permute(p, constants, state, &trace);
    put(&trace, &state[1]);
}
