#include "cli/bench_report.h"

#include <stdio.h>

#include "base/version.h"
#include "bench/machine.h"

/* A time with a unit that fits it. */
static void format_ns(double ns, char *text, size_t room)
{
    if (ns < 1e3)
        snprintf(text, room, "%.2f ns", ns);
    else if (ns < 1e6)
        snprintf(text, room, "%.2f us", ns / 1e3);
    else if (ns < 1e9)
        snprintf(text, room, "%.2f ms", ns / 1e6);
    else
        snprintf(text, room, "%.3f s", ns / 1e9);
}

static void print_table(struct cli_session *session, const struct cuzk_bench_result *results, size_t count)
{
    struct cuzk_machine machine;

    cuzk_machine_read(&machine);
    cli_session_say(session, "%s, %u processors, level %s, commit %s", machine.cpu, machine.processors,
                    machine.level, cuzk_commit());
    cli_session_say(session, "%-28s %12s %14s %14s %12s %4s", "case", "run", "cpu", "one unit", "units/s",
                    "n");
    for (size_t i = 0; i < count; i++) {
        char run[32], cpu[32], unit[32];

        format_ns((double)results[i].median_ns, run, sizeof run);
        format_ns((double)results[i].cpu_ns, cpu, sizeof cpu);
        format_ns(cuzk_bench_unit_ns(&results[i]), unit, sizeof unit);
        cli_session_say(session, "%-28s %12s %14s %14s %12.4g %4u", results[i].name, run, cpu, unit,
                        cuzk_bench_rate(&results[i]), results[i].count);
    }
}

enum cuzk_status cli_bench_report_more(struct cli_session *session, const char *bench,
                                       const struct cuzk_bench_result *results, size_t count,
                                       void (*write)(const void *what, struct cuzk_json_writer *json),
                                       const void *what, struct cuzk_error *err)
{
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json == NULL) {
        print_table(session, results, count);
        return CUZK_OK;
    }
    cuzk_json_write_member_string(json, "bench", bench);
    cuzk_machine_write(json);
    if (write != NULL)
        write(what, json);
    cuzk_json_write_key(json, "cases");
    cuzk_json_write_array_begin(json);
    for (size_t i = 0; i < count; i++)
        cuzk_bench_write(&results[i], json);
    cuzk_json_write_array_end(json);
    return cli_session_answer_end(session, err);
}

enum cuzk_status cli_bench_report(struct cli_session *session, const char *bench,
                                  const struct cuzk_bench_result *results, size_t count,
                                  struct cuzk_error *err)
{
    return cli_bench_report_more(session, bench, results, count, NULL, NULL, err);
}
