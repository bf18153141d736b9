/* Benchmarks of transforms over Fr and of the quotient made of them. */
#ifndef CUZK_BENCH_NTT_H
#define CUZK_BENCH_NTT_H

#include "base/pool.h"
#include "base/progress.h"
#include "bench/measure.h"

enum { CUZK_BENCH_NTT_CASES = 4 };

/* Measures 2^log_n elements: to scrambled order, back from it, natural order to natural order, and a quotient
 * (six transforms). A unit is one element. Errors: ARGUMENT (log_n above 32), MEMORY (four arrays of 32 bytes
 * an element). */
enum cuzk_status cuzk_bench_ntt(struct cuzk_pool *pool, unsigned log_n, const struct cuzk_progress *progress,
                                struct cuzk_bench_result results[CUZK_BENCH_NTT_CASES],
                                struct cuzk_error *err);

#endif
