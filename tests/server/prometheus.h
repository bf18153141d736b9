/* A strict reader of Prometheus' text format, for tests: what it accepts, every scraper does. */
#ifndef CUZK_TESTS_SERVER_PROMETHEUS_H
#define CUZK_TESTS_SERVER_PROMETHEUS_H

#include <stdbool.h>
#include <stddef.h>

/* Checks a whole exposition: HELP then TYPE then samples, families in one piece and once, names and labels
 * well formed, no sample twice, counters named _total and never negative, gauges not named so, histogram
 * buckets ascending and cumulative with +Inf equal to the count. False: `why` has the line and the reason. */
bool prometheus_check(const char *text, char *why, size_t room);

/* The value of a sample named as in the text ("cuzk_jobs_total{kind=\"porep_c2\"}"); NaN where it is missing.
 */
double prometheus_value(const char *text, const char *sample);

/* Whether no counter or histogram of `before` is larger than in `after` or missing there. */
bool prometheus_monotonic(const char *before, const char *after, char *why, size_t room);

#endif
