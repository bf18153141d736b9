/* Benchmark of making the witness of one partition of any circuit. */
#ifndef CUZK_BENCH_WITNESS_H
#define CUZK_BENCH_WITNESS_H

#include "base/pool.h"
#include "base/progress.h"
#include "bench/measure.h"
#include "circuit/circuit.h"

enum { CUZK_BENCH_WITNESS_CASES = 2 };

/* Measures the partition of a circuit into memory that is fresh (page faults counted) and into
 * memory used before; a unit is one aux variable. Errors: ARGUMENT (no such circuit), MEMORY. */
enum cuzk_status cuzk_bench_witness(struct cuzk_pool *pool, const struct cuzk_circuit_id *id,
                                    const struct cuzk_progress *progress,
                                    struct cuzk_bench_result results[CUZK_BENCH_WITNESS_CASES],
                                    struct cuzk_error *err);

#endif
