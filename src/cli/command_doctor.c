#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/cpu.h"
#include "base/version.h"
#include "bench/machine.h"
#include "cli/command.h"

struct doctor_options {
    struct cli_common common;
};

#define GIB ((double)(UINT64_C(1) << 30))

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    struct cuzk_machine machine;

    (void)values;
    (void)arguments;
    (void)count;
    cuzk_machine_read(&machine);
    cli_session_say(session, "cuzk %s (%s)", cuzk_version(), cuzk_commit());
    cli_session_say(session, "processor    %s, %u usable", machine.cpu, machine.processors);
    cli_session_say(session, "arithmetic   %s%s", machine.level,
                    cuzk_cpu_has_sha() ? ", SHA instructions" : "");
    cli_session_say(session, "memory       %.1f GiB, %.1f available", (double)machine.memory_bytes / GIB,
                    (double)machine.memory_available_bytes / GIB);
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL)
        cuzk_machine_write(json);
    return cli_session_answer_end(session, err);
}

static const struct cuzk_option options[] = {CLI_COMMON_OPTIONS};

const struct cli_command cli_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "what this machine can do, what is missing, what to do about it",
    .text =
        "Looks at processor, memory, disk and parameter files, and says what will work and what will not.",
    .example = "cuzk doctor\ncuzk doctor --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct doctor_options),
    .run = run,
};
