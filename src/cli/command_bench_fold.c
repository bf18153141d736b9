#include "bench/fold.h"
#include "cli/bench_report.h"
#include "cli/command.h"
#include "srs/circuit_id.h"

struct fold_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    const char *circuit;
};

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct fold_options *given = values;
    struct cuzk_bench_result results[CUZK_BENCH_FOLD_CASES];
    struct cuzk_circuit_id id;

    (void)arguments;
    (void)count;
    CUZK_TRY(cuzk_circuit_id_parse(given->circuit, &id, err));
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(cuzk_bench_fold(session->pool, &id, &session->progress, results, err));
    return cli_bench_report(session, "fold", results, CUZK_BENCH_FOLD_CASES, err);
}

static const struct cuzk_option options[] = {
    {.name = "circuit",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct fold_options, circuit),
     .placeholder = "NAME",
     .fallback = "porep-2k",
     .help = "porep-2k, wpost-32g, snap-32g and so on"},
    CLI_THREADS_OPTION(struct fold_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_fold = {
    .name = "bench fold",
    .arguments = "",
    .summary = "speed of folding C into l, as deriving a key does",
    .text = "Sorts the terms of a circuit's matrix C by columns and multiplies each column with points, "
            "once: what "
            "cuzk derive does on processors while the device transforms h. Memory is 96 bytes a row and "
            "eight a term "
            "and a variable: 16 GB for porep-32g.",
    .example = "cuzk bench fold --circuit porep-2k --threads 1",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct fold_options),
    .run = run,
};
