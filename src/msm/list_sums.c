#include "msm/list_sums.h"

#include "base/mem.h"
#include "msm/engine.h"

/* A workspace remembers the engine that made it: the level may change in tests. */
struct cuzk_list_sums {
    const struct cuzk_msm_engine *engine;
    void *lists;
};

enum cuzk_status cuzk_list_sums_create(size_t points, size_t lists, struct cuzk_list_sums **out,
                                       struct cuzk_error *err)
{
    enum cuzk_status status;

    CUZK_TRY(CUZK_NEW(out, 1, "sums of lists", err));
    (*out)->engine = cuzk_msm_g1_engine();
    CUZK_TRY_OUT((*out)->engine->lists_create(points, lists, &(*out)->lists, err));
    return CUZK_OK;
out:
    cuzk_mem_free(*out);
    *out = NULL;
    return status;
}

void cuzk_list_sums_destroy(struct cuzk_list_sums *sums)
{
    if (sums == NULL)
        return;
    sums->engine->lists_destroy(sums->lists);
    cuzk_mem_free(sums);
}

size_t cuzk_list_sums_run(struct cuzk_list_sums *sums, const struct cuzk_list_point *points,
                          const uint32_t *end, size_t lists, uint8_t *out)
{
    return sums->engine->lists_sum(sums->lists, points, end, lists, out);
}
