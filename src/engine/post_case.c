#include "engine/post_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "circuit/circuit.h"
#include "engine/registered.h"
#include "engine/request_blob.h"

struct post_case {
    struct cuzk_case common;
    struct cuzk_post_config config;
    uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES];
    uint64_t first; /* place of the first sector among all */
    struct cuzk_fr_arena values;
    size_t count;
    struct cuzk_post_vanilla *vanilla; /* [count], ascending */
    struct cuzk_post_sector *sectors;  /* [partitions][shape.sectors] */
    struct cuzk_fr *public_inputs;     /* [partitions][inputs] */
};

static const struct post_case *post_of(const struct cuzk_case *that)
{
    return (const struct post_case *)that;
}

static const struct cuzk_fr *case_inputs(const struct cuzk_case *that, unsigned partition)
{
    return post_of(that)->public_inputs + (size_t)partition * that->inputs;
}

static enum cuzk_status check_sector(void *context, size_t index, struct cuzk_error *err)
{
    const struct post_case *post = context;

    return cuzk_post_vanilla_check(&post->config, post->randomness, post->first + index,
                                   &post->vanilla[index], err);
}

static enum cuzk_status case_check(const struct cuzk_case *that, struct cuzk_pool *pool,
                                   struct cuzk_error *err)
{
    return cuzk_pool_try(pool, post_of(that)->count, check_sector, (void *)post_of(that), NULL, err);
}

static enum cuzk_status case_witness(const struct cuzk_case *that, unsigned partition,
                                     const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                                     const struct cuzk_progress *progress, const struct cuzk_witness *witness,
                                     struct cuzk_error *err)
{
    const struct post_case *post = post_of(that);
    const struct cuzk_post_assignment assignment = {post->sectors +
                                                    (size_t)partition * post->config.shape.sectors};

    CUZK_TRY(cuzk_circuit_witness(circuit, &assignment, pool, progress, witness, err));
    return cuzk_case_compare_inputs(that, partition, witness, pool, err);
}

static void case_close(struct cuzk_case *that)
{
    struct post_case *post = (struct post_case *)that;

    for (size_t i = 0; post->vanilla != NULL && i < post->count; i++)
        cuzk_post_vanilla_destroy(&post->vanilla[i]);
    cuzk_fr_arena_destroy(&post->values);
    cuzk_mem_free(post->vanilla);
    cuzk_mem_free(post->sectors);
    cuzk_mem_free(post->public_inputs);
    cuzk_mem_free(post);
}

static const struct cuzk_case_ops ops = {case_inputs, case_check, case_witness, case_close};

const struct cuzk_post_vanilla *cuzk_post_case_sectors(const struct cuzk_case *that, size_t *count)
{
    *count = post_of(that)->count;
    return post_of(that)->vanilla;
}

static int by_sector_id(const void *a, const void *b)
{
    const struct cuzk_post_vanilla *left = a, *right = b;

    return (left->sector_id > right->sector_id) - (left->sector_id < right->sector_id);
}

static enum cuzk_status decode(struct post_case *post, const struct cuzk_post_wanted *wanted,
                               struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(&post->vanilla, wanted->count, "vanilla proofs", err));
    for (size_t i = 0; i < wanted->count; i++, post->count++)
        CUZK_TRY(cuzk_post_vanilla_decode(wanted->sources[i].name, wanted->sources[i].bytes,
                                          wanted->sources[i].length, &post->config, &post->values,
                                          &post->vanilla[i], err));
    qsort(post->vanilla, post->count, sizeof *post->vanilla, by_sector_id);
    for (size_t i = 1; i < post->count; i++)
        if (post->vanilla[i - 1].sector_id == post->vanilla[i].sector_id)
            return cuzk_error_set(err, CUZK_INPUT,
                                  "vanilla_proofs: sector_id: sector %" PRIu64 " comes twice",
                                  post->vanilla[i].sector_id);
    return CUZK_OK;
}

static enum cuzk_status derive(struct post_case *post, const struct cuzk_post_wanted *wanted,
                               struct cuzk_error *err)
{
    const unsigned places = post->config.shape.sectors;
    const size_t each = post->config.winning ? 1 : places; /* vanilla proofs of a partition */
    const unsigned partitions = (unsigned)((post->count + each - 1) / each);
    const unsigned inputs = cuzk_post_input_count(&post->config);

