#include "bench/msm.h"

#include <string.h>

#include "cli/bench_device.h"
#include "cli/bench_report.h"
#include "cli/command.h"

struct msm_options {
    struct cli_common common;
    struct cuzk_option_number threads, log_size;
    const char *backend;
};

enum { DEFAULT_LOG_SIZE = 18 };

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct msm_options *given = values;
    struct cuzk_bench_result results[CUZK_BENCH_MSM_CASES];
    const unsigned log_size = given->log_size.set ? (unsigned)given->log_size.value : DEFAULT_LOG_SIZE;
    size_t cases;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    if (given->backend != NULL && strcmp(given->backend, "cpu") != 0)
        return cli_bench_device(session, given->backend, CUZK_BENCH_DEVICE_MSM, log_size, err);
    CUZK_TRY(cuzk_bench_msm(session->pool, log_size, &session->progress, results, &cases, err));
    return cli_bench_report(session, "msm", results, cases, err);
}

static const struct cuzk_option options[] = {
    {.name = "log-size",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct msm_options, log_size),
     .placeholder = "N",
     .help = "2^N points; 18 where not given",
     .min = 6,
     .max = 28},
    {.name = "backend",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct msm_options, backend),
     .placeholder = "NAME",
     .help = "cpu, or cuda[:DEVICE] for a device's operations with resident data; cpu where not given"},
    CLI_THREADS_OPTION(struct msm_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_msm = {
    .name = "bench msm",
    .arguments = "",
    .summary = "speed of multi-scalar multiplication in G1 and G2",
    .text = "Measures sums of scalar times point over random scalars, over the bytes of a parameter file and "
            "over bits, and multiples of one base as setup needs them. G2 is left out above 2^22 points. "
            "Memory is about 600 bytes a point.",
    .example = "cuzk bench msm --log-size 20 --threads 1",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct msm_options),
    .run = run,
};
