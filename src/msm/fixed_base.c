#include "msm/fixed_base.h"

#include "base/mem.h"
#include "msm/engine.h"

/* A table remembers the engine that made it: the level may change in tests. */
struct table {
    const struct cuzk_msm_engine *engine;
    void *multiples;
};

struct cuzk_fixed_base_g1 {
    struct table table;
};

struct cuzk_fixed_base_g2 {
    struct table table;
};

static enum cuzk_status create(const struct cuzk_msm_engine *engine, struct cuzk_pool *pool, const void *base,
                               size_t expected, struct table **out, struct cuzk_error *err)
{
    enum cuzk_status status;

    CUZK_TRY(CUZK_NEW(out, 1, "fixed-base table", err));
    (*out)->engine = engine;
    CUZK_TRY_OUT(engine->table_create(pool, base, expected, &(*out)->multiples, err));
    return CUZK_OK;
out:
    cuzk_mem_free(*out);
    *out = NULL;
    return status;
}

static void destroy(struct table *table)
{
    if (table == NULL)
        return;
    table->engine->table_destroy(table->multiples);
    cuzk_mem_free(table);
}

enum cuzk_status cuzk_fixed_base_g1_create(struct cuzk_pool *pool, const struct cuzk_g1_affine *base,
                                           size_t expected, struct cuzk_fixed_base_g1 **out,
                                           struct cuzk_error *err)
{
    struct table *table = NULL;
    const enum cuzk_status status = create(cuzk_msm_g1_engine(), pool, base, expected, &table, err);

    *out = (struct cuzk_fixed_base_g1 *)table;
    return status;
}

void cuzk_fixed_base_g1_destroy(struct cuzk_fixed_base_g1 *table)
{
    destroy((struct table *)table);
}

enum cuzk_status cuzk_fixed_base_g1_mul(struct cuzk_pool *pool, const struct cuzk_fixed_base_g1 *table,
                                        const uint64_t (*scalars)[4], size_t n, struct cuzk_g1_affine *out,
                                        struct cuzk_error *err)
{
    return table->table.engine->table_mul(pool, table->table.multiples, scalars, n, out, NULL, err);
}

enum cuzk_status cuzk_fixed_base_g1_mul_raw(struct cuzk_pool *pool, const struct cuzk_fixed_base_g1 *table,
                                            const uint64_t (*scalars)[4], size_t n, uint8_t *out,
                                            struct cuzk_error *err)
{
    return table->table.engine->table_mul(pool, table->table.multiples, scalars, n, NULL, out, err);
}

enum cuzk_status cuzk_fixed_base_g2_create(struct cuzk_pool *pool, const struct cuzk_g2_affine *base,
                                           size_t expected, struct cuzk_fixed_base_g2 **out,
                                           struct cuzk_error *err)
{
    struct table *table = NULL;
    const enum cuzk_status status = create(cuzk_msm_g2_engine(), pool, base, expected, &table, err);

    *out = (struct cuzk_fixed_base_g2 *)table;
    return status;
}

void cuzk_fixed_base_g2_destroy(struct cuzk_fixed_base_g2 *table)
{
    destroy((struct table *)table);
}

enum cuzk_status cuzk_fixed_base_g2_mul(struct cuzk_pool *pool, const struct cuzk_fixed_base_g2 *table,
                                        const uint64_t (*scalars)[4], size_t n, struct cuzk_g2_affine *out,
                                        struct cuzk_error *err)
{
    return table->table.engine->table_mul(pool, table->table.multiples, scalars, n, out, NULL, err);
}

enum cuzk_status cuzk_fixed_base_g2_mul_raw(struct cuzk_pool *pool, const struct cuzk_fixed_base_g2 *table,
                                            const uint64_t (*scalars)[4], size_t n, uint8_t *out,
                                            struct cuzk_error *err)
{
    return table->table.engine->table_mul(pool, table->table.multiples, scalars, n, NULL, out, err);
}
