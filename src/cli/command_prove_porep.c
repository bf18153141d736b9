#include "base/clock.h"
#include "cli/case_prover.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "cli/porep_options.h"
#ifdef CUZK_HAVE_SERVER
#include "cli/remote_prove.h"
#endif

struct prove_options {
    struct cli_common common;
    struct cli_prove_options prove;
    struct cli_porep_options porep;
    const char *c1;
};

static enum cuzk_status open_case(struct cli_session *session, const void *values,
                                  struct cuzk_timeline *timeline, struct cuzk_case **out,
                                  struct cuzk_error *err)
{
    const struct prove_options *given = values;
    struct cuzk_porep_case *porep;
    struct cuzk_file_map file;
    uint64_t begin = cuzk_clock_ns();

    *out = NULL;
    CUZK_TRY(cli_porep_open(session, &given->porep, given->c1, &file, &porep, err));
    cuzk_timeline_add(timeline, "host", "decode C1", CUZK_TIMELINE_NO_PARTITION, begin);
    cuzk_file_map_drop(&file, 0, file.length);
    begin = cuzk_clock_ns();
    const enum cuzk_status status = cuzk_porep_case_check(porep, file.path, session->pool, err);

    cuzk_timeline_add(timeline, "host", "check vanilla", CUZK_TIMELINE_NO_PARTITION, begin);
    cuzk_file_map_close(&file);
    if (status == CUZK_OK)
        *out = &porep->common;
    else
        cuzk_case_close(&porep->common);
    return status;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct prove_options *given = values;
    struct cli_job job = {.kind = "porep", .c1 = given->c1, .sector_number = given->porep.sector_number};
    const struct cli_case_source source = {
        .kind = "porep", .name = given->c1, .open = open_case, .given = given, .job = &job};

    (void)arguments;
    (void)count;
#ifdef CUZK_HAVE_SERVER
    if (given->prove.remote)
        CUZK_TRY(cli_remote_porep(&given->porep, &job, err));
#endif
    return cli_case_prove(session, &given->prove, &source, err);
}

static const struct cuzk_option options[] = {
    {.name = "c1",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, c1),
     .placeholder = "FILE",
     .required = true,
     .help = "output of commit phase 1, raw or wrapped as Curio does; - for standard input"},
    CLI_PROVE_OPTIONS(struct prove_options, prove),
    CLI_POREP_OPTIONS(struct prove_options, porep),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_prove_porep = {
    .name = "prove porep",
    .arguments = "",
    .summary = "prove a sealed sector: commit phase 2",
    .text =
        "Takes the output of commit phase 1, checks every vanilla proof in it, makes a Groth16 proof of each "
        "partition, verifies it, and writes the proofs one behind the other: what the chain accepts, "
        "provided the "
        "parameters are the published ones.",
    .example = "cuzk prove porep --c1 c1.json --params-dir test-params --out proof.bin\n"
               "cuzk prove porep --c1 c1.json --miner-id 1000 --sector-number 7 --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct prove_options),
    .run = run,
};
