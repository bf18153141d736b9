#include "backend/cuda/msm.cuh"
#include "curve/g2.h"

namespace
{
struct g2 : cuzk_cuda_g2 {
    typedef struct cuzk_g2 point;
    static constexpr auto identity = cuzk_g2_identity;
    static constexpr auto from_affine = cuzk_g2_from_affine;
    static constexpr auto add = cuzk_g2_add;
    static constexpr auto add_mixed = cuzk_g2_add_mixed;
    static constexpr auto double_ = cuzk_g2_double;
    static constexpr auto neg = cuzk_g2_neg;
};
} // namespace

enum cuzk_status cuzk_cuda_msm_g2(const struct cuzk_g2_affine *points, const uint32_t *index,
                                  const uint64_t *scalars, size_t n, unsigned window,
                                  struct cuzk_cuda_arena *arena, cudaStream_t stream, struct cuzk_g2 *out,
                                  struct cuzk_error *err)
{
    return msm_run<g2>(points, index, scalars, n, window, arena, stream, out, err);
}

enum cuzk_status cuzk_cuda_sum_bits_g2(const struct cuzk_g2_affine *points, const uint32_t *index,
                                       const uint32_t *rank, const uint64_t *bits, size_t n,
                                       struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                       struct cuzk_g2 *out, struct cuzk_error *err)
{
    return msm_sum_bits<g2>(points, index, rank, bits, n, arena, stream, out, err);
}
