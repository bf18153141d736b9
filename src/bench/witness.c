#include "bench/witness.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/c1.h"
#include "filecoin/synth.h"

enum { SEED = 1 };

/* Values to make a witness from. Only those of PoRep hold: the witness of anything takes as long. */
struct values {
    struct cuzk_c1 *c1;
    struct cuzk_fr *elements; /* pseudo-random; siblings and leaves are taken from them */
    struct cuzk_merkle_path *paths;
    struct cuzk_post_sector *sectors;
    struct cuzk_update_challenge *challenges;
    union {
        struct cuzk_porep_assignment porep;
        struct cuzk_post_assignment post;
        struct cuzk_update_assignment update;
    } assignment; /* by kind */
};

struct work {
    struct cuzk_pool *pool;
    struct cuzk_circuit circuit;
    struct values values;
    struct cuzk_witness_layout layout;
    struct cuzk_witness kept;
};

static void clear(const struct work *work)
{
    /* Only bits need it: every wide value and input is written. */
    memset(work->kept.bits, 0, ((size_t)work->layout.bits + 63) / 64 * sizeof *work->kept.bits);
}

static enum cuzk_status run_kept(void *context, struct cuzk_error *err)
{
    struct work *work = context;

    clear(work);
    return cuzk_circuit_witness(&work->circuit, &work->values.assignment, work->pool, &work->kept, err);
}

static enum cuzk_status run_fresh(void *context, struct cuzk_error *err)
{
    struct work *work = context;
    struct cuzk_witness witness;

    CUZK_TRY(cuzk_witness_create(&work->layout, &witness, err));
    const enum cuzk_status status =
        cuzk_circuit_witness(&work->circuit, &work->values.assignment, work->pool, &witness, err);
    cuzk_witness_destroy(&witness);
    return status;
}

/* ---- values ---- */

static enum cuzk_status fill(size_t n, struct cuzk_fr **out, struct cuzk_error *err)
{
    struct cuzk_fr step;

    CUZK_TRY(CUZK_NEW(out, n, "values", err));
    cuzk_fr_from_u64(SEED + UINT64_C(0x9e3779b97f4a7c15), &step);
    (*out)[0] = cuzk_fr_generator;
    for (size_t i = 1; i < n; i++) {
        cuzk_fr_add(&(*out)[i - 1], &step, &(*out)[i]);
        cuzk_fr_sqr(&(*out)[i], &(*out)[i]);
    }
    return CUZK_OK;
}

static enum cuzk_status porep_values(struct cuzk_pool *pool, const struct cuzk_circuit *circuit,
                                     struct values *out, struct cuzk_error *err)
{
    const struct cuzk_synth_request request = {
        .sector_size = circuit->id.sector_size, .seed = SEED, .data = CUZK_SYNTH_MIX};

    CUZK_TRY(cuzk_synth_porep(pool, &request, NULL, &out->c1, err));
    cuzk_c1_assignment(out->c1, 0, &out->assignment.porep);
    return CUZK_OK;
}

static enum cuzk_status post_values(const struct cuzk_circuit *circuit, struct values *out,
                                    struct cuzk_error *err)
{
    const struct cuzk_post_shape *shape = &circuit->shape.post;
    const size_t paths = (size_t)shape->sectors * shape->challenges, each = cuzk_tree_siblings(shape->tree);

    CUZK_TRY(fill(paths * each + 3, &out->elements, err));
    CUZK_TRY(CUZK_NEW(&out->paths, paths, "paths", err));
    CUZK_TRY(CUZK_NEW(&out->sectors, shape->sectors, "sectors", err));
    for (size_t i = 0; i < paths; i++)
        out->paths[i] = (struct cuzk_merkle_path){.leaf = out->elements[i],
                                                  .siblings = out->elements + i * each,
                                                  .index = i * UINT64_C(0x9e3779b97f4a7c15) >> 34};
    for (size_t i = 0; i < shape->sectors; i++)
        out->sectors[i] = (struct cuzk_post_sector){.comm_r = out->elements[i],
                                                    .comm_c = out->elements[i + 1],
                                                    .comm_r_last = out->elements[i + 2],
                                                    .paths = out->paths + i * shape->challenges};
    out->assignment.post.sectors = out->sectors;
    return CUZK_OK;
}

