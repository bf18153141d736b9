/* Results of a benchmark as a table or as JSON with machine, commit and samples. */
#ifndef CUZK_CLI_BENCH_REPORT_H
#define CUZK_CLI_BENCH_REPORT_H

#include <stddef.h>

#include "bench/measure.h"
#include "cli/session.h"

enum cuzk_status cli_bench_report(struct cli_session *session, const char *bench,
                                  const struct cuzk_bench_result *results, size_t count,
                                  struct cuzk_error *err);

/* The same with what else there is to say: writes members of the object that is open. */
enum cuzk_status cli_bench_report_more(struct cli_session *session, const char *bench,
                                       const struct cuzk_bench_result *results, size_t count,
                                       void (*write)(const void *what, struct cuzk_json_writer *json),
                                       const void *what, struct cuzk_error *err);

#endif
