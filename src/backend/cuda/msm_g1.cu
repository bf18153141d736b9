#include "backend/cuda/msm.cuh"
#include "curve/g1.h"

namespace
{
struct g1 : cuzk_cuda_g1 {
    typedef struct cuzk_g1 point;
    static constexpr auto identity = cuzk_g1_identity;
    static constexpr auto add = cuzk_g1_add;
    static constexpr auto add_mixed = cuzk_g1_add_mixed;
    static constexpr auto double_ = cuzk_g1_double;
    static constexpr auto neg = cuzk_g1_neg;
};
} // namespace

unsigned cuzk_cuda_msm_window(size_t n, unsigned slots)
{
    /* n additions a window and two a bucket */
    unsigned best = 4;
    double least = 1e300;

    for (unsigned c = 4; c <= 24; c++) {
        const struct msm_cut cut = msm_cut(n, slots, c);
        const double cost = cut.windows * (double)n + 2.0 * (double)msm_first_bucket(&cut, cut.windows);
        if (cost < least) {
            least = cost;
            best = c;
        }
    }
    return best;
}

size_t cuzk_cuda_msm_scratch(size_t n, unsigned slots, unsigned window, int g2)
{
    const struct msm_cut cut = msm_cut(n, slots, window != 0 ? window : cuzk_cuda_msm_window(n, slots));
    const size_t field = g2 ? sizeof(struct cuzk_fp2) : sizeof(struct cuzk_fp);
    const size_t all = slots * msm_first_bucket(&cut, cut.windows), batch = slots * n * cut.batch;
    const size_t count = batch > all ? batch : all;

    /* buckets; keys and names twice, ranges and offsets; results, pairs and running products; chains; digits;
     * slack */
    return 2 * all * field + 16 * count + 8 * all + 8 * all + 2 * count * field +
           (count / 2 + 1) * (8 + field) + (count / 128 + SEGMENT_CHAINS) * field + 4 * all * field / 1024 +
           count / 8 + (cut.batch == 1 ? n * cut.windows * 4 : 0) + ((size_t)64 << 20);
}

size_t cuzk_cuda_sum_bits_scratch(size_t n, int g2)
{
    return msm_bits_scratch(n, n, g2 ? sizeof(struct cuzk_fp2) : sizeof(struct cuzk_fp));
}

enum cuzk_status cuzk_cuda_msm_g1(const struct cuzk_g1_affine *points, const uint32_t *const *maps,
                                  unsigned slots, const uint64_t *scalars, size_t n, unsigned window,
                                  struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                  struct cuzk_g1 *const out[], struct cuzk_error *err)
{
    return msm_run<g1>(points, maps, slots, scalars, n, window, arena, stream, out, err);
}

enum cuzk_status cuzk_cuda_sum_bits_g1(const struct cuzk_g1_affine *points,
                                       const struct cuzk_cuda_bits *parts, unsigned slots,
                                       const uint64_t *bits, struct cuzk_cuda_arena *arena,
                                       cudaStream_t stream, struct cuzk_g1 *const out[],
                                       struct cuzk_error *err)
{
    return msm_sum_bits<g1>(points, parts, slots, bits, arena, stream, out, err);
}
