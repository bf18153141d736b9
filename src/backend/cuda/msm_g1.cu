#include "backend/cuda/msm.cuh"
#include "curve/g1.h"

namespace
{
struct g1 : cuzk_cuda_g1 {
    typedef struct cuzk_g1 point;
    static constexpr auto identity = cuzk_g1_identity;
    static constexpr auto add = cuzk_g1_add;
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

static size_t scratch(size_t n, unsigned slots, unsigned window, int g2, bool least)
{
    struct msm_cut cut = msm_cut(n, slots, window != 0 ? window : cuzk_cuda_msm_window(n, slots));

    if (least)
        cut.batch = 1;
    return msm_cut_bytes(&cut, n, slots, g2 ? sizeof(struct cuzk_fp2) : sizeof(struct cuzk_fp));
}

unsigned cuzk_cuda_msm_together(size_t n, unsigned slots)
{
    return n * slots <= (size_t)MSM_BATCH / 4 ? slots : 1;
}

size_t cuzk_cuda_msm_scratch(size_t n, unsigned slots, unsigned window, int g2)
{
    return scratch(n, slots, window, g2, false);
}

size_t cuzk_cuda_msm_scratch_least(size_t n, unsigned slots, int g2)
{
    return scratch(n, slots, 0, g2, true);
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
