#include "bench/values.h"

#include "base/mem.h"
#include "filecoin/c1.h"
#include "filecoin/post_synth.h"
#include "filecoin/synth.h"
#include "filecoin/update_synth.h"

enum { SEED = 1 };

struct cuzk_bench_values {
    /* PoRep */
    struct cuzk_c1 *c1;
    /* PoSt */
    size_t count;
    struct cuzk_post_vanilla *vanilla; /* [count] */
    struct cuzk_fr_arena *elements;    /* [count], of each */
    struct cuzk_post_sector *sectors;
    struct cuzk_fr *inputs;
    /* update */
    struct cuzk_synth_update *update;
    struct cuzk_update_proof proof;

    union {
        struct cuzk_porep_assignment porep;
        struct cuzk_post_assignment post;
        struct cuzk_update_assignment update;
    } assignment; /* by kind */
};

static enum cuzk_status make_porep(struct cuzk_pool *pool, uint64_t sector_size,
                                   struct cuzk_bench_values *out, struct cuzk_error *err)
{
    const struct cuzk_synth_request request = {
        .sector_size = sector_size, .seed = SEED, .data = CUZK_SYNTH_MIX};

    CUZK_TRY(cuzk_synth_porep(pool, &request, NULL, &out->c1, err));
    cuzk_c1_assignment(out->c1, 0, &out->assignment.porep);
    return CUZK_OK;
}

struct sectors {
    const struct cuzk_post_config *config;
    struct cuzk_bench_values *values;
};

static enum cuzk_status make_sector(void *context, size_t index, struct cuzk_error *err)
{
    const struct sectors *job = context;

    return cuzk_post_synth_sector(NULL, job->config, SEED, index, &job->values->elements[index],
                                  &job->values->vanilla[index], err);
}

static enum cuzk_status make_post(struct cuzk_pool *pool, uint64_t sector_size, bool winning,
                                  struct cuzk_bench_values *out, struct cuzk_error *err)
{
    uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES];
    struct cuzk_post_config config;

    CUZK_TRY(
        cuzk_post_config_make(sector_size, winning, winning ? CUZK_API_1_0_0 : CUZK_API_1_2_0, &config, err));
    cuzk_post_synth_randomness(SEED, randomness);
    out->count = winning ? 1 : config.shape.sectors;
    CUZK_TRY(CUZK_NEW(&out->vanilla, out->count, "vanilla proofs", err));
    CUZK_TRY(CUZK_NEW(&out->elements, out->count, "values of vanilla proofs", err));
    CUZK_TRY(CUZK_NEW(&out->sectors, config.shape.sectors, "sectors", err));
    CUZK_TRY(CUZK_NEW(&out->inputs, cuzk_post_input_count(&config), "public inputs", err));
    struct sectors job = {&config, out};

    CUZK_TRY(cuzk_pool_try(pool, out->count, make_sector, &job, NULL, err));
    cuzk_post_partition(&config, randomness, 0, out->vanilla, out->count, out->sectors, out->inputs);
    out->assignment.post.sectors = out->sectors;
    return CUZK_OK;
}

static enum cuzk_status make_update(struct cuzk_pool *pool, uint64_t sector_size,
                                    struct cuzk_bench_values *out, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_synth_update_create(pool, sector_size, SEED, &out->update, err));
    CUZK_TRY(cuzk_synth_update_prove(out->update, 0, &out->proof, err));
    cuzk_update_proof_assignment(&out->proof, cuzk_synth_update_commitments(out->update),
                                 &out->assignment.update);
    return CUZK_OK;
}

static enum cuzk_status make(struct cuzk_pool *pool, const struct cuzk_circuit_id *id,
                             struct cuzk_bench_values *out, struct cuzk_error *err)
{
    switch (id->kind) {
    case CUZK_CIRCUIT_POREP:
        return make_porep(pool, id->sector_size, out, err);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WPOST:
        return make_post(pool, id->sector_size, id->kind == CUZK_CIRCUIT_WINNING, out, err);
    case CUZK_CIRCUIT_SNAP:
        return make_update(pool, id->sector_size, out, err);
    default:
        return cuzk_error_set(err, CUZK_ARGUMENT, "circuit %s: no synthetic sectors are made for it",
                              cuzk_circuit_kind_name(id->kind));
    }
}

enum cuzk_status cuzk_bench_values_create(struct cuzk_pool *pool, const struct cuzk_circuit_id *id,
                                          struct cuzk_bench_values **out, struct cuzk_error *err)
{
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(out, 1, "values of a circuit", err));
    status = make(pool, id, *out, err);
    if (status != CUZK_OK) {
        cuzk_bench_values_destroy(*out);
        *out = NULL;
    }
    return status;
}

void cuzk_bench_values_destroy(struct cuzk_bench_values *values)
{
    if (values == NULL)
        return;
    cuzk_c1_destroy(values->c1);
    for (size_t i = 0; i < values->count; i++) {
        if (values->vanilla != NULL)
            cuzk_post_vanilla_destroy(&values->vanilla[i]);
        if (values->elements != NULL)
            cuzk_fr_arena_destroy(&values->elements[i]);
    }
    cuzk_mem_free(values->vanilla);
    cuzk_mem_free(values->elements);
    cuzk_mem_free(values->sectors);
    cuzk_mem_free(values->inputs);
    cuzk_update_proof_destroy(&values->proof);
    cuzk_synth_update_destroy(values->update);
    cuzk_mem_free(values);
}

const void *cuzk_bench_values_assignment(const struct cuzk_bench_values *values)
{
    return &values->assignment;
}
