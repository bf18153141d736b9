#include "hash/poseidon.h"

#include <pthread.h>
#include <string.h>

#include "base/cpu.h"
#include "hash/poseidon_constants.h"
#include "hash/poseidon_ifma.h"

enum { WIDTH = CUZK_POSEIDON_MAX_WIDTH };

/* The four arities, each made at its first use; the vector form at its own first use. */
static struct cuzk_poseidon instances[4];
static struct cuzk_poseidon_ifma vectors[4];
static pthread_once_t once[4] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static pthread_once_t vector_once[4] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT,
                                        PTHREAD_ONCE_INIT};

#define MAKERS(i, arity)                                                                                     \
    static void make_##arity(void)                                                                           \
    {                                                                                                        \
        cuzk_poseidon_generate(arity, &instances[i]);                                                        \
    }                                                                                                        \
    static void make_vector_##arity(void)                                                                    \
    {                                                                                                        \
        cuzk_poseidon_ifma_make(&instances[i], &vectors[i]);                                                 \
    }
MAKERS(0, 2)
MAKERS(1, 4)
MAKERS(2, 8)
MAKERS(3, 11)

/* Position of an arity in the tables, or -1. */
static int slot_of(unsigned arity)
{
    switch (arity) {
    case 2:
        return 0;
    case 4:
        return 1;
    case 8:
        return 2;
    case 11:
        return 3;
    default:
        return -1;
    }
}

const struct cuzk_poseidon *cuzk_poseidon_instance(unsigned arity)
{
    static void (*const make[4])(void) = {make_2, make_4, make_8, make_11};
    const int slot = slot_of(arity);

    if (slot < 0)
        return NULL;
    pthread_once(&once[slot], make[slot]);
    return &instances[slot];
}

const struct cuzk_poseidon_ifma *cuzk_poseidon_ifma_of(const struct cuzk_poseidon *poseidon)
{
    static void (*const make[4])(void) = {make_vector_2, make_vector_4, make_vector_8, make_vector_11};
    const ptrdiff_t slot = poseidon - instances;

    pthread_once(&vector_once[slot], make[slot]);
    return &vectors[slot];
}

void cuzk_poseidon_tag(const struct cuzk_poseidon *poseidon, enum cuzk_poseidon_tag tag, struct cuzk_fr *out)
{
    if (tag == CUZK_POSEIDON_RANDOMNESS)
        cuzk_fr_from_u64(UINT64_C(1) << 40, out);
    else
        *out = poseidon->tag;
}

static void fifth_power(struct cuzk_fr *x)
{
    struct cuzk_fr t;

    cuzk_fr_sqr(x, &t);
    cuzk_fr_sqr(&t, &t);
    cuzk_fr_mul(&t, x, x);
}

void cuzk_poseidon_multiply_dense(struct cuzk_fr *state, const struct cuzk_fr m[][WIDTH], unsigned width)
{
    struct cuzk_fr out[WIDTH], term;

    for (unsigned j = 0; j < width; j++) {
        cuzk_fr_mul(&state[0], &m[0][j], &out[j]);
        for (unsigned i = 1; i < width; i++) {
            cuzk_fr_mul(&state[i], &m[i][j], &term);
            cuzk_fr_add(&out[j], &term, &out[j]);
        }
    }
    memcpy(state, out, width * sizeof *state);
}

void cuzk_poseidon_multiply_sparse(struct cuzk_fr *state, const struct cuzk_poseidon_sparse *m,
                                   unsigned width)
{
    const struct cuzk_fr first = state[0];
    struct cuzk_fr sum, term;

    cuzk_fr_mul(&first, &m->column[0], &sum);
    for (unsigned i = 1; i < width; i++) {
        cuzk_fr_mul(&state[i], &m->column[i], &term);
        cuzk_fr_add(&sum, &term, &sum);
        cuzk_fr_mul(&first, &m->row[i - 1], &term);
        cuzk_fr_add(&state[i], &term, &state[i]);
    }
    state[0] = sum;
}

