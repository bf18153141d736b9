/*
 * What the processors counted for this process, its later threads and its later children: time at work,
 * instructions, cache lines from memory, and those of another node's memory. From perf_event_open, where
 * kernel and machine have it: virtual machines often have only the first. Between begin and end, in one
 * thread.
 */
#ifndef CUZK_BENCH_COUNTERS_H
#define CUZK_BENCH_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

enum cuzk_counter {
    CUZK_COUNTER_WORK, /* nanoseconds of processors */
    CUZK_COUNTER_CYCLES,
    CUZK_COUNTER_INSTRUCTIONS,
    CUZK_COUNTER_CACHE_MISSES, /* of the last level */
    CUZK_COUNTER_NODE_READS,   /* reads that went to memory */
    CUZK_COUNTER_NODE_MISSES,  /* those of them that went to another node's */
    CUZK_COUNTERS,
};

struct cuzk_counters {
    int fd[CUZK_COUNTERS]; /* -1: there is none */
    char why[96];          /* why the processor's own (all but WORK) are not there; "" where they are */
};

/* Counts from here on. Cannot fail: `why` says what is missing. */
void cuzk_counters_begin(struct cuzk_counters *counters);

/* Counts so far; 0 of what is not counted, and estimates of what the processor could count part of the time.
 */
void cuzk_counters_read(const struct cuzk_counters *counters, double out[CUZK_COUNTERS]);

void cuzk_counters_end(struct cuzk_counters *counters);

#endif
