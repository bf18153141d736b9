/*
 * Loops of products for the field benchmarks, one file an instruction set: `rounds` times, every operand is
 * replaced by its product with the next. The products of a round but the last do not wait for each other.
 * n is a multiple of 8, at most CUZK_BENCH_OPERANDS. _adx and _ifma need that level (base/cpu.h).
 */
#ifndef CUZK_BENCH_FIELD_LOOPS_H
#define CUZK_BENCH_FIELD_LOOPS_H

#include <stddef.h>

#include "field/fp.h"
#include "field/fr.h"

enum { CUZK_BENCH_OPERANDS = 128 };

void cuzk_bench_fp_mul_portable(struct cuzk_fp *operands, size_t n, size_t rounds);
void cuzk_bench_fp_mul_adx(struct cuzk_fp *operands, size_t n, size_t rounds);
void cuzk_bench_fp_mul_ifma(struct cuzk_fp *operands, size_t n, size_t rounds);
void cuzk_bench_fp_sqr_ifma(struct cuzk_fp *operands, size_t n, size_t rounds);
void cuzk_bench_fr_mul_portable(struct cuzk_fr *operands, size_t n, size_t rounds);
void cuzk_bench_fr_mul_ifma(struct cuzk_fr *operands, size_t n, size_t rounds);

/* One chain: each product waits for the one before. */
void cuzk_bench_fp_chain_portable(struct cuzk_fp *operands, size_t products);
void cuzk_bench_fp_chain_adx(struct cuzk_fp *operands, size_t products);

#endif
