#include "base/file.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "cli/verify_inputs.h"
#include "engine/post_public.h"
#include "engine/public_file.h"

struct verify_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    const char *proof, *request, *public_inputs, *vk, *params_dir;
};

struct work {
    struct cuzk_post_public public_side;
    struct cuzk_public_file file;
    struct cuzk_fr *values;
    struct cuzk_public_inputs *inputs; /* [partitions] */
    size_t partitions;
    struct cuzk_circuit_id circuit;
};

static enum cuzk_status inputs_of_request(const struct verify_options *given, bool winning, struct work *work,
                                          struct cuzk_error *err)
{
    struct cuzk_file_map map;

    CUZK_TRY(cuzk_file_map_open(given->request, "request", CUZK_POST_PUBLIC_BYTES_MOST, &map, err));
    const enum cuzk_status status =
        cuzk_post_public_decode(map.path, map.bytes, (size_t)map.length, winning, &work->public_side, err);

    cuzk_file_map_close(&map);
    if (status != CUZK_OK)
        return status;
    const unsigned each = cuzk_post_input_count(&work->public_side.config);

    work->partitions = cuzk_post_public_partitions(&work->public_side);
    work->circuit = (struct cuzk_circuit_id){winning ? CUZK_CIRCUIT_WINNING : CUZK_CIRCUIT_WPOST,
                                             work->public_side.config.sector_size};
    CUZK_TRY(CUZK_NEW(&work->values, work->partitions * each, "public inputs", err));
    CUZK_TRY(CUZK_NEW(&work->inputs, work->partitions, "public inputs", err));
    for (unsigned k = 0; k < work->partitions; k++) {
        work->inputs[k] = (struct cuzk_public_inputs){work->values + (size_t)k * each, each};
        cuzk_post_public_inputs(&work->public_side, k, work->values + (size_t)k * each);
    }
    return CUZK_OK;
}

static enum cuzk_status load(const struct verify_options *given, bool winning, struct work *work,
                             struct cuzk_error *err)
{
    if (given->request != NULL)
        return inputs_of_request(given, winning, work, err);
    CUZK_TRY(cli_public_inputs_read(given->public_inputs, &work->file, &work->inputs, err));
    work->partitions = work->file.partitions;
    return CUZK_OK;
}

static enum cuzk_status run(struct cli_session *session, const struct verify_options *given, bool winning,
                            struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct work work = {0};

    if ((given->request != NULL) == (given->public_inputs != NULL))
        return cuzk_error_set(err, CUZK_ARGUMENT, "verify %s: expected one of --request and --public",
                              winning ? "winning" : "wpost");
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY_OUT(load(given, winning, &work, err));
    const struct cli_verify_target target = {
        .source = given->request != NULL ? given->request : given->public_inputs,
        .proof = given->proof,
        .vk = given->vk,
        .params_dir = given->params_dir,
        .circuit = given->request != NULL ? &work.circuit : NULL,
        .inputs = work.inputs,
        .partitions = work.partitions,
    };
    status = cli_verify_inputs(session, &target, err);
out:
    cuzk_post_public_destroy(&work.public_side);
    cuzk_public_file_destroy(&work.file);
    cuzk_mem_free(work.values);
    cuzk_mem_free(work.inputs);
    return status;
}

static enum cuzk_status run_winning(struct cli_session *session, const void *values,
                                    const char *const *arguments, size_t count, struct cuzk_error *err)
{
    (void)arguments;
    (void)count;
    return run(session, values, true, err);
}

static enum cuzk_status run_wpost(struct cli_session *session, const void *values,
                                  const char *const *arguments, size_t count, struct cuzk_error *err)
{
    (void)arguments;
    (void)count;
    return run(session, values, false, err);
}

static const struct cuzk_option options[] = {
    {.name = "proof",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, proof),
     .placeholder = "FILE",
     .required = true,
     .help = "the proof: 192 bytes a partition, or the same in hex"},
    {.name = "request",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, request),
     .placeholder = "FILE",
     .help =
         "JSON with sector_size, registered_proof (or api_version), randomness and sectors: they give the "
         "public inputs"},
    {.name = "public",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, public_inputs),
     .placeholder = "FILE",
     .help =
         "the public inputs themselves, in place of --request: JSON lines {\"inputs\": [hex, ...]}, one a "
         "partition"},
    {.name = "vk",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, vk),
     .placeholder = "FILE",
     .help = "the verifying key; by default the one in the parameter directory"},
    CLI_PARAMETERS_OPTION(struct verify_options, params_dir),
    CLI_THREADS_OPTION(struct verify_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_verify_winning = {
    .name = "verify winning",
    .arguments = "",
    .summary = "check a proof that the sector drawn for a block is there",
    .text =
        "Derives the public inputs as the chain does, from randomness, sector ids and comm_r (or takes them "
        "as given), and checks the proof of every partition. Ends with 0 where it is valid and 1 where it is "
        "not.",
    .example = "cuzk verify winning --proof proof.bin --request post.json --params-dir test-params",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run_winning,
};

const struct cli_command cli_verify_wpost = {
    .name = "verify wpost",
    .arguments = "",
    .summary = "check a proof that a deadline's sectors are there",
    .text =
        "Derives the public inputs as the chain does, from randomness, sector ids and comm_r (or takes them "
        "as given), and checks the proof of every partition. Ends with 0 where it is valid and 1 where it is "
        "not.",
    .example = "cuzk verify wpost --proof proof.bin --request post.json --params-dir test-params",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run_wpost,
};
