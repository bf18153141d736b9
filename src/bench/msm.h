/* Benchmarks of multi-scalar multiplication and of fixed-base multiplication. */
#ifndef CUZK_BENCH_MSM_H
#define CUZK_BENCH_MSM_H

#include "base/pool.h"
#include "base/progress.h"
#include "bench/measure.h"
#include "curve/g1.h"
#include "curve/g2.h"

enum { CUZK_BENCH_MSM_CASES = 8 };

/* Measures 2^log_n points of G1, and of G2 where log_n is at most 22: random scalars over points in memory
 * and over a parameter file's bytes, bits, and fixed-base products. A unit is one point. Errors: ARGUMENT
 * (log_n above 26), MEMORY (about 600 bytes a point). */
enum cuzk_status cuzk_bench_msm(struct cuzk_pool *pool, unsigned log_n, const struct cuzk_progress *progress,
                                struct cuzk_bench_result results[CUZK_BENCH_MSM_CASES], size_t *count,
                                struct cuzk_error *err);

/* Random-looking scalars below r and multiples of the generators, the same in every run. */
void cuzk_bench_msm_scalars(uint64_t seed, size_t n, uint64_t (*scalars)[4]);
enum cuzk_status cuzk_bench_msm_bases(struct cuzk_pool *pool, size_t n, struct cuzk_g1_affine *g1,
                                      struct cuzk_g2_affine *g2, struct cuzk_error *err);

#endif
