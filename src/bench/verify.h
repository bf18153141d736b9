/* Benchmarks of Groth16 verification. */
#ifndef CUZK_BENCH_VERIFY_H
#define CUZK_BENCH_VERIFY_H

#include "base/pool.h"
#include "base/progress.h"
#include "bench/measure.h"

enum { CUZK_BENCH_VERIFY_CASES = 4 };

/* Preparing a key of `inputs` public inputs; decoding a proof; verifying it, decoding included; verifying
 * `batch` proofs at once on the pool's threads. Key and proofs are made here from random numbers whose
 * relations are known, so that they hold without a circuit; three public inputs are full-size and the others
 * small, as those of a PoRep are. */
enum cuzk_status cuzk_bench_verify(struct cuzk_pool *pool, size_t inputs, size_t batch,
                                   const struct cuzk_progress *progress,
                                   struct cuzk_bench_result results[CUZK_BENCH_VERIFY_CASES],
                                   struct cuzk_error *err);

#endif
