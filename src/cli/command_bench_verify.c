#include "bench/verify.h"
#include "cli/bench_report.h"
#include "cli/command.h"

struct verify_options {
    struct cli_common common;
    struct cuzk_option_number threads, inputs, batch;
};

enum { DEFAULT_INPUTS = 39, DEFAULT_BATCH = 100 };

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct verify_options *given = values;
    struct cuzk_bench_result results[CUZK_BENCH_VERIFY_CASES];
    const size_t inputs = given->inputs.set ? (size_t)given->inputs.value : DEFAULT_INPUTS,
                 batch = given->batch.set ? (size_t)given->batch.value : DEFAULT_BATCH;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(cuzk_bench_verify(session->pool, inputs, batch, &session->progress, results, err));
    return cli_bench_report(session, "verify", results, CUZK_BENCH_VERIFY_CASES, err);
}

static const struct cuzk_option options[] = {
    {.name = "inputs",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct verify_options, inputs),
     .placeholder = "N",
     .help = "public inputs of the circuit; 39 where not given, as a PoRep of 2 KiB has",
     .min = 1,
     .max = 4096},
    {.name = "batch",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct verify_options, batch),
     .placeholder = "N",
     .help = "proofs verified at once; 100 where not given",
     .min = 2,
     .max = 65536},
    CLI_THREADS_OPTION(struct verify_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_verify = {
    .name = "bench verify",
    .arguments = "",
    .summary = "speed of verifying proofs",
    .text = "Measures preparing a verifying key, decoding a proof, verifying one, and verifying many at once "
            "by a random linear combination. Key and proofs are made up for the run.",
    .example = "cuzk bench verify --batch 100 --threads 1",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run,
};
