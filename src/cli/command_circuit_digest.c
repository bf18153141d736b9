#include "cli/circuit_record.h"
#include "cli/circuit_report.h"
#include "cli/command.h"

struct digest_options {
    struct cli_common common;
    bool checkpoints;
    struct cuzk_option_number every;
    struct cuzk_option_number stop_after;
};

/* At most so many checkpoints are kept where no distance is given. */
enum { CHECKPOINTS = 128 };

static uint32_t default_every(const struct cli_circuit_size *size)
{
    uint32_t every = 1;

    while (size->aux / every >= CHECKPOINTS)
        every *= 2;
    return every;
}

/* Records a circuit and prints its facts; stop_after checkpoints (0: all of the circuit) the run ends and
 * only these are printed. */
static enum cuzk_status record_and_report(struct cli_session *session, const struct cuzk_circuit_id *id,
                                          uint32_t every, size_t stop_after, bool with_digest,
                                          struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cs_counts counts;
    struct cuzk_digest digest;

    CUZK_TRY(cuzk_digest_create(every, &digest, err));
    const struct cuzk_constraint_sink sink = cuzk_digest_sink(&digest);

    digest.checkpoint_limit = stop_after;
    status = cli_circuit_record(session, id, &sink, NULL, &counts, err);
    if (status == CUZK_CANCELLED && stop_after > 0 && digest.checkpoint_count == stop_after) {
        status = cli_circuit_report_prefix(session, id, &digest, err);
        goto out;
    }
    if (status != CUZK_OK)
        goto out;
    cuzk_digest_finish(&digest);
    CUZK_TRY_OUT(cli_circuit_report(session, id, &counts, &digest, with_digest, err));
out:
    cuzk_digest_destroy(&digest);
    return status;
}

static enum cuzk_status run_digest(struct cli_session *session, const void *values,
                                   const char *const *arguments, size_t count, struct cuzk_error *err)
{
    const struct digest_options *given = values;
    struct cuzk_circuit_id id;
    struct cli_circuit_size size;
    uint32_t every = 0;

    (void)count;
    CUZK_TRY(cuzk_circuit_id_parse(arguments[0], &id, err));
    CUZK_TRY(cli_circuit_size(&id, &size, err));
    if (given->every.set)
        every = (uint32_t)given->every.value;
    else if (given->checkpoints || given->stop_after.set)
        every = default_every(&size);
    return record_and_report(session, &id, every, given->stop_after.set ? (size_t)given->stop_after.value : 0,
                             true, err);
}

static enum cuzk_status run_show(struct cli_session *session, const void *values,
                                 const char *const *arguments, size_t count, struct cuzk_error *err)
{
    struct cuzk_circuit_id id;

    (void)values;
    (void)count;
    CUZK_TRY(cuzk_circuit_id_parse(arguments[0], &id, err));
    return record_and_report(session, &id, 0, 0, false, err);
}

static const struct cuzk_option digest_options[] = {
    {.name = "checkpoints",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct digest_options, checkpoints),
     .help =
         "print the running digest now and then too: where two circuits first differ holds the first wrong "
         "constraint"},
    {.name = "every",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct digest_options, every),
     .placeholder = "N",
     .min = 1,
     .max = UINT32_MAX,
     .help = "constraints between checkpoints; by default the smallest power of two that gives about 128 at "
             "most"},
    {.name = "stop-after",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct digest_options, stop_after),
     .placeholder = "N",
     .min = 1,
     .max = UINT32_MAX,
     .help = "stop after so many checkpoints and print them only: a quick look at a big circuit"},
    CLI_COMMON_OPTIONS,
};

static const struct cuzk_option show_options[] = {CLI_COMMON_OPTIONS};

const struct cli_command cli_circuit_digest = {
    .name = "circuit digest",
    .arguments = "CIRCUIT",
    .summary = "the canonical fingerprint of a circuit's constraints",
    .text =
        "Streams every constraint of a circuit in canonical form (docs/formats.md) through SHA-256 and "
        "prints the "
        "digest with the circuit's size. Nothing is kept, so the 130 million constraints of porep-32g need "
        "little memory.",
    .example = "cuzk circuit digest porep-2k --checkpoints\ncuzk circuit digest porep-32g --json",
    .options = digest_options,
    .option_count = sizeof digest_options / sizeof digest_options[0],
    .values_size = sizeof(struct digest_options),
    .least = 1,
    .most = 1,
    .run = run_digest,
};

const struct cli_command cli_circuit_show = {
    .name = "circuit show",
    .arguments = "CIRCUIT",
    .summary = "the size of a circuit: variables, constraints, terms, densities",
    .text = "Records a circuit and prints its counts.",
    .example = "cuzk circuit show porep-2k",
    .options = show_options,
    .option_count = sizeof show_options / sizeof show_options[0],
    .values_size = sizeof(struct cli_common),
    .least = 1,
    .most = 1,
    .run = run_show,
};
