/* Benchmark of what deriving a key does beside its transforms: a circuit's C by columns, times points
 * (groth16/fold.h). */
#ifndef CUZK_BENCH_FOLD_H
#define CUZK_BENCH_FOLD_H

#include "bench/measure.h"
#include "circuit/circuit.h"

/* Sorting C by columns, the columns of public inputs (a unit is a term), those of aux variables (a unit is a
 * variable). */
enum { CUZK_BENCH_FOLD_CASES = 3 };

/* Each once, over points that repeat after 2^16. Errors: MEMORY (96 bytes a row, eight a term of C and a
 * variable), CANCELLED. */
enum cuzk_status cuzk_bench_fold(struct cuzk_pool *pool, const struct cuzk_circuit_id *id,
                                 const struct cuzk_progress *progress,
                                 struct cuzk_bench_result results[CUZK_BENCH_FOLD_CASES],
                                 struct cuzk_error *err);

#endif
