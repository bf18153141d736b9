/* The G1 engine with AVX-512 IFMA; compiled with CUZK_IFMA_FLAGS. */
#include "msm/group_g1.h"
#include "msm/lane_ifma.h"

#include "msm/engine_templates.h"

const struct cuzk_msm_engine cuzk_msm_g1_ifma = {
    .msm = msm_run,
    .table_create = multiples_create,
    .table_destroy = multiples_destroy,
    .table_mul = multiples_mul,
    .lists_create = lists_create,
    .lists_destroy = lists_destroy,
    .lists_sum = lists_sum,
};
