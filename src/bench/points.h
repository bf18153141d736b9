/* Points of G1 for benchmarks, as a parameter file holds them. */
#ifndef CUZK_BENCH_POINTS_H
#define CUZK_BENCH_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"

/* Fills 96 n bytes: different multiples of the generator, which repeat after 2^16. Errors: MEMORY. */
enum cuzk_status cuzk_bench_points(struct cuzk_pool *pool, size_t n, uint8_t *bytes, struct cuzk_error *err);

#endif
