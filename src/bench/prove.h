/* Benchmark of whole proofs of one PoRep partition: the values of a synthetic sector, real parameters. */
#ifndef CUZK_BENCH_PROVE_H
#define CUZK_BENCH_PROVE_H

#include <stdint.h>

#include "backend/backend.h"
#include "base/pool.h"
#include "base/progress.h"
#include "bench/measure.h"

/* The whole, then its stages: witness, evaluation, quotient, the sums over h, l, a, b_g1, b_g2, the end. */
enum { CUZK_BENCH_PROVE_CASES = 1 + 3 + CUZK_QUERIES + 1 };

/* Proves the partition of a sector size (bytes) `proofs` times (at least once, after one proof that is not
 * counted), with the parameters of a file. A unit is one proof. anonymous_bytes: the most memory held through
 * base/mem.h. Errors: those of the prover. */
enum cuzk_status cuzk_bench_prove(struct cuzk_pool *pool, struct cuzk_backend *backend, uint64_t sector_size,
                                  const char *params_path, unsigned proofs,
                                  const struct cuzk_progress *progress,
                                  struct cuzk_bench_result results[CUZK_BENCH_PROVE_CASES],
                                  uint64_t *anonymous_bytes, struct cuzk_error *err);

#endif
