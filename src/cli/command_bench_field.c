#include "bench/field.h"
#include "cli/bench_report.h"
#include "cli/command.h"

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    struct cuzk_bench_result results[CUZK_BENCH_FIELD_CASES];
    size_t cases;

    (void)values;
    (void)arguments;
    (void)count;
    CUZK_TRY(cuzk_bench_field(&session->progress, results, &cases, err));
    return cli_bench_report(session, "field", results, cases, err);
}

static const struct cuzk_option options[] = {CLI_COMMON_OPTIONS};

const struct cli_command cli_bench_field = {
    .name = "bench field",
    .arguments = "",
    .summary = "speed of Fp and Fr arithmetic on one thread",
    .text = "Measures multiplication and inversion in the base field (Fp) and the scalar field (Fr) of "
            "BLS12-381, on "
            "one thread, and prints the median of the samples.\n"
            "CUZK_CPU=portable or adx in the environment measures the slower levels.",
    .example = "cuzk bench field --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct cli_common),
    .run = run,
};