void cuzk_poseidon_permute(const struct cuzk_poseidon *poseidon, struct cuzk_fr *state)
{
    const unsigned width = poseidon->width, half = CUZK_POSEIDON_HALF_FULL_ROUNDS;
    const struct cuzk_fr *key = poseidon->compressed;

    for (unsigned i = 0; i < width; i++)
        cuzk_fr_add(&state[i], key++, &state[i]);
    for (unsigned round = 0; round < half; round++) {
        for (unsigned i = 0; i < width; i++) {
            fifth_power(&state[i]);
            cuzk_fr_add(&state[i], key++, &state[i]);
        }
        cuzk_poseidon_multiply_dense(state, round + 1 < half ? poseidon->mds : poseidon->pre_sparse, width);
    }
    for (unsigned round = 0; round < poseidon->partial_rounds; round++) {
        fifth_power(&state[0]);
        cuzk_fr_add(&state[0], key++, &state[0]);
        cuzk_poseidon_multiply_sparse(state, &poseidon->sparse[round], width);
    }
    for (unsigned round = 0; round < half; round++) {
        for (unsigned i = 0; i < width; i++) {
            fifth_power(&state[i]);
            if (round + 1 < half)
                cuzk_fr_add(&state[i], key++, &state[i]);
        }
        cuzk_poseidon_multiply_dense(state, poseidon->mds, width);
    }
}

void cuzk_poseidon_permute_plain(const struct cuzk_poseidon *poseidon, struct cuzk_fr *state)
{
    const unsigned width = poseidon->width, half = CUZK_POSEIDON_HALF_FULL_ROUNDS;
    const unsigned rounds = CUZK_POSEIDON_FULL_ROUNDS + poseidon->partial_rounds;

    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < width; i++)
            cuzk_fr_add(&state[i], &poseidon->round_constants[round * width + i], &state[i]);
        fifth_power(&state[0]);
        for (unsigned i = 1; i < width && (round < half || round >= half + poseidon->partial_rounds); i++)
            fifth_power(&state[i]);
        cuzk_poseidon_multiply_dense(state, poseidon->mds, width);
    }
}

static void hash(const struct cuzk_poseidon *poseidon, enum cuzk_poseidon_tag tag,
                 const struct cuzk_fr *inputs, struct cuzk_fr *out)
{
    struct cuzk_fr state[WIDTH];

    cuzk_poseidon_tag(poseidon, tag, &state[0]);
    memcpy(&state[1], inputs, poseidon->arity * sizeof *inputs);
    cuzk_poseidon_permute(poseidon, state);
    *out = state[1];
}

void cuzk_poseidon_hash(const struct cuzk_poseidon *poseidon, const struct cuzk_fr *inputs,
                        struct cuzk_fr *out)
{
    hash(poseidon, CUZK_POSEIDON_MERKLE, inputs, out);
}

void cuzk_poseidon_hash_many(const struct cuzk_poseidon *poseidon, const struct cuzk_fr *inputs, size_t n,
                             struct cuzk_fr *out)
{
    enum { LANES = 8 };
    const unsigned arity = poseidon->arity;
    size_t i = 0;

    if (cuzk_cpu_level() < CUZK_CPU_IFMA) {
        for (; i < n; i++)
            cuzk_poseidon_hash(poseidon, inputs + i * arity, &out[i]);
        return;
    }
    const struct cuzk_poseidon_ifma *constants = cuzk_poseidon_ifma_of(poseidon);
    for (; n - i >= LANES; i += LANES)
        cuzk_poseidon_ifma_hash8(poseidon, constants, inputs + i * arity, out + i);
    if (i < n) { /* idle lanes cost less than hashing one by one */
        struct cuzk_fr padded[LANES * CUZK_POSEIDON_MAX_ARITY], hashes[LANES];
        memset(padded, 0, sizeof padded);
        memcpy(padded, inputs + i * arity, (n - i) * arity * sizeof *padded);
        cuzk_poseidon_ifma_hash8(poseidon, constants, padded, hashes);
        memcpy(out + i, hashes, (n - i) * sizeof *hashes);
    }
}

void cuzk_poseidon_randomness(const struct cuzk_fr inputs[2], struct cuzk_fr *out)
{
    hash(cuzk_poseidon_instance(2), CUZK_POSEIDON_RANDOMNESS, inputs, out);
}
