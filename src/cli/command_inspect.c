#include <string.h>

#include "cli/command.h"
#include "cli/inspect.h"
#include "cli/porep_options.h"

struct inspect_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    struct cli_porep_options porep;
    const char *points;
};

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct inspect_options *given = values;
    struct cuzk_porep_facts facts;
    struct cuzk_file_map map;

    (void)count;
    CUZK_TRY(cli_porep_facts(&given->porep, &facts, err));
    const struct cli_inspect_request request = {&facts, strcmp(given->points, "none") != 0,
                                                strcmp(given->points, "subgroup") == 0};

    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(cuzk_file_map_open(arguments[0], "file to inspect", 0, &map, err));
    const enum cuzk_status status = cli_inspect(session, &map, cli_file_kind(&map), &request, err);

    cuzk_file_map_close(&map);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "points",
     .type = CUZK_OPTION_CHOICE,
     .offset = offsetof(struct inspect_options, points),
     .placeholder = "CHECK",
     .choices = "none|curve|subgroup",
     .fallback = "curve",
     .help =
         "what is asked of every point of a parameter file; subgroup takes about a hundred times as long as "
         "curve"},
    CLI_POREP_OPTIONS(struct inspect_options, porep),
    CLI_THREADS_OPTION(struct inspect_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_inspect_command = {
    .name = "inspect",
    .arguments = "FILE",
    .summary = "what a file is, and whether it is whole",
    .text =
        "Tells by its content what a file is, reads all of it, and says what it holds or where it is "
        "broken. For a C1 "
        "output every vanilla proof is checked: what does not hold is named by partition, challenge and "
        "step, and "
        "the exit code is 1; a malformed file ends with 3. PoSt and update vanilla proofs are checked as far "
        "as they go without their request: paths, roots, commitments, and of an update the challenges too.",
    .example = "cuzk inspect c1.json\ncuzk inspect proof.bin --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct inspect_options),
    .least = 1,
    .most = 1,
    .run = run,
};
