/* Compiled with CUZK_FP_ADX and CUZK_ADX_FLAGS. */
#include "bench/field_loops.h"

void cuzk_bench_fp_mul_adx(struct cuzk_fp *operands, size_t n, size_t rounds)
{
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < n; i++)
            cuzk_fp_mul(&operands[i], &operands[i + 1 < n ? i + 1 : 0], &operands[i]);
}

void cuzk_bench_fp_chain_adx(struct cuzk_fp *operands, size_t products)
{
    for (size_t i = 0; i < products; i++)
        cuzk_fp_mul(&operands[0], &operands[1], &operands[0]);
}
