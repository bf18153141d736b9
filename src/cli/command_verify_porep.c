#include "cli/case_verifier.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "cli/porep_options.h"

struct verify_options {
    struct cli_common common;
    struct cli_verify_options verify;
    struct cli_porep_options porep;
    const char *c1;
};

/* Vanilla proofs are not looked at: the commitments and the seed say what is to be verified. */
static enum cuzk_status open_case(struct cli_session *session, const void *values,
                                  struct cuzk_timeline *timeline, struct cuzk_case **out,
                                  struct cuzk_error *err)
{
    const struct verify_options *given = values;
    struct cuzk_porep_case *porep;
    struct cuzk_file_map file;

    (void)timeline;
    *out = NULL;
    CUZK_TRY(cli_porep_open(session, &given->porep, given->c1, &file, &porep, err));
    const enum cuzk_status status = cuzk_porep_case_check_owner(porep, file.path, err);

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
    const struct verify_options *given = values;
    const struct cli_case_source source = {
        .kind = "porep", .name = given->c1, .open = open_case, .given = given};

    (void)arguments;
    (void)count;
    return cli_case_verify(session, &given->verify, given->c1 != NULL ? &source : NULL, "--c1", err);
}

static const struct cuzk_option options[] = {
    {.name = "c1",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, c1),
     .placeholder = "FILE",
     .help = "the C1 output that was proved: its commitments and seed give the public inputs"},
    CLI_VERIFY_OPTIONS(struct verify_options, verify),
    CLI_POREP_OPTIONS(struct verify_options, porep),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_verify_porep = {
    .name = "verify porep",
    .arguments = "",
    .summary = "check a proof of a sealed sector",
    .text = "Derives the public inputs as a verifier does, from commitments, seed and graph (or takes them "
            "as given), and "
            "checks the proof of every partition. Ends with 0 where it is valid and 1 where it is not.",
    .example = "cuzk verify porep --proof proof.bin --c1 c1.json --params-dir test-params\n"
               "cuzk verify porep --proof proof.bin --public inputs.json --vk key.vk",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run,
};