static enum cuzk_status update_values(const struct cuzk_circuit *circuit, struct values *out,
                                      struct cuzk_error *err)
{
    const struct cuzk_update_shape *shape = &circuit->shape.update;
    const size_t each = cuzk_tree_siblings(shape->tree) + shape->log2_nodes;

    CUZK_TRY(fill(shape->challenges * each + CUZK_UPDATE_MAX_APEX_LEAVES, &out->elements, err));
    CUZK_TRY(CUZK_NEW(&out->challenges, shape->challenges, "challenges", err));
    for (size_t i = 0; i < shape->challenges; i++) {
        const struct cuzk_fr *at = out->elements + i * each;
        out->challenges[i] = (struct cuzk_update_challenge){.leaf_r_old = at[0],
                                                            .leaf_d_new = at[1],
                                                            .path_r_old = at,
                                                            .path_r_new = at + 1,
                                                            .path_d_new = at + 2};
    }
    out->assignment.update = (struct cuzk_update_assignment){.k_and_h_select = 1U << shape->partition_bits,
                                                             .comm_r_old = out->elements[0],
                                                             .comm_d_new = out->elements[1],
                                                             .comm_r_new = out->elements[2],
                                                             .apex_leaves = out->elements,
                                                             .partition_path = out->elements,
                                                             .challenges = out->challenges};
    return CUZK_OK;
}

static enum cuzk_status make_values(struct cuzk_pool *pool, const struct cuzk_circuit *circuit,
                                    struct values *out, struct cuzk_error *err)
{
    switch (circuit->id.kind) {
    case CUZK_CIRCUIT_POREP:
        return porep_values(pool, circuit, out, err);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WPOST:
        return post_values(circuit, out, err);
    default:
        return update_values(circuit, out, err);
    }
}

static void drop_values(struct values *values)
{
    cuzk_c1_destroy(values->c1);
    cuzk_mem_free(values->elements);
    cuzk_mem_free(values->paths);
    cuzk_mem_free(values->sectors);
    cuzk_mem_free(values->challenges);
}

enum cuzk_status cuzk_bench_witness(struct cuzk_pool *pool, const struct cuzk_circuit_id *id,
                                    const struct cuzk_progress *progress,
                                    struct cuzk_bench_result results[CUZK_BENCH_WITNESS_CASES],
                                    struct cuzk_error *err)
{
    static const struct {
        const char *name;
        enum cuzk_status (*run)(void *context, struct cuzk_error *err);
    } cases[CUZK_BENCH_WITNESS_CASES] = {
        {"partition, fresh memory", run_fresh},
        {"partition, memory used before", run_kept},
    };
    struct work work = {.pool = pool};
    enum cuzk_status status;

    CUZK_TRY_OUT(cuzk_circuit_open(id, &work.circuit, err));
    CUZK_TRY_OUT(make_values(pool, &work.circuit, &work.values, err));
    CUZK_TRY_OUT(cuzk_circuit_layout(&work.circuit, &work.layout, err));
    for (size_t i = 0; i < CUZK_BENCH_WITNESS_CASES; i++) {
        const struct cuzk_bench_case what = {cases[i].name, "variable", work.layout.aux, cases[i].run, &work};
        if (cases[i].run == run_kept)
            CUZK_TRY_OUT(cuzk_witness_create(&work.layout, &work.kept, err));
        CUZK_TRY_OUT(cuzk_bench_measure(&what, &cuzk_bench_default, progress, &results[i], err));
    }
out:
    cuzk_witness_destroy(&work.kept);
    cuzk_witness_layout_destroy(&work.layout);
    drop_values(&work.values);
    return status;
}
