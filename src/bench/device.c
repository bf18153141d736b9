#include "bench/device.h"

#include <stdio.h>

#include "backend/cuda/measure.h"

enum { ROUNDS = 3, MOST_G2 = 24 };

/* sppark on one H200, data resident (docs/performance.md). */
static const struct {
    enum cuzk_cuda_work work;
    unsigned log_n;
    double ms;
} peers[] = {
    {CUZK_CUDA_MSM_G1, 22, 53.2},   {CUZK_CUDA_MSM_G1, 24, 154.9},  {CUZK_CUDA_MSM_G1, 26, 558.5},
    {CUZK_CUDA_MSM_G1, 27, 1025},   {CUZK_CUDA_NTT_DOWN, 22, 1.12}, {CUZK_CUDA_NTT_DOWN, 24, 4.73},
    {CUZK_CUDA_NTT_DOWN, 26, 23.8}, {CUZK_CUDA_NTT_DOWN, 27, 44.4}, {CUZK_CUDA_QUOTIENT, 26, 171},
    {CUZK_CUDA_QUOTIENT, 27, 331},  {CUZK_CUDA_BITS_G1, 24, 4.45},  {CUZK_CUDA_BITS_G1, 26, 17.1},
    {CUZK_CUDA_BITS_G2, 24, 12.5},  {CUZK_CUDA_BITS_G2, 26, 48.3},
};

static double peer_of(enum cuzk_cuda_work work, unsigned log_n)
{
    for (size_t k = 0; k < sizeof peers / sizeof peers[0]; k++)
        if (peers[k].work == work && peers[k].log_n == log_n)
            return peers[k].ms;
    return 0;
}

enum cuzk_status cuzk_bench_device(struct cuzk_backend *backend, enum cuzk_bench_device what, unsigned log_n,
                                   const struct cuzk_progress *progress,
                                   struct cuzk_bench_result results[CUZK_BENCH_DEVICE_CASES],
                                   double peer_ms[CUZK_BENCH_DEVICE_CASES], size_t *count,
                                   struct cuzk_error *err)
{
    const bool ntt = what == CUZK_BENCH_DEVICE_NTT;
    const enum cuzk_cuda_work first = ntt ? CUZK_CUDA_NTT_DOWN : CUZK_CUDA_MSM_G1,
                              last = ntt ? CUZK_CUDA_QUOTIENT : CUZK_CUDA_BITS_G2;

    *count = 0;
    for (int work = first; work <= (int)last; work++) {
        uint64_t ns[ROUNDS];
        char name[64];
        if (work == CUZK_CUDA_MSM_G2 && log_n > MOST_G2)
            continue;
        CUZK_TRY(cuzk_progress_check(progress, err));
        snprintf(name, sizeof name, "2^%u %s", log_n, cuzk_cuda_work_name((enum cuzk_cuda_work)work));
        cuzk_progress_report(progress, name, 0, 0);
        CUZK_TRY(cuzk_cuda_measure(backend, (enum cuzk_cuda_work)work, log_n, ROUNDS, ns, err));
        cuzk_bench_of_samples(name, "element", UINT64_C(1) << log_n, ns, ROUNDS, &results[*count]);
        peer_ms[(*count)++] = peer_of((enum cuzk_cuda_work)work, log_n);
    }
    return CUZK_OK;
}
