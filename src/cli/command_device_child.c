/* What the daemon starts for each of its devices; not for people, so no help names it. */
#include "cli/command.h"
#include "engine/device_child.h"

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    (void)session;
    (void)values;
    (void)arguments;
    (void)count;
    return cuzk_device_child_run(CUZK_DEVICE_CHILD_SOCKET, cuzk_device_make, err);
}

static const struct cuzk_option options[] = {CLI_COMMON_OPTIONS};

const struct cli_command cli_device_child = {
    .name = "device-child",
    .arguments = "",
    .summary = "serves one device of a daemon (the daemon starts it)",
    .text =
        "The daemon keeps each device in a process of its own, so that a device that is lost takes nothing "
        "else with it. This is that process; it is of no use without its daemon.",
    .example = "",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct cli_common),
    .hidden = true,
    .run = run,
};
