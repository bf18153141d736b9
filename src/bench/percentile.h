/* The smallest of some values that a share of them does not exceed (nearest rank). */
#ifndef CUZK_BENCH_PERCENTILE_H
#define CUZK_BENCH_PERCENTILE_H

#include <stdint.h>

enum { CUZK_PERCENTILES = 3 };

/* Sorts n > 0 values, ascending; out: for 50, 90 and 99 in a hundred. */
void cuzk_bench_percentiles(double *values, uint32_t n, double out[CUZK_PERCENTILES]);

#endif
