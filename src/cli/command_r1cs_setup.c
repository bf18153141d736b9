#include <string.h>

#include "backend/choice.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "cli/command.h"
#include "cli/output.h"
#include "groth16/snarkjs_json.h"
#include "groth16/zkey.h"
#include "r1cs/circom_r1cs.h"

struct setup_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    const char *r1cs, *zkey, *vkey, *backend;
    struct cuzk_option_hex32 seed;
};

struct work {
    struct cli_session *session;
    struct cuzk_backend *backend;
    struct cuzk_r1cs *r1cs;
    struct cuzk_toxic toxic;
    struct cuzk_vk vk;
};

static enum cuzk_status write_zkey(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    struct work *work = (struct work *)(uintptr_t)what;

    return cuzk_zkey_setup(work->backend, work->session->pool, work->r1cs, &work->toxic, sink,
                           &work->session->progress, &work->vk, err);
}

static enum cuzk_status write_vkey(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    return cuzk_snarkjs_vkey_write(what, sink, err);
}

static enum cuzk_status read_r1cs(const char *path, struct cuzk_r1cs **out, struct cuzk_error *err)
{
    struct cuzk_file_map map;

    CUZK_TRY(cuzk_file_map_open(path, "constraint system", 0, &map, err));
    const enum cuzk_status status = cuzk_circom_r1cs_decode(path, map.bytes, map.length, out, NULL, err);

    cuzk_file_map_close(&map);
    return status;
}

static enum cuzk_status run_work(const struct setup_options *given, struct work *work, struct cuzk_error *err)
{
    struct cli_session *session = work->session;
    struct cuzk_random random;

    CUZK_TRY(cli_output_check("zkey", given->zkey, false, session->json, err));
    CUZK_TRY(cli_output_check("vkey", given->vkey, false, session->json, err));
    CUZK_TRY(read_r1cs(given->r1cs, &work->r1cs, err));
    CUZK_TRY(cuzk_backend_open(given->backend, session->pool, &work->backend, err));
    if (given->seed.set)
        cuzk_random_init_seeded(&random, given->seed.bytes);
    else
        cuzk_random_init_system(&random);
    const enum cuzk_status drawn = cuzk_toxic_draw(&random, &work->toxic, err);

    cuzk_random_wipe(&random);
    CUZK_TRY(drawn);
    CUZK_TRY(cli_output(given->zkey, false, write_zkey, work, err));
    if (given->vkey != NULL)
        CUZK_TRY(cli_output(given->vkey, false, write_vkey, &work->vk, err));
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "zkey", given->zkey);
        cuzk_json_write_member_string(json, "vkey", given->vkey);
        cuzk_json_write_member_u64(json, "constraints", work->r1cs->constraints);
        cuzk_json_write_member_u64(json, "public_inputs", work->r1cs->inputs - 1);
        cuzk_json_write_member_bool(json, "insecure_seed", given->seed.set);
        cuzk_json_write_member_double(json, "total_ms", (double)(cuzk_clock_ns() - session->started_ns) / 1e6,
                                      1);
    }
    cli_session_say(session, "%s", given->zkey);
    return cli_session_answer_end(session, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct setup_options *given = values;
    struct work work = {.session = session};

    (void)arguments;
    (void)count;
    cuzk_log_line(
        &session->log, CUZK_LOG_WARNING,
        "TEST PARAMETERS: no ceremony stands behind this key; whoever makes one alone could forge proofs");
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    const enum cuzk_status status = run_work(given, &work, err);

    cuzk_toxic_wipe(&work.toxic);
    cuzk_vk_destroy(&work.vk);
    cuzk_r1cs_destroy(work.r1cs);
    cuzk_backend_destroy(work.backend);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "r1cs",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct setup_options, r1cs),
     .placeholder = "FILE",
     .required = true,
     .help = "the constraint system, as circom --prime bls12381 writes it"},
    {.name = "zkey",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct setup_options, zkey),
     .placeholder = "FILE",
     .required = true,
     .help = "where the proving key goes"},
    {.name = "vkey",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct setup_options, vkey),
     .placeholder = "FILE",
     .help = "where the verification key goes (vkey.json)"},
    {.name = "seed",
     .type = CUZK_OPTION_HEX32,
     .offset = offsetof(struct setup_options, seed),
     .placeholder = "HEX32",
     .help = "draw the secrets from this seed: reproducible, and openly insecure"},
    CLI_BACKEND_OPTION(struct setup_options),
    CLI_THREADS_OPTION(struct setup_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_r1cs_setup = {
    .name = "r1cs setup",
    .arguments = "",
    .summary = "make a test key for a circom circuit",
    .text = "Makes a Groth16 key for any circom circuit over BLS12-381, in snarkjs' file formats. For tests: "
            "a key that "
            "people should trust comes from a ceremony (`snarkjs zkey contribute`).",
    .example = "cuzk r1cs setup --r1cs mul.r1cs --zkey mul.zkey --vkey vkey.json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct setup_options),
    .run = run,
};
