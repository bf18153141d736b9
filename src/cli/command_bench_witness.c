#include "bench/witness.h"
#include "cli/bench_report.h"
#include "cli/command.h"
#include "srs/circuit_id.h"

struct witness_options {
    struct cli_common common;
    struct cuzk_option_number threads, sector_size;
    const char *circuit;
};

enum { DEFAULT_SECTOR_SIZE = 2048 };

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct witness_options *given = values;
    struct cuzk_bench_result results[CUZK_BENCH_WITNESS_CASES];
    struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP,
                                 given->sector_size.set ? given->sector_size.value : DEFAULT_SECTOR_SIZE};

    (void)arguments;
    (void)count;
    if (given->circuit != NULL)
        CUZK_TRY(cuzk_circuit_id_parse(given->circuit, &id, err));
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(cuzk_bench_witness(session->pool, &id, &session->progress, results, err));
    return cli_bench_report(session, "witness", results, CUZK_BENCH_WITNESS_CASES, err);
}

static const struct cuzk_option options[] = {
    {.name = "sector-size",
     .type = CUZK_OPTION_SIZE,
     .offset = offsetof(struct witness_options, sector_size),
     .placeholder = "SIZE",
     .help = "2KiB to 64GiB; 2KiB where not given"},
    {.name = "circuit",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct witness_options, circuit),
     .placeholder = "NAME",
     .help = "any of cuzk circuit list, in place of --sector-size"},
    CLI_THREADS_OPTION(struct witness_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_witness = {
    .name = "bench witness",
    .arguments = "",
    .summary = "speed of making the witness of a partition",
    .text = "Makes the witness of one partition of synthetic sectors again and again and prints the median. "
            "A PoRep "
            "partition of 32GiB takes about 90 MiB of memory, one of WindowPoSt 4 GiB.",
    .example = "cuzk bench witness --circuit winning-32g --threads 1",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct witness_options),
    .run = run,
};
