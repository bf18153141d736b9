#include "msm/msm.h"

#include "base/cpu.h"
#include "msm/engine.h"

const struct cuzk_msm_engine *cuzk_msm_g1_engine(void)
{
    switch (cuzk_cpu_level()) {
    case CUZK_CPU_IFMA:
        return &cuzk_msm_g1_ifma;
    case CUZK_CPU_ADX:
        return &cuzk_msm_g1_adx;
    case CUZK_CPU_PORTABLE:
        break;
    }
    return &cuzk_msm_g1_portable;
}

const struct cuzk_msm_engine *cuzk_msm_g2_engine(void)
{
    switch (cuzk_cpu_level()) {
    case CUZK_CPU_IFMA:
        return &cuzk_msm_g2_ifma;
    case CUZK_CPU_ADX:
        return &cuzk_msm_g2_adx;
    case CUZK_CPU_PORTABLE:
        break;
    }
    return &cuzk_msm_g2_portable;
}

enum cuzk_status cuzk_msm_g1(struct cuzk_pool *pool, const struct cuzk_g1_affine *bases,
                             const uint64_t (*scalars)[4], size_t n, struct cuzk_g1 *out,
                             struct cuzk_error *err)
{
    const struct cuzk_msm_request request = {.pool = pool, .affine = bases, .scalars = scalars, .n = n};
    return cuzk_msm_g1_engine()->msm(&request, out, err);
}

enum cuzk_status cuzk_msm_g2(struct cuzk_pool *pool, const struct cuzk_g2_affine *bases,
                             const uint64_t (*scalars)[4], size_t n, struct cuzk_g2 *out,
                             struct cuzk_error *err)
{
    const struct cuzk_msm_request request = {.pool = pool, .affine = bases, .scalars = scalars, .n = n};
    return cuzk_msm_g2_engine()->msm(&request, out, err);
}

enum cuzk_status cuzk_msm_g1_sum_bits(struct cuzk_pool *pool, const struct cuzk_g1_affine *bases,
                                      const uint64_t *bitmap, size_t n, struct cuzk_g1 *out,
                                      struct cuzk_error *err)
{
    const struct cuzk_msm_request request = {.pool = pool, .affine = bases, .bitmap = bitmap, .n = n};
    return cuzk_msm_g1_engine()->msm(&request, out, err);
}

enum cuzk_status cuzk_msm_g2_sum_bits(struct cuzk_pool *pool, const struct cuzk_g2_affine *bases,
                                      const uint64_t *bitmap, size_t n, struct cuzk_g2 *out,
                                      struct cuzk_error *err)
{
    const struct cuzk_msm_request request = {.pool = pool, .affine = bases, .bitmap = bitmap, .n = n};
    return cuzk_msm_g2_engine()->msm(&request, out, err);
}

enum cuzk_status cuzk_msm_g1_raw(struct cuzk_pool *pool, const struct cuzk_msm_raw *bases,
                                 const uint64_t (*scalars)[4], struct cuzk_g1 *out, struct cuzk_error *err)
{
    const struct cuzk_msm_request request = {.pool = pool, .raw = bases, .scalars = scalars, .n = bases->n};
    return cuzk_msm_g1_engine()->msm(&request, out, err);
}

enum cuzk_status cuzk_msm_g2_raw(struct cuzk_pool *pool, const struct cuzk_msm_raw *bases,
                                 const uint64_t (*scalars)[4], struct cuzk_g2 *out, struct cuzk_error *err)
{
    const struct cuzk_msm_request request = {.pool = pool, .raw = bases, .scalars = scalars, .n = bases->n};
    return cuzk_msm_g2_engine()->msm(&request, out, err);
}

enum cuzk_status cuzk_msm_g1_raw_sum_bits(struct cuzk_pool *pool, const struct cuzk_msm_raw *bases,
                                          const uint64_t *bitmap, struct cuzk_g1 *out, struct cuzk_error *err)
{
    const struct cuzk_msm_request request = {.pool = pool, .raw = bases, .bitmap = bitmap, .n = bases->n};
    return cuzk_msm_g1_engine()->msm(&request, out, err);
}

enum cuzk_status cuzk_msm_g2_raw_sum_bits(struct cuzk_pool *pool, const struct cuzk_msm_raw *bases,
                                          const uint64_t *bitmap, struct cuzk_g2 *out, struct cuzk_error *err)
{
    const struct cuzk_msm_request request = {.pool = pool, .raw = bases, .bitmap = bitmap, .n = bases->n};
    return cuzk_msm_g2_engine()->msm(&request, out, err);
}
