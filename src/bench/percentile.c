#include "bench/percentile.h"

#include <stdlib.h>

static int by_size(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

void cuzk_bench_percentiles(double *values, uint32_t n, double out[CUZK_PERCENTILES])
{
    static const unsigned shares[CUZK_PERCENTILES] = {50, 90, 99};

    qsort(values, n, sizeof *values, by_size);
    for (int i = 0; i < CUZK_PERCENTILES; i++) {
        const uint64_t rank = ((uint64_t)shares[i] * n + 99) / 100;

        out[i] = values[rank > 0 ? rank - 1 : 0];
    }
}
