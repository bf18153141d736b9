#include "bench/decode.h"
#include "cli/bench_report.h"
#include "cli/command.h"

struct decode_options {
    struct cli_common common;
    struct cuzk_option_number threads, sector_size;
};

enum { DEFAULT_LOG2_SECTOR_SIZE = 35 };

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct decode_options *given = values;
    struct cuzk_bench_result results[CUZK_BENCH_DECODE_CASES];
    const uint64_t sector_size =
        given->sector_size.set ? given->sector_size.value : UINT64_C(1) << DEFAULT_LOG2_SECTOR_SIZE;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(cuzk_bench_decode(session->pool, sector_size, &session->progress, results, err));
    return cli_bench_report(session, "decode", results, CUZK_BENCH_DECODE_CASES, err);
}

static const struct cuzk_option options[] = {
    {.name = "sector-size",
     .type = CUZK_OPTION_SIZE,
     .offset = offsetof(struct decode_options, sector_size),
     .placeholder = "SIZE",
     .help = "2KiB to 64GiB; 32GiB where not given"},
    CLI_THREADS_OPTION(struct decode_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_decode = {
    .name = "bench decode",
    .arguments = "",
    .summary = "speed of reading, writing and checking C1 outputs",
    .text =
        "Decodes the C1 output of a synthetic sector, plain and wrapped, writes it, and checks its vanilla "
        "proofs, again and again, and prints the medians. Decoding and writing use one thread.",
    .example = "cuzk bench decode --sector-size 32GiB",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct decode_options),
    .run = run,
};
