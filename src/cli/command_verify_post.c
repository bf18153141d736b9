#include "base/file.h"
#include "cli/case_verifier.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "engine/post_public.h"

struct verify_options {
    struct cli_common common;
    struct cli_verify_options verify;
    const char *request;
};

static enum cuzk_status open_case(struct cli_session *session, const void *values,
                                  struct cuzk_timeline *timeline, struct cuzk_case **out,
                                  struct cuzk_error *err)
{
    const struct verify_options *given = values;
    struct cuzk_post_public public_side;
    struct cuzk_file_map map;

    (void)timeline;
    CUZK_TRY(cuzk_file_map_open(given->request, "request", CUZK_POST_PUBLIC_BYTES_MOST, &map, err));
    enum cuzk_status status = cuzk_post_public_decode(
        map.path, map.bytes, (size_t)map.length, session->command == &cli_verify_winning, &public_side, err);

    cuzk_file_map_close(&map);
    if (status != CUZK_OK)
        return status;
    status = cuzk_post_open_public(&public_side, out, err);
    cuzk_post_public_destroy(&public_side);
    return status;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct verify_options *given = values;
    const char *kind = session->command == &cli_verify_winning ? "winning" : "wpost";
    const struct cli_case_source source = {
        .kind = kind, .name = given->request, .open = open_case, .given = given};

    (void)arguments;
    (void)count;
    return cli_case_verify(session, &given->verify, given->request != NULL ? &source : NULL, "--request",
                           err);
}

static const struct cuzk_option options[] = {
    {.name = "request",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct verify_options, request),
     .placeholder = "FILE",
     .help =
         "JSON with sector_size, registered_proof (or api_version), randomness and sectors: they give the "
         "public inputs"},
    CLI_VERIFY_OPTIONS(struct verify_options, verify),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_verify_winning = {
    .name = "verify winning",
    .arguments = "",
    .summary = "check a proof that the sector drawn for a block is there",
    .text =
        "Derives the public inputs as the chain does, from randomness, sector ids and comm_r (or takes them "
        "as given), and checks the proof of every partition. Ends with 0 where it is valid and 1 where it is "
        "not.",
    .example = "cuzk verify winning --proof proof.bin --request post.json --params-dir test-params",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run,
};

const struct cli_command cli_verify_wpost = {
    .name = "verify wpost",
    .arguments = "",
    .summary = "check a proof that a deadline's sectors are there",
    .text =
        "Derives the public inputs as the chain does, from randomness, sector ids and comm_r (or takes them "
        "as given), and checks the proof of every partition. Ends with 0 where it is valid and 1 where it is "
        "not.",
    .example = "cuzk verify wpost --proof proof.bin --request post.json --params-dir test-params",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct verify_options),
    .run = run,
};
