#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "cli/porep_options.h"
#include "cli/proof_file.h"
#include "engine/public_file.h"
#include "groth16/params.h"
#include "groth16/prove.h"
#include "groth16/verify.h"

struct verify_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    struct cli_porep_options porep;
    const char *proof, *c1, *public_inputs, *vk, *params_dir;
};

struct work {
    struct cuzk_vk vk;
    struct cuzk_prepared_vk *prepared;
    struct cuzk_porep_case porep;
    struct cuzk_public_file public_file;
    struct cuzk_public_inputs *inputs; /* [partitions] */
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

/* The key of a circuit in the parameter directory: its .vk file, else the head of its .params file. */
static enum cuzk_status find_vk(struct cli_session *session, const struct verify_options *given,
                                const struct cuzk_circuit_id *id, struct cuzk_vk *vk, struct cuzk_error *err)
{
    char path[CUZK_PARAMETER_PATH];

    CUZK_TRY(cuzk_parameter_path(cuzk_parameter_directory(given->params_dir), id, ".vk", path, err));
    if (access(path, R_OK) == 0)
        return read_vk(path, true, vk, err);
    CUZK_TRY(cuzk_parameter_path(cuzk_parameter_directory(given->params_dir), id, ".params", path, err));
    if (access(path, R_OK) == 0)
        return read_vk(path, false, vk, err);
    return cli_parameters_find(session, given->params_dir, id, ".vk", path, err);
}

static enum cuzk_status inputs_from_c1(struct cli_session *session, const struct verify_options *given,
                                       struct work *work, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_porep_facts facts;
    struct cuzk_file_map map;

    CUZK_TRY(cli_porep_facts(&given->porep, &facts, err));
    CUZK_TRY(cuzk_file_map_open(given->c1, "C1 output", CUZK_C1_BYTES_MOST, &map, err));
    CUZK_TRY_OUT(cuzk_porep_case_open(map.path, map.bytes, (size_t)map.length, &facts, &session->log,
                                      &work->porep, err));
    CUZK_TRY_OUT(cuzk_porep_case_check_owner(&work->porep, map.path, err));
    work->partitions = work->porep.common.partitions;
    CUZK_TRY_OUT(CUZK_NEW(&work->inputs, work->partitions, "public inputs", err));
    for (unsigned k = 0; k < work->porep.common.partitions; k++)
        work->inputs[k] =
            (struct cuzk_public_inputs){cuzk_porep_case_inputs(&work->porep, k), work->porep.common.inputs};
out:
    cuzk_file_map_close(&map);
    return status;
}

static enum cuzk_status inputs_from_file(const struct verify_options *given, struct work *work,
                                         struct cuzk_error *err)
{
    struct cuzk_file_map map;
    const struct cuzk_fr *values;

    CUZK_TRY(cuzk_file_map_open(given->public_inputs, "public inputs", CUZK_PUBLIC_BYTES_MOST, &map, err));
    const enum cuzk_status status =
        cuzk_public_file_decode(map.path, map.bytes, (size_t)map.length, &work->public_file, err);

    cuzk_file_map_close(&map);
    if (status != CUZK_OK)
        return status;
    work->partitions = work->public_file.partitions;
    CUZK_TRY(CUZK_NEW(&work->inputs, work->partitions, "public inputs", err));
    values = work->public_file.values;
    for (size_t k = 0; k < work->partitions; k++) {
        work->inputs[k] = (struct cuzk_public_inputs){values, work->public_file.counts[k]};
        values += work->public_file.counts[k];
    }
    return CUZK_OK;
}

/* What does not fit is bad input, not an invalid proof. */
static enum cuzk_status check_counts(const struct verify_options *given, const struct work *work,
                                     struct cuzk_error *err)
{
    const size_t expected = cuzk_prepared_vk_inputs(work->prepared);

    for (size_t k = 0; k < work->partitions; k++)
        if (work->inputs[k].count != expected)
            return cuzk_error_set(
                err, CUZK_INPUT, "%s: partition %zu: expected %zu public inputs as the key has, found %zu",
                given->c1 != NULL ? given->c1 : given->public_inputs, k, expected, work->inputs[k].count);
    if (work->proof_length != work->partitions * CUZK_PROOF_BYTES)
        return cuzk_error_set(err, CUZK_INPUT, "%s: proof: expected %zu bytes for %zu partition%s, found %zu",
                              given->proof, work->partitions * CUZK_PROOF_BYTES, work->partitions,
                              work->partitions == 1 ? "" : "s", work->proof_length);
    return CUZK_OK;
}

static enum cuzk_status verify(struct cli_session *session, const struct verify_options *given,
                               struct work *work, struct cuzk_error *err)
{
    CUZK_TRY(cli_proof_read(given->proof, &work->proof, &work->proof_length, err));
    if (given->c1 != NULL)
        CUZK_TRY(inputs_from_c1(session, given, work, err));
    else
        CUZK_TRY(inputs_from_file(given, work, err));
    if (given->vk != NULL) {
        CUZK_TRY(read_vk(given->vk, true, &work->vk, err));
    } else if (given->c1 != NULL) {
        const struct cuzk_circuit_id id = work->porep.common.circuit;

        CUZK_TRY(find_vk(session, given, &id, &work->vk, err));
    } else {
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "--vk: needed with --public, since nothing else names the circuit");
    }
    CUZK_TRY(cuzk_prepared_vk_create(session->pool, &work->vk, &work->prepared, err));
    CUZK_TRY(check_counts(given, work, err));
    const uint64_t begin = cuzk_clock_ns();
    const enum cuzk_status status =
        cuzk_verify_many(session->pool, work->prepared, work->inputs, work->partitions, work->proof,
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

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct verify_options *given = values;
    struct cuzk_error reason = {0};
    struct work work = {0};

    (void)arguments;
    (void)count;
    if ((given->c1 != NULL) == (given->public_inputs != NULL))
        return cuzk_error_set(err, CUZK_ARGUMENT, "verify porep: expected one of --c1 and --public");
    CUZK_TRY(cli_session_pool(session, given->threads, err));
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
    cuzk_porep_case_close(&work.porep);
    cuzk_public_file_destroy(&work.public_file);
    cuzk_mem_free(work.inputs);
    cuzk_mem_free(work.proof);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "proof",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, proof),
     .placeholder = "FILE",
     .required = true,
     .help = "the proof: 192 bytes a partition, or the same in hex"},
    {.name = "c1",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, c1),
     .placeholder = "FILE",
     .help = "the C1 output that was proved: its commitments and seed give the public inputs"},
    {.name = "public",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, public_inputs),
     .placeholder = "FILE",
     .help = "the public inputs themselves, in place of --c1: JSON lines {\"inputs\": [hex, ...]}, one a "
             "partition"},
    {.name = "vk",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, vk),
     .placeholder = "FILE",
     .help = "the verifying key; by default the one in the parameter directory"},
    CLI_PARAMETERS_OPTION(struct verify_options, params_dir),
    CLI_POREP_OPTIONS(struct verify_options, porep),
    CLI_THREADS_OPTION(struct verify_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_verify_porep = {
    .name = "verify porep",
    .arguments = "",
    .summary = "check a proof of a sealed sector",
    .text = "Derives the public inputs as a verifier does, from commitments, seed and graph (or takes them "
            "as given), and "
            "checks the proof of every partition. Ends with 0 where it is valid and 1 where it is not.",
    .example = "cuzk verify porep --proof proof.bin --c1 c1.json --params-dir test-params\n"
               "cuzk verify porep --proof proof.bin --public inputs.json --vk key.vk",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run,
};