    if (wanted->one_partition && partitions > 1)
        return cuzk_error_set(err, CUZK_INPUT,
                              "vanilla_proofs: expected at most %zu of one partition, found %zu", each,
                              post->count);
    post->first = wanted->one_partition && !post->config.winning ? (uint64_t)wanted->partition * each : 0;
    CUZK_TRY(CUZK_NEW(&post->sectors, (size_t)partitions * places, "sectors of partitions", err));
    CUZK_TRY(CUZK_NEW(&post->public_inputs, (size_t)partitions * inputs, "public inputs", err));
    for (unsigned k = 0; k < partitions; k++) {
        const size_t begin = k * each, left = post->count - begin;

        cuzk_post_partition(&post->config, post->randomness, post->first + begin, post->vanilla + begin,
                            left < each ? left : each, post->sectors + (size_t)k * places,
                            post->public_inputs + (size_t)k * inputs);
    }
    post->common = (struct cuzk_case){
        .ops = &ops,
        .circuit = {post->config.winning ? CUZK_CIRCUIT_WINNING : CUZK_CIRCUIT_WPOST,
                    post->config.sector_size},
        .partitions = partitions,
        .inputs = inputs,
    };
    return CUZK_OK;
}

static enum cuzk_status check_count(const struct cuzk_post_config *config, uint64_t count,
                                    struct cuzk_error *err)
{
    if (config->winning && count != 1)
        return cuzk_error_set(
            err, CUZK_INPUT, "vanilla_proofs: expected the one sector that was drawn, found %" PRIu64, count);
    if (count == 0 || count > CUZK_POST_SECTORS_MOST)
        return cuzk_error_set(err, CUZK_INPUT, "vanilla_proofs: expected 1 to %d sectors, found %" PRIu64,
                              CUZK_POST_SECTORS_MOST, count);
    return CUZK_OK;
}

enum cuzk_status cuzk_post_case_open(const struct cuzk_post_wanted *wanted, struct cuzk_case **out,
                                     struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct post_case *post;

    *out = NULL;
    CUZK_TRY(check_count(&wanted->config, wanted->count, err));
    CUZK_TRY(CUZK_NEW(&post, 1, "PoSt to prove", err));
    post->config = wanted->config;
    cuzk_post_randomness(wanted->randomness, post->randomness);
    CUZK_TRY_OUT(decode(post, wanted, err));
    CUZK_TRY_OUT(derive(post, wanted, err));
    *out = &post->common;
    return CUZK_OK;
out:
    case_close(&post->common);
    return status;
}

/* ---- requests ---- */

static enum cuzk_status config_of(const struct cuzk_request *request, bool winning,
                                  struct cuzk_post_config *config, struct cuzk_error *err)
{
    const uint64_t number = request->registered_proof;

    CUZK_TRY(cuzk_registered_check(request, err));
    if (cuzk_registered_sector_size(request->kind, number) == request->sector_size) {
        cuzk_post_config_registered((unsigned)number, config);
        return CUZK_OK;
    }
    /* A size without a registered proof. WinningPoSt has one version, so the size says all. */
    if (!winning)
        return cuzk_error_set(err, CUZK_INPUT,
                              "registered_proof: WindowPoSt of sectors of %" PRIu64
                              " bytes has none, so that its version is not known",
                              request->sector_size);
    if (cuzk_post_config_make(request->sector_size, true, CUZK_API_1_0_0, config, NULL) != CUZK_OK)
        return cuzk_error_set(err, CUZK_INPUT, "sector_size: no sectors of %" PRIu64 " bytes",
                              request->sector_size);
    return CUZK_OK;
}

