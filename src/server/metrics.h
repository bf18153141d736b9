/*
 * The engine's figures in Prometheus' text format (version 0.0.4): base units, counters that end in _total,
 * histograms with cumulative buckets. Written from two snapshots; nothing is kept between calls.
 *
 * docs/observability.md lists every family; a test holds the two to each other.
 */
#ifndef CUZK_SERVER_METRICS_H
#define CUZK_SERVER_METRICS_H

#include <stddef.h>

#include "base/error.h"
#include "base/sink.h"
#include "engine/engine.h"

/* What an HTTP answer with metrics says it is. */
#define CUZK_METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

struct cuzk_metrics_family {
    const char *name;   /* "cuzk_jobs_total" */
    const char *type;   /* "counter", "gauge", "histogram" */
    const char *labels; /* "kind, outcome"; "" where there are none */
    const char *help;   /* one sentence without a full stop */
};

/* The families in the order they are written; NULL past the end. */
const struct cuzk_metrics_family *cuzk_metrics_family(size_t index);

/* Writes everything, this process's own figures (process_...) included. Errors: what the sink says. */
enum cuzk_status cuzk_metrics_write(const struct cuzk_engine_status *status,
                                    const struct cuzk_event_totals *totals, struct cuzk_sink sink,
                                    struct cuzk_error *err);

#endif
