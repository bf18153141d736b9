#include "backend/cuda/msm.cuh"
#include "curve/g2.h"

namespace
{
struct g2 : cuzk_cuda_g2 {
    typedef struct cuzk_g2 point;
    static constexpr auto identity = cuzk_g2_identity;
    static constexpr auto add = cuzk_g2_add;
    static constexpr auto double_ = cuzk_g2_double;
    static constexpr auto neg = cuzk_g2_neg;
};
} // namespace

enum cuzk_status cuzk_cuda_msm_g2(const struct cuzk_g2_affine *points, const uint32_t *const *maps,
                                  unsigned slots, const uint64_t *scalars, size_t n, unsigned window,
                                  struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                  struct cuzk_g2 *const out[], struct cuzk_error *err)
{
    return msm_run<g2>(points, maps, slots, scalars, n, window, arena, stream, out, err);
}

enum cuzk_status cuzk_cuda_sum_bits_g2(const struct cuzk_g2_affine *points,
                                       const struct cuzk_cuda_bits *parts, unsigned slots,
                                       const uint64_t *bits, struct cuzk_cuda_arena *arena,
                                       cudaStream_t stream, struct cuzk_g2 *const out[],
                                       struct cuzk_error *err)
{
    return msm_sum_bits<g2>(points, parts, slots, bits, arena, stream, out, err);
}
