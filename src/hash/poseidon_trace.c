/* The values of Poseidon's S-boxes, as circuits have them. */
#include <string.h>

#include "base/cpu.h"
#include "hash/poseidon.h"
#include "hash/poseidon_ifma.h"

enum { WIDTH = CUZK_POSEIDON_MAX_WIDTH, LANES = 8, FEW = 2 };

size_t cuzk_poseidon_trace_count(const struct cuzk_poseidon *p)
{
    const size_t full = (size_t)p->width * CUZK_POSEIDON_FULL_ROUNDS;

    /* four an S-box; without the inputs of the first round, the tag's there, and with the hash */
    return 4 * (full + p->partial_rounds) - p->width - 3 + 1;
}

/* ---- one by one ---- */

/* x -> x^5 + key (which may be NULL); returns the place behind the values. */
static struct cuzk_fr *s_box(struct cuzk_fr *x, const struct cuzk_fr *key, struct cuzk_fr *out)
{
    cuzk_fr_sqr(x, &out[0]);
    cuzk_fr_sqr(&out[0], &out[1]);
    cuzk_fr_mul(&out[1], x, x);
    if (key != NULL)
        cuzk_fr_add(x, key, x);
    out[2] = *x;
    return out + 3;
}

static void trace(const struct cuzk_poseidon *p, const struct cuzk_fr *tag, const struct cuzk_fr *inputs,
                  struct cuzk_fr *out)
{
    const unsigned width = p->width, half = CUZK_POSEIDON_HALF_FULL_ROUNDS;
    const struct cuzk_fr *key = p->compressed;
    struct cuzk_fr state[WIDTH], unused[3];

    state[0] = *tag;
    memcpy(&state[1], inputs, p->arity * sizeof *inputs);
    for (unsigned i = 0; i < width; i++)
        cuzk_fr_add(&state[i], key++, &state[i]);
    s_box(&state[0], key++, unused);
    for (unsigned i = 1; i < width; i++)
        out = s_box(&state[i], key++, out);
    cuzk_poseidon_multiply_dense(state, p->mds, width);
    for (unsigned round = 1; round < half; round++) {
        for (unsigned i = 0; i < width; i++) {
            *out++ = state[i];
            out = s_box(&state[i], key++, out);
        }
        cuzk_poseidon_multiply_dense(state, round + 1 < half ? p->mds : p->pre_sparse, width);
    }
    for (unsigned round = 0; round < p->partial_rounds; round++) {
        *out++ = state[0];
        out = s_box(&state[0], key++, out);
        cuzk_poseidon_multiply_sparse(state, &p->sparse[round], width);
    }
    for (unsigned round = 0; round < half; round++) {
        for (unsigned i = 0; i < width; i++) {
            *out++ = state[i];
            out = s_box(&state[i], round + 1 < half ? key++ : NULL, out);
        }
        cuzk_poseidon_multiply_dense(state, p->mds, width);
    }
    *out = state[1];
}

/* ---- many ---- */

/* The last few: idle lanes do what the first does. */
static void trace_rest(const struct cuzk_poseidon *p, const struct cuzk_poseidon_ifma *constants,
                       const struct cuzk_fr *tag, const struct cuzk_fr *inputs, size_t n,
                       struct cuzk_fr *const *out)
{
    struct cuzk_fr padded[LANES * CUZK_POSEIDON_MAX_ARITY], *places[LANES];

    for (size_t i = 0; i < LANES; i++) {
        const size_t from = i < n ? i : 0;
        memcpy(padded + i * p->arity, inputs + from * p->arity, p->arity * sizeof *padded);
        places[i] = out[from];
    }
    cuzk_poseidon_ifma_trace8(p, constants, tag, padded, places);
}

void cuzk_poseidon_trace_many(const struct cuzk_poseidon *p, enum cuzk_poseidon_tag tag,
                              const struct cuzk_fr *inputs, size_t n, struct cuzk_fr *const *out)
{
    struct cuzk_fr tag_value;
    size_t i = 0;

    cuzk_poseidon_tag(p, tag, &tag_value);
    if (cuzk_cpu_level() >= CUZK_CPU_IFMA && n > FEW) {
        const struct cuzk_poseidon_ifma *constants = cuzk_poseidon_ifma_of(p);
        for (; n - i >= LANES; i += LANES)
            cuzk_poseidon_ifma_trace8(p, constants, &tag_value, inputs + i * p->arity, out + i);
        if (n - i > FEW) {
            trace_rest(p, constants, &tag_value, inputs + i * p->arity, n - i, out + i);
            return;
        }
    }
    for (; i < n; i++)
        trace(p, &tag_value, inputs + i * p->arity, out[i]);
}
