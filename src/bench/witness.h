/* Benchmark of making the witness of one PoRep partition, from the values of a synthetic sector. */
#ifndef CUZK_BENCH_WITNESS_H
#define CUZK_BENCH_WITNESS_H

#include <stdint.h>

#include "base/pool.h"
#include "base/progress.h"
#include "bench/measure.h"

enum { CUZK_BENCH_WITNESS_CASES = 2 };

/* Measures the partition of a sector size (bytes) into memory that is fresh (page faults counted) and into
 * memory used before; a unit is one aux variable. Errors: ARGUMENT (no such size), MEMORY. */
enum cuzk_status cuzk_bench_witness(struct cuzk_pool *pool, uint64_t sector_size,
                                    const struct cuzk_progress *progress,
                                    struct cuzk_bench_result results[CUZK_BENCH_WITNESS_CASES],
                                    struct cuzk_error *err);

#endif
