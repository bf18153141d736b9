/* The g1 engine in plain C. */
#include "msm/group_g1.h"
#include "msm/lane_portable.h"

#include "msm/engine_templates.h"

const struct cuzk_msm_engine cuzk_msm_g1_portable = {
    .msm = msm_run,
    .table_create = multiples_create,
    .table_destroy = multiples_destroy,
    .table_mul = multiples_mul,
    .lists_create = lists_create,
    .lists_destroy = lists_destroy,
    .lists_sum = lists_sum,
};
