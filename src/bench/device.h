/* Benchmarks of a CUDA device's operations alone, data resident, beside published figures of the same card.
 */
#ifndef CUZK_BENCH_DEVICE_H
#define CUZK_BENCH_DEVICE_H

#include "backend/backend.h"
#include "base/progress.h"
#include "bench/measure.h"

enum cuzk_bench_device { CUZK_BENCH_DEVICE_NTT, CUZK_BENCH_DEVICE_MSM };

enum { CUZK_BENCH_DEVICE_CASES = 4 };

/* Transforms and the quotient, or sums, of 2^log_n elements; three runs each. A unit is one element. peer_ms:
 * the best public kernel's time of that size on an H200, 0 where none was published. Errors: those of
 * backend/cuda/measure.h. */
enum cuzk_status cuzk_bench_device(struct cuzk_backend *backend, enum cuzk_bench_device what, unsigned log_n,
                                   const struct cuzk_progress *progress,
                                   struct cuzk_bench_result results[CUZK_BENCH_DEVICE_CASES],
                                   double peer_ms[CUZK_BENCH_DEVICE_CASES], size_t *count,
                                   struct cuzk_error *err);

#endif
