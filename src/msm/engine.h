/*
 * What msm.c, fixed_base.c and list_sums.c choose from: one engine a group and instruction set, all made from
 * the same templates. Points are passed as void: struct cuzk_g1 / cuzk_g1_affine or their G2 twins.
 */
#ifndef CUZK_MSM_ENGINE_H
#define CUZK_MSM_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "msm/list_sums.h"
#include "msm/msm.h"

struct cuzk_msm_request {
    struct cuzk_pool *pool;
    const void *affine; /* bases in memory, or NULL: */
    const struct cuzk_msm_raw *raw;
    const uint64_t (*scalars)[4]; /* or NULL: */
    const uint64_t *bitmap;
    size_t n;
};

struct cuzk_msm_engine {
    enum cuzk_status (*msm)(const struct cuzk_msm_request *request, void *out, struct cuzk_error *err);

    enum cuzk_status (*table_create)(struct cuzk_pool *pool, const void *base, size_t expected, void **out,
                                     struct cuzk_error *err);
    void (*table_destroy)(void *table);
    /* one of affine and raw is NULL */
    enum cuzk_status (*table_mul)(struct cuzk_pool *pool, const void *table, const uint64_t (*scalars)[4],
                                  size_t n, void *affine, uint8_t *raw, struct cuzk_error *err);

    /* list_sums.h */
    enum cuzk_status (*lists_create)(size_t points, size_t count, void **out, struct cuzk_error *err);
    void (*lists_destroy)(void *lists);
    size_t (*lists_sum)(void *lists, const struct cuzk_list_point *points, const uint32_t *ends, size_t count,
                        uint8_t *out);
};

extern const struct cuzk_msm_engine cuzk_msm_g1_portable, cuzk_msm_g1_adx, cuzk_msm_g1_ifma;
extern const struct cuzk_msm_engine cuzk_msm_g2_portable, cuzk_msm_g2_adx, cuzk_msm_g2_ifma;

/* The engine for the level in force. */
const struct cuzk_msm_engine *cuzk_msm_g1_engine(void);
const struct cuzk_msm_engine *cuzk_msm_g2_engine(void);

#endif
