/* Benchmarks of field arithmetic on one thread. */
#ifndef CUZK_BENCH_FIELD_H
#define CUZK_BENCH_FIELD_H

#include "base/progress.h"
#include "bench/measure.h"

enum { CUZK_BENCH_FIELD_CASES = 12 };

/* Measures every case that this processor can run; count tells how many there are. */
enum cuzk_status cuzk_bench_field(const struct cuzk_progress *progress,
                                  struct cuzk_bench_result results[CUZK_BENCH_FIELD_CASES], size_t *count,
                                  struct cuzk_error *err);

#endif
