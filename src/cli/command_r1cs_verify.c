#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/command.h"
#include "groth16/snarkjs_json.h"
#include "groth16/verify.h"

struct verify_options {
    struct cli_common common;
    const char *vkey, *proof, *public_inputs;
};

enum { JSON_BYTES_MOST = 1 << 28 };

struct work {
    struct cuzk_file_map vkey, proof, public_inputs;
    struct cuzk_vk vk;
    struct cuzk_prepared_vk *prepared;
    uint8_t bytes[CUZK_PROOF_BYTES];
    struct cuzk_fr *inputs;
    size_t count;
    uint64_t verify_ns;
};

static enum cuzk_status verify(const struct verify_options *given, struct work *work, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_file_map_open(given->vkey, "verification key", JSON_BYTES_MOST, &work->vkey, err));
    CUZK_TRY(cuzk_file_map_open(given->proof, "proof", JSON_BYTES_MOST, &work->proof, err));
    CUZK_TRY(cuzk_file_map_open(given->public_inputs, "public signals", JSON_BYTES_MOST, &work->public_inputs,
                                err));
    CUZK_TRY(
        cuzk_snarkjs_vkey_read(given->vkey, work->vkey.bytes, (size_t)work->vkey.length, &work->vk, err));
    CUZK_TRY(cuzk_snarkjs_proof_read(given->proof, work->proof.bytes, (size_t)work->proof.length, work->bytes,
                                     err));
    CUZK_TRY(cuzk_snarkjs_public_read(given->public_inputs, work->public_inputs.bytes,
                                      (size_t)work->public_inputs.length, &work->inputs, &work->count, err));
    if (work->vk.ic_count != work->count + 1)
        return cuzk_error_set(err, CUZK_INPUT, "%s: expected %u public signals as the key has, found %zu",
                              given->public_inputs, work->vk.ic_count - 1, work->count);
    CUZK_TRY(cuzk_prepared_vk_create(NULL, &work->vk, &work->prepared, err));
    const struct cuzk_public_inputs inputs = {work->inputs, work->count};
    const uint64_t begin = cuzk_clock_ns();
    const enum cuzk_status status =
        cuzk_verify(work->prepared, &inputs, work->bytes, sizeof work->bytes, err);

    work->verify_ns = cuzk_clock_ns() - begin;
    return status;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    struct work work = {0};

    (void)arguments;
    (void)count;
    const enum cuzk_status status = verify(values, &work, err);

    cuzk_prepared_vk_destroy(work.prepared);
    cuzk_vk_destroy(&work.vk);
    cuzk_mem_free(work.inputs);
    cuzk_file_map_close(&work.vkey);
    cuzk_file_map_close(&work.proof);
    cuzk_file_map_close(&work.public_inputs);
    if (status != CUZK_OK && status != CUZK_INVALID)
        return status;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_bool(json, "valid", status == CUZK_OK);
        cuzk_json_write_member_double(json, "verify_ms", (double)work.verify_ns / 1e6, 3);
    }
    cli_session_say(session, "%s", status == CUZK_OK ? "valid" : "INVALID");
    CUZK_TRY(cli_session_answer_end(session, err));
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "vkey",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, vkey),
     .placeholder = "FILE",
     .required = true,
     .help = "the verification key (vkey.json)"},
    {.name = "proof",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, proof),
     .placeholder = "FILE",
     .required = true,
     .help = "the proof (proof.json)"},
    {.name = "public",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, public_inputs),
     .placeholder = "FILE",
     .required = true,
     .help = "the public signals (public.json)"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_r1cs_verify = {
    .name = "r1cs verify",
    .arguments = "",
    .summary = "check a proof in snarkjs' format",
    .text = "Checks a Groth16 proof over BLS12-381. Ends with 0 where it is valid and 1 where it is not. "
            "Points are tested "
            "to be on the curve and in the subgroup.",
    .example = "cuzk r1cs verify --vkey vkey.json --proof proof.json --public public.json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run,
};