static enum cuzk_status look(const struct cuzk_request *request, bool winning,
                             struct cuzk_post_config *config, struct cuzk_error *err)
{
    CUZK_TRY(config_of(request, winning, config, err));
    if (request->randomness.length != CUZK_POST_RANDOMNESS_BYTES)
        return cuzk_error_set(err, CUZK_INPUT, "randomness: expected %d bytes, found %" PRIu64,
                              CUZK_POST_RANDOMNESS_BYTES, request->randomness.length);
    CUZK_TRY(check_count(config, request->vanilla_proof_count, err));
    if (request->vanilla_proof_count > config->shape.sectors)
        return cuzk_error_set(err, CUZK_INPUT,
                              "vanilla_proofs: expected at most %u of a partition, found %zu",
                              config->shape.sectors, request->vanilla_proof_count);
    return CUZK_OK;
}

static enum cuzk_status look_kind(const struct cuzk_request *request, bool winning,
                                  struct cuzk_circuit_id *circuit, unsigned *partitions,
                                  struct cuzk_error *err)
{
    struct cuzk_post_config config;

    CUZK_TRY(look(request, winning, &config, err));
    *circuit =
        (struct cuzk_circuit_id){winning ? CUZK_CIRCUIT_WINNING : CUZK_CIRCUIT_WPOST, config.sector_size};
    *partitions = 1;
    return CUZK_OK;
}

enum { NAME_BYTES = 40 };

/* The request's byte strings in one piece each. */
struct pieces {
    struct cuzk_request_bytes *bytes; /* [count] */
    struct cuzk_post_source *sources; /* [count] */
    char (*names)[NAME_BYTES];        /* [count] */
};

static enum cuzk_status join(const struct cuzk_request *request, struct pieces *pieces,
                             struct cuzk_error *err)
{
    const size_t n = request->vanilla_proof_count;

    CUZK_TRY(CUZK_NEW(&pieces->bytes, n, "vanilla proofs", err));
    CUZK_TRY(CUZK_NEW(&pieces->sources, n, "vanilla proofs", err));
    CUZK_TRY(CUZK_NEW(&pieces->names, n, "vanilla proofs", err));
    for (size_t i = 0; i < n; i++) {
        CUZK_TRY(cuzk_request_bytes_join(&request->vanilla_proofs[i], &pieces->bytes[i], err));
        snprintf(pieces->names[i], NAME_BYTES, "vanilla_proofs[%zu]", i);
        pieces->sources[i] =
            (struct cuzk_post_source){pieces->names[i], pieces->bytes[i].data, pieces->bytes[i].length};
    }
    return CUZK_OK;
}

static enum cuzk_status open_kind(const struct cuzk_request *request, bool winning, struct cuzk_case **out,
                                  struct cuzk_error *err)
{
    struct cuzk_post_wanted wanted = {
        .one_partition = true, .partition = request->partition_index, .count = request->vanilla_proof_count};
    struct cuzk_request_bytes randomness = {0};
    struct pieces pieces = {0};
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY_OUT(look(request, winning, &wanted.config, err));
    CUZK_TRY_OUT(cuzk_request_bytes_join(&request->randomness, &randomness, err));
    CUZK_TRY_OUT(join(request, &pieces, err));
    cuzk_post_randomness(randomness.data, wanted.randomness);
    wanted.sources = pieces.sources;
    status = cuzk_post_case_open(&wanted, out, err);
out:
    for (size_t i = 0; pieces.bytes != NULL && i < wanted.count; i++)
        cuzk_request_bytes_release(&pieces.bytes[i]);
    cuzk_mem_free(pieces.bytes);
    cuzk_mem_free(pieces.sources);
    cuzk_mem_free(pieces.names);
    cuzk_request_bytes_release(&randomness);
    return status;
}

enum cuzk_status cuzk_winning_look(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                                   unsigned *partitions, struct cuzk_error *err)
{
    return look_kind(request, true, circuit, partitions, err);
}

enum cuzk_status cuzk_window_look(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                                  unsigned *partitions, struct cuzk_error *err)
{
    return look_kind(request, false, circuit, partitions, err);
}

enum cuzk_status cuzk_winning_open(const struct cuzk_request *request, const struct cuzk_log *log,
                                   struct cuzk_case **out, struct cuzk_error *err)
{
    (void)log;
    return open_kind(request, true, out, err);
}

enum cuzk_status cuzk_window_open(const struct cuzk_request *request, const struct cuzk_log *log,
                                  struct cuzk_case **out, struct cuzk_error *err)
{
    (void)log;
    return open_kind(request, false, out, err);
}
