#include "backend/cuda/msm.cuh"
#include "curve/g1.h"

namespace
{
struct g1 : cuzk_cuda_g1 {
    typedef struct cuzk_g1 point;
    static constexpr auto identity = cuzk_g1_identity;
    static constexpr auto from_affine = cuzk_g1_from_affine;
    static constexpr auto add = cuzk_g1_add;
    static constexpr auto add_mixed = cuzk_g1_add_mixed;
    static constexpr auto double_ = cuzk_g1_double;
    static constexpr auto neg = cuzk_g1_neg;
};
} // namespace

unsigned cuzk_cuda_msm_window(size_t n)
{
    /* n additions a window and two a bucket */
    unsigned best = 4;
    double least = 1e300;

    for (unsigned c = 4; c <= 24; c++) {
        const struct msm_cut cut = msm_cut(n, c);
        const double cost = cut.windows * (double)n + 2.0 * (double)msm_first_bucket(&cut, cut.windows);
        if (cost < least) {
            least = cost;
            best = c;
        }
    }
    return best;
}

size_t cuzk_cuda_msm_scratch(size_t n, unsigned window, int g2)
{
    const struct msm_cut cut = msm_cut(n, window != 0 ? window : cuzk_cuda_msm_window(n));
    const size_t field = g2 ? sizeof(struct cuzk_fp2) : sizeof(struct cuzk_fp);
    const size_t all = msm_first_bucket(&cut, cut.windows), batch = n * cut.batch;
    const size_t count = batch > all ? batch : all;

    /* buckets; keys and names twice, ranges and offsets; results, pairs and running products; chains; slack
     */
    return 2 * all * field + 16 * count + 8 * all + 8 * all + 2 * count * field +
           (count / 2 + 1) * (8 + field) + (count / 64 + (1u << 18)) * field + 4 * all * field / 1024 +
           count / 8 + ((size_t)64 << 20);
}

enum cuzk_status cuzk_cuda_msm_g1(const struct cuzk_g1_affine *points, const uint32_t *index,
                                  const uint64_t *scalars, size_t n, unsigned window,
                                  struct cuzk_cuda_arena *arena, cudaStream_t stream, struct cuzk_g1 *out,
                                  struct cuzk_error *err)
{
    return msm_run<g1>(points, index, scalars, n, window, arena, stream, out, err);
}

enum cuzk_status cuzk_cuda_sum_bits_g1(const struct cuzk_g1_affine *points, const uint32_t *index,
                                       const uint32_t *rank, const uint64_t *bits, size_t n,
                                       struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                       struct cuzk_g1 *out, struct cuzk_error *err)
{
    return msm_sum_bits<g1>(points, index, rank, bits, n, arena, stream, out, err);
}

size_t cuzk_cuda_sum_bits_scratch(size_t n, int g2)
{
    const size_t field = g2 ? sizeof(struct cuzk_fp2) : sizeof(struct cuzk_fp);

    /* keys and names twice; results, pairs and running products; chains; selection */
    return 16 * n + 2 * n * field + (n / 2 + 1) * (8 + field) + (n / 64 + (1u << 18)) * field + n / 8 +
           ((size_t)64 << 20);
}
