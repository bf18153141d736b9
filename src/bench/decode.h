/* Benchmark of reading and checking a C1 output, one of a synthetic sector. */
#ifndef CUZK_BENCH_DECODE_H
#define CUZK_BENCH_DECODE_H

#include <stdint.h>

#include "base/pool.h"
#include "base/progress.h"
#include "bench/measure.h"

enum { CUZK_BENCH_DECODE_CASES = 4 };

/* Measures, for the C1 output of a sector size (bytes): decoding the plain and the wrapped text (one thread,
 * a unit is a byte of it), writing the text, and the vanilla check (over the pool, a unit is a challenge).
 * Errors: ARGUMENT (no such size), MEMORY. */
enum cuzk_status cuzk_bench_decode(struct cuzk_pool *pool, uint64_t sector_size,
                                   const struct cuzk_progress *progress,
                                   struct cuzk_bench_result results[CUZK_BENCH_DECODE_CASES],
                                   struct cuzk_error *err);

#endif
