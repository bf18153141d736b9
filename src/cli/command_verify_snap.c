#include "cli/case_verifier.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "cli/snap_options.h"

struct verify_options {
    struct cli_common common;
    struct cli_verify_options verify;
    struct cli_snap_options snap;
};

static enum cuzk_status open_case(struct cli_session *session, const void *values,
                                  struct cuzk_timeline *timeline, struct cuzk_case **out,
                                  struct cuzk_error *err)
{
    const struct verify_options *given = values;

    (void)session;
    (void)timeline;
    return cli_snap_open_public(&given->snap, out, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct verify_options *given = values;
    const struct cli_case_source source = {
        .kind = "snap", .name = given->snap.request, .open = open_case, .given = given};

    (void)arguments;
    (void)count;
    return cli_case_verify(session, &given->verify, given->snap.request != NULL ? &source : NULL, "--request",
                           err);
}

static const struct cuzk_option options[] = {
    CLI_SNAP_REQUEST_OPTION(struct verify_options, snap, false),
    CLI_VERIFY_OPTIONS(struct verify_options, verify),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_verify_snap = {
    .name = "verify snap",
    .arguments = "",
    .summary = "check a proof of an updated sector",
    .text = "Derives the public inputs of every partition from the commitments of the request (or takes them "
            "as given) and checks the proof of each. Ends with 0 where it is valid and 1 where it is not.",
    .example = "cuzk verify snap --proof proof.bin --request update.json --params-dir test-params",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run,
};
