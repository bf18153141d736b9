#include "base/clock.h"
#include "cli/case_prover.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "cli/snap_options.h"

struct prove_options {
    struct cli_common common;
    struct cli_prove_options prove;
    struct cli_snap_options snap;
};

static enum cuzk_status open_case(struct cli_session *session, const void *values,
                                  struct cuzk_timeline *timeline, struct cuzk_case **out,
                                  struct cuzk_error *err)
{
    const struct cli_snap_options *given = values;
    uint64_t begin = cuzk_clock_ns();

    CUZK_TRY(cli_snap_open(session, given, out, err));
    cuzk_timeline_add(timeline, "host", "decode update", CUZK_TIMELINE_NO_PARTITION, begin);
    begin = cuzk_clock_ns();
    const enum cuzk_status status = (*out)->ops->check(*out, session->pool, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "%s", given->request);
    cuzk_timeline_add(timeline, "host", "check vanilla", CUZK_TIMELINE_NO_PARTITION, begin);
    return CUZK_OK;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct prove_options *given = values;
    struct cli_snap_options snap = given->snap;

    for (size_t i = 0; i < count; i++) {
        if (snap.in.count == CUZK_OPTION_LIST_ROOM)
            return cuzk_error_set(err, CUZK_ARGUMENT, "--in: more than %d files", CUZK_OPTION_LIST_ROOM);
        snap.in.items[snap.in.count++] = arguments[i];
    }
    if (snap.in.count == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--in FILE: is required");
    const struct cli_job job = {
        .kind = "snap", .request = snap.request, .in = snap.in.items, .in_count = snap.in.count};
    const struct cli_case_source source = {
        .kind = job.kind, .name = job.request, .open = open_case, .given = &snap, .job = &job};

    return cli_case_prove(session, &given->prove, &source, err);
}

static const struct cuzk_option options[] = {
    CLI_SNAP_REQUEST_OPTION(struct prove_options, snap, true),
    {.name = "in",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct prove_options, snap.in),
     .placeholder = "FILE",
     .help = "the vanilla proof of a partition, in order; further files may follow as arguments"},
    CLI_PROVE_OPTIONS(struct prove_options, prove),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_prove_snap = {
    .name = "prove snap",
    .arguments = "[FILE...]",
    .summary = "prove an updated sector (SnapDeals)",
    .text =
        "Takes the vanilla proofs of an empty sector update, checks them against the commitments, makes a "
        "Groth16 proof of each partition, verifies it, and writes the proofs one behind the other.",
    .example = "cuzk prove snap --request update.json --in partition-0.bin --params-dir test-params "
               "--out proof.bin",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct prove_options),
    .most = CLI_POSITIONAL_ROOM,
    .run = run,
};
