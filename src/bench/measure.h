/*
 * The frame of every benchmark: warm up, sample until both a count and a time are reached, report the median.
 *
 * The median is the figure: it is what a typical run costs. Minimum and samples are kept beside it. Processor
 * time is measured too, summed over threads. One measurement at a time in a process.
 */
#ifndef CUZK_BENCH_MEASURE_H
#define CUZK_BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/progress.h"

/* A thing to measure. */
struct cuzk_bench_case {
    const char *name; /* "g1 msm 2^18" */
    const char *unit; /* what one unit is: "multiplication", "point" */
    uint64_t units;   /* of work in one run */
    enum cuzk_status (*run)(void *context, struct cuzk_error *err);
    void *context;
};

struct cuzk_bench_rule {
    unsigned warm_up;   /* runs that are not counted */
    unsigned least;     /* samples at least */
    unsigned most;      /* and at most CUZK_BENCH_SAMPLES */
    uint64_t budget_ns; /* sampling goes on until this is used up, between least and most */
};

enum { CUZK_BENCH_SAMPLES = 101 };

struct cuzk_bench_result {
    char name[64];
    const char *unit;
    uint64_t units;
    unsigned count;
    uint64_t samples_ns[CUZK_BENCH_SAMPLES]; /* in the order taken */
    uint64_t median_ns, least_ns, most_ns;
    uint64_t cpu_ns; /* mean processor time of a run */
};

/* A rule for work of about a millisecond and more. */
extern const struct cuzk_bench_rule cuzk_bench_default;

enum cuzk_status cuzk_bench_measure(const struct cuzk_bench_case *what, const struct cuzk_bench_rule *rule,
                                    const struct cuzk_progress *progress, struct cuzk_bench_result *out,
                                    struct cuzk_error *err);

/* The result of samples that were taken elsewhere: the stages of a run that was measured as a whole. At most
 * CUZK_BENCH_SAMPLES and at least one; cpu_ns stays 0: unknown. */
void cuzk_bench_of_samples(const char *name, const char *unit, uint64_t units, const uint64_t *samples_ns,
                           unsigned count, struct cuzk_bench_result *out);

/* Median nanoseconds of one unit, and units in a second. */
double cuzk_bench_unit_ns(const struct cuzk_bench_result *result);
double cuzk_bench_rate(const struct cuzk_bench_result *result);

/* The result as an object: name, unit, units, samples_ns, median_ns, least_ns, cpu_ns, unit_ns, per_second.
 */
void cuzk_bench_write(const struct cuzk_bench_result *result, struct cuzk_json_writer *json);

#endif
