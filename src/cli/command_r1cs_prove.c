#include <string.h>

#include "backend/choice.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/output.h"
#include "groth16/snarkjs_json.h"
#include "groth16/zkey.h"
#include "r1cs/circom_r1cs.h"
#include "r1cs/circom_wtns.h"

struct prove_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    const char *zkey, *wtns, *r1cs, *proof, *public_inputs, *backend;
};

struct work {
    struct cuzk_zkey zkey;
    struct cuzk_r1cs *r1cs;
    struct cuzk_witness witness;
    struct cuzk_backend *backend;
    struct cuzk_prover *prover;
    struct cuzk_prove_times times;
    uint8_t proof[CUZK_PROOF_BYTES];
};

static enum cuzk_status read_inputs(const struct prove_options *given, struct work *work,
                                    struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_file_map map;

    CUZK_TRY(cuzk_file_map_open(given->zkey, "proving key", 0, &map, err));
    status = cuzk_zkey_decode(given->zkey, map.bytes, map.length, &work->zkey, err);
    cuzk_file_map_close(&map);
    CUZK_TRY(status);
    CUZK_TRY(cuzk_witness_create(&work->zkey.layout, &work->witness, err));
    CUZK_TRY(cuzk_file_map_open(given->wtns, "witness", 0, &map, err));
    status =
        cuzk_circom_wtns_decode(given->wtns, map.bytes, map.length, &work->zkey.layout, &work->witness, err);
    cuzk_file_map_close(&map);
    CUZK_TRY(status);
    if (given->r1cs == NULL)
        return CUZK_OK;
    CUZK_TRY(cuzk_file_map_open(given->r1cs, "constraint system", 0, &map, err));
    status = cuzk_circom_r1cs_decode(given->r1cs, map.bytes, map.length, &work->r1cs, NULL, err);
    cuzk_file_map_close(&map);
    return status;
}

/* With the constraint system at hand: whether key and witness belong to it. */
static enum cuzk_status check(struct cli_session *session, const struct prove_options *given,
                              const struct work *work, struct cuzk_error *err)
{
    const struct cuzk_r1cs *key = work->zkey.r1cs, *r1cs = work->r1cs;

    if (r1cs == NULL)
        return CUZK_OK;
    if (r1cs->inputs != key->inputs || r1cs->aux != key->aux)
        return cuzk_error_set(err, CUZK_INPUT,
                              "%s: is not the key of %s: expected %u inputs and %u aux, found %u and %u",
                              given->zkey, given->r1cs, r1cs->inputs, r1cs->aux, key->inputs, key->aux);
    const enum cuzk_status status =
        cuzk_r1cs_check(r1cs, &work->zkey.layout, &work->witness, session->pool, err);

    return status == CUZK_OK ? CUZK_OK : cuzk_error_prefix(err, status, "%s", given->wtns);
}

static enum cuzk_status write_proof(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    return cuzk_snarkjs_proof_write(what, sink, err);
}

static enum cuzk_status write_public(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    const struct work *work = what;

    return cuzk_snarkjs_public_write(work->witness.inputs + 1, work->zkey.layout.inputs - 1, sink, err);
}

static enum cuzk_status run_work(struct cli_session *session, const struct prove_options *given,
                                 struct work *work, struct cuzk_error *err)
{
    CUZK_TRY(cli_output_check("proof", given->proof, true, session->json, err));
    CUZK_TRY(cli_output_check("public", given->public_inputs, true, session->json, err));
    CUZK_TRY(read_inputs(given, work, err));
    CUZK_TRY(check(session, given, work, err));
    CUZK_TRY(cuzk_backend_open(given->backend, session->pool, &work->backend, err));
    CUZK_TRY(cuzk_prover_create(work->backend, work->zkey.r1cs, &work->zkey.layout, &work->zkey.params,
                                &work->zkey.form, &work->prover, err));
    const enum cuzk_status status =
        cuzk_prover_prove(work->prover, &work->witness, &session->progress, &work->times, work->proof, err);

    if (status == CUZK_UNSATISFIED && given->r1cs == NULL)
        cli_session_hint(session,
                         "give --r1cs FILE too, and the first constraint that does not hold is named");
    CUZK_TRY(status);
    CUZK_TRY(cli_output(given->proof, true, write_proof, work->proof, err));
    if (given->public_inputs != NULL)
        CUZK_TRY(cli_output(given->public_inputs, true, write_public, work, err));
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "kind", "r1cs");
        cuzk_json_write_member_string(json, "backend", work->backend->ops->name);
        cuzk_json_write_member_string(json, "proof", given->proof);
        cuzk_json_write_member_string(json, "public", given->public_inputs);
        cuzk_json_write_member_double(json, "prove_ms", (double)work->times.total / 1e6, 3);
        cuzk_json_write_member_double(json, "total_ms", (double)(cuzk_clock_ns() - session->started_ns) / 1e6,
                                      3);
        cuzk_json_write_member_bool(json, "verified", true);
        cuzk_json_write_member_hex(json, "proof_hex", work->proof, sizeof work->proof);
    }
    if (strcmp(given->proof, "-") != 0)
        cli_session_say(session, "%s", given->proof);
    return cli_session_answer_end(session, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct prove_options *given = values;
    struct work work = {0};

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    const enum cuzk_status status = run_work(session, given, &work, err);

    cuzk_prover_destroy(work.prover);
    cuzk_backend_destroy(work.backend);
    cuzk_witness_destroy(&work.witness);
    cuzk_r1cs_destroy(work.r1cs);
    cuzk_zkey_destroy(&work.zkey);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "zkey",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, zkey),
     .placeholder = "FILE",
     .required = true,
     .help = "the proving key, of snarkjs or of `cuzk r1cs setup`"},
    {.name = "wtns",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, wtns),
     .placeholder = "FILE",
     .required = true,
     .help = "the witness, as circom's calculators write it"},
    {.name = "r1cs",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, r1cs),
     .placeholder = "FILE",
     .help =
         "the constraint system: the witness is checked against it first, and a failing constraint is named"},
    {.name = "proof",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, proof),
     .placeholder = "FILE",
     .required = true,
     .help = "where the proof goes (proof.json)"},
    {.name = "public",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, public_inputs),
     .placeholder = "FILE",
     .help = "where the public signals go (public.json)"},
    CLI_BACKEND_OPTION(struct prove_options),
    CLI_THREADS_OPTION(struct prove_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_r1cs_prove = {
    .name = "r1cs prove",
    .arguments = "",
    .summary = "prove a circom circuit",
    .text = "Makes a Groth16 proof of a circom witness with a snarkjs key over BLS12-381, verifies it, and "
            "writes it in "
            "snarkjs' JSON.",
    .example = "cuzk r1cs prove --zkey mul.zkey --wtns mul.wtns --r1cs mul.r1cs --proof proof.json --public "
               "public.json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct prove_options),
    .run = run,
};
