/* Benchmark of transforms of points, what deriving a key takes most of its time for (groth16/derive.h). */
#ifndef CUZK_BENCH_POINT_NTT_H
#define CUZK_BENCH_POINT_NTT_H

#include "backend/backend.h"
#include "bench/measure.h"

/* One transform of 2^log_n points, host memory to host memory, after none that is not counted: it takes
 * seconds at 2^20 and minutes at 2^27. The points repeat after 2^16. A unit is a product of a point by a
 * scalar, 2^log_n (log_n / 2
 * + 1) of them. Errors: UNSUPPORTED (the backend has no such transform), MEMORY (192 bytes a point on the
 * host), CANCELLED, the backend's own. */
enum cuzk_status cuzk_bench_point_ntt(struct cuzk_backend *backend, unsigned log_n,
                                      const struct cuzk_progress *progress, struct cuzk_bench_result *out,
                                      struct cuzk_error *err);

#endif
