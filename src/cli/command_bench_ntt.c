#include "bench/ntt.h"

#include <string.h>

#include "backend/choice.h"
#include "bench/point_ntt.h"
#include "cli/bench_device.h"
#include "cli/bench_report.h"
#include "cli/command.h"

struct ntt_options {
    struct cli_common common;
    struct cuzk_option_number threads, log_size;
    const char *backend;
    bool points;
};

enum { DEFAULT_LOG_SIZE = 20 };

static enum cuzk_status run_points(struct cli_session *session, const char *device, unsigned log_size,
                                   struct cuzk_error *err)
{
    struct cuzk_bench_result result;
    struct cuzk_backend *backend;

    CUZK_TRY(cuzk_backend_open(device != NULL ? device : "cpu", session->pool, &backend, err));
    const enum cuzk_status status = cuzk_bench_point_ntt(backend, log_size, &session->progress, &result, err);
    cuzk_backend_destroy(backend);
    CUZK_TRY(status);
    return cli_bench_report(session, "ntt", &result, 1, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct ntt_options *given = values;
    struct cuzk_bench_result results[CUZK_BENCH_NTT_CASES];
    const unsigned log_size = given->log_size.set ? (unsigned)given->log_size.value : DEFAULT_LOG_SIZE;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    if (given->points)
        return run_points(session, given->backend, log_size, err);
    if (given->backend != NULL && strcmp(given->backend, "cpu") != 0)
        return cli_bench_device(session, given->backend, CUZK_BENCH_DEVICE_NTT, log_size, err);
    CUZK_TRY(cuzk_bench_ntt(session->pool, log_size, &session->progress, results, err));
    return cli_bench_report(session, "ntt", results, CUZK_BENCH_NTT_CASES, err);
}

static const struct cuzk_option options[] = {
    {.name = "log-size",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct ntt_options, log_size),
     .placeholder = "N",
     .help = "transform 2^N elements; 20 where not given",
     .min = 1,
     .max = 32},
    {.name = "backend",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct ntt_options, backend),
     .placeholder = "NAME",
     .help = "cpu, or cuda[:DEVICE] for a device's operations with resident data; cpu where not given"},
    {.name = "points",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct ntt_options, points),
     .help = "transform points of G1, as deriving a key does: once, which takes seconds to minutes"},
    CLI_THREADS_OPTION(struct ntt_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_ntt = {
    .name = "bench ntt",
    .arguments = "",
    .summary = "speed of transforms over the scalar field",
    .text = "Measures number-theoretic transforms and the quotient of Groth16, which is six of them. "
            "Memory is 128 bytes an element: 512 MiB for 2^22.",
    .example = "cuzk bench ntt --log-size 22 --threads 1",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct ntt_options),
    .run = run,
};
