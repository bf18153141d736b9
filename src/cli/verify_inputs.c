#include "cli/verify_inputs.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/parameters.h"
#include "cli/proof_file.h"
#include "engine/public_file.h"
#include "groth16/params.h"
#include "groth16/prove.h"

struct work {
    struct cuzk_vk vk;
    struct cuzk_prepared_vk *prepared;
    size_t partitions;
    uint8_t *proof;
    size_t proof_length;
    uint64_t verify_ns;
};

/* A .vk file, or the beginning of a .params file. */
static enum cuzk_status read_vk(const char *path, bool alone, struct cuzk_vk *vk, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_file_map map;
    struct cuzk_bytes bytes;

    CUZK_TRY(cuzk_file_map_open(path, "verifying key", 0, &map, err));
    cuzk_bytes_init(&bytes, path, map.bytes, map.length);
    CUZK_TRY_OUT(cuzk_vk_decode(&bytes, vk, err));
    if (alone)
        CUZK_TRY_OUT(cuzk_bytes_end(&bytes, err));
out:
    cuzk_file_map_close(&map);
    return status;
}

enum cuzk_status cli_vk_find(struct cli_session *session, const char *params_dir,
                             const struct cuzk_circuit_id *id, struct cuzk_vk *vk, struct cuzk_error *err)
{
    char path[CUZK_PARAMETER_PATH];

    CUZK_TRY(cuzk_parameter_path(cuzk_parameter_directory(params_dir), id, ".vk", path, err));
    if (access(path, R_OK) == 0)
        return read_vk(path, true, vk, err);
    CUZK_TRY(cuzk_parameter_path(cuzk_parameter_directory(params_dir), id, ".params", path, err));
    if (access(path, R_OK) == 0)
        return read_vk(path, false, vk, err);
    return cli_parameters_find(session, params_dir, id, ".vk", path, err);
}

enum cuzk_status cli_public_inputs_read(const char *path, struct cuzk_public_file *file,
                                        struct cuzk_public_inputs **inputs, struct cuzk_error *err)
{
    struct cuzk_file_map map;
    const struct cuzk_fr *values;

    *inputs = NULL;
    CUZK_TRY(cuzk_file_map_open(path, "public inputs", CUZK_PUBLIC_BYTES_MOST, &map, err));
    const enum cuzk_status status =
        cuzk_public_file_decode(map.path, map.bytes, (size_t)map.length, file, err);

    cuzk_file_map_close(&map);
    if (status != CUZK_OK)
        return status;
    CUZK_TRY(CUZK_NEW(inputs, file->partitions, "public inputs", err));
    values = file->values;
    for (size_t k = 0; k < file->partitions; k++) {
        (*inputs)[k] = (struct cuzk_public_inputs){values, file->counts[k]};
        values += file->counts[k];
    }
    return CUZK_OK;
}

/* What does not fit is bad input, not an invalid proof. */
static enum cuzk_status check_counts(const struct cli_verify_target *given, const struct work *work,
                                     struct cuzk_error *err)
{
    const size_t expected = cuzk_prepared_vk_inputs(work->prepared);

    for (size_t k = 0; k < work->partitions; k++)
        if (given->inputs[k].count != expected)
            return cuzk_error_set(err, CUZK_INPUT,
                                  "%s: partition %zu: expected %zu public inputs as the key has, found %zu",
                                  given->source, k, expected, given->inputs[k].count);
    if (work->proof_length != work->partitions * CUZK_PROOF_BYTES)
        return cuzk_error_set(err, CUZK_INPUT, "%s: proof: expected %zu bytes for %zu partition%s, found %zu",
                              given->proof, work->partitions * CUZK_PROOF_BYTES, work->partitions,
                              work->partitions == 1 ? "" : "s", work->proof_length);
    return CUZK_OK;
}

static enum cuzk_status verify(struct cli_session *session, const struct cli_verify_target *given,
                               struct work *work, struct cuzk_error *err)
{
    CUZK_TRY(cli_proof_read(given->proof, &work->proof, &work->proof_length, err));
    if (given->vk != NULL)
        CUZK_TRY(read_vk(given->vk, true, &work->vk, err));
    else if (given->circuit != NULL)
        CUZK_TRY(cli_vk_find(session, given->params_dir, given->circuit, &work->vk, err));
    else
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "--vk: needed with --public, since nothing else names the circuit");
    CUZK_TRY(cuzk_prepared_vk_create(session->pool, &work->vk, &work->prepared, err));
    CUZK_TRY(check_counts(given, work, err));
    const uint64_t begin = cuzk_clock_ns();
    const enum cuzk_status status =
        cuzk_verify_many(session->pool, work->prepared, given->inputs, work->partitions, work->proof,
                         work->proof_length, work->partitions, err);

    work->verify_ns = cuzk_clock_ns() - begin;
    return status == CUZK_INPUT ? cuzk_error_prefix(err, status, "%s", given->proof) : status;
}

static enum cuzk_status report(struct cli_session *session, const struct work *work, bool valid,
                               const char *why, struct cuzk_error *err)
{
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_bool(json, "valid", valid);
        cuzk_json_write_member_u64(json, "partitions", work->partitions);
        cuzk_json_write_member_double(json, "verify_ms", (double)work->verify_ns / 1e6, 3);
        if (!valid)
            cuzk_json_write_member_string(json, "reason", why);
    }
    if (valid)
        cli_session_say(session, "valid: %zu partition%s, %.2f ms", work->partitions,
                        work->partitions == 1 ? "" : "s", (double)work->verify_ns / 1e6);
    else
        cli_session_say(session, "INVALID: %s", why);
    return cli_session_answer_end(session, err);
}

enum cuzk_status cli_verify_inputs(struct cli_session *session, const struct cli_verify_target *given,
                                   struct cuzk_error *err)
{
    struct cuzk_error reason = {0};
    struct work work = {.partitions = given->partitions};
    enum cuzk_status status = verify(session, given, &work, &reason);

    if (status == CUZK_OK || status == CUZK_INVALID) {
        const enum cuzk_status told = report(session, &work, status == CUZK_OK, reason.message, &reason);

        if (told != CUZK_OK)
            status = told;
    }
    if (status != CUZK_OK)
        *err = reason;
    cuzk_prepared_vk_destroy(work.prepared);
    cuzk_vk_destroy(&work.vk);
    cuzk_mem_free(work.proof);
    return status;
}
