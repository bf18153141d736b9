/* What a timeline amounts to: its lanes, and where the device's time went where an engine recorded it. */
#ifndef CUZK_CLI_TRACE_SUMMARY_H
#define CUZK_CLI_TRACE_SUMMARY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/timeline.h"
#include "engine/sim.h"

enum { CLI_TRACE_LANES_MOST = 64 };

struct cli_trace_lane {
    const char *name; /* the timeline's */
    size_t spans;
    uint64_t busy_ns;                 /* its spans united: those that overlap count once */
    uint64_t kernels_ns, transfer_ns; /* summed; 0 where they were not measured */
};

struct cli_trace_summary {
    uint64_t begin_ns, end_ns;
    uint64_t idle_ns; /* of it, while no job was known */
    size_t jobs, spans, marks;
    unsigned lanes; /* by name; at most CLI_TRACE_LANES_MOST are told apart */
    struct cli_trace_lane lane[CLI_TRACE_LANES_MOST];
    bool engine;                  /* stages of an engine's devices are among the events: */
    struct cuzk_sim_result parts; /* bench/event_parts.h, times per job; idle_ns left out */
};

/* Errors: MEMORY. */
enum cuzk_status cli_trace_summarise(const struct cuzk_timeline *timeline, struct cli_trace_summary *out,
                                     struct cuzk_error *err);

#endif
