/* Compiled with CUZK_IFMA_FLAGS. Operands go through the lanes eight neighbours at a time. */
#include "bench/field_loops.h"
#include "field/fp_ifma.h"
#include "field/fr_ifma.h"

enum { VECTORS = CUZK_BENCH_OPERANDS / 8 };

static void load(const struct cuzk_fp *operands, size_t vectors, struct cuzk_fp8 *out)
{
    for (size_t i = 0; i < vectors; i++) {
        const struct cuzk_fp *from[CUZK_FP8_LANES];
        for (size_t l = 0; l < CUZK_FP8_LANES; l++)
            from[l] = &operands[i * CUZK_FP8_LANES + l];
        cuzk_fp8_load(from, &out[i]);
    }
}

static void store(const struct cuzk_fp8 *vector, size_t vectors, struct cuzk_fp *operands)
{
    for (size_t i = 0; i < vectors; i++) {
        struct cuzk_fp *to[CUZK_FP8_LANES];
        for (size_t l = 0; l < CUZK_FP8_LANES; l++)
            to[l] = &operands[i * CUZK_FP8_LANES + l];
        cuzk_fp8_store(&vector[i], to);
    }
}

void cuzk_bench_fp_mul_ifma(struct cuzk_fp *operands, size_t n, size_t rounds)
{
    const size_t vectors = n / CUZK_FP8_LANES;
    struct cuzk_fp8 v[VECTORS];

    load(operands, vectors, v);
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < vectors; i++)
            cuzk_fp8_mul(&v[i], &v[i + 1 < vectors ? i + 1 : 0], &v[i]);
    store(v, vectors, operands);
}

void cuzk_bench_fp_sqr_ifma(struct cuzk_fp *operands, size_t n, size_t rounds)
{
    const size_t vectors = n / CUZK_FP8_LANES;
    struct cuzk_fp8 v[VECTORS];

    load(operands, vectors, v);
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < vectors; i++)
            cuzk_fp8_sqr(&v[i], &v[i]);
    store(v, vectors, operands);
}

void cuzk_bench_fr_mul_ifma(struct cuzk_fr *operands, size_t n, size_t rounds)
{
    const size_t vectors = n / CUZK_FR8_LANES;
    struct cuzk_fr8 v[VECTORS];

    for (size_t i = 0; i < vectors; i++)
        cuzk_fr8_load(&operands[i * CUZK_FR8_LANES], &v[i]);
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < vectors; i++)
            cuzk_fr8_mul(&v[i], &v[i + 1 < vectors ? i + 1 : 0], &v[i]);
    for (size_t i = 0; i < vectors; i++) {
        cuzk_fr8_reduce(&v[i], 1);
        cuzk_fr8_store(&v[i], &operands[i * CUZK_FR8_LANES]);
    }
}
