/*
 * The dashboard's page: web/index.html with every number in it, so that it says all without JavaScript. The
 * script fetches the same page and takes its parts; nothing is rendered twice.
 */
#ifndef CUZK_SERVER_PAGE_H
#define CUZK_SERVER_PAGE_H

#include "base/error.h"
#include "base/sink.h"
#include "engine/engine.h"
#include "server/rates.h"
#include "server/recent.h"

enum { CUZK_PAGE_JOBS = 25, CUZK_PAGE_FAILURES = 8 };

struct cuzk_page_facts {
    struct cuzk_engine_status status;
    struct cuzk_event_totals totals;
    struct cuzk_rates_sample minute, ten_minutes;
    struct cuzk_recent_job recent[CUZK_PAGE_JOBS], failed[CUZK_PAGE_FAILURES];
    size_t recent_count, failed_count;
    uint64_t now_ns;
};

/* Errors: INTERNAL (the page names a place that is not known), what the sink says. */
enum cuzk_status cuzk_page_write(const struct cuzk_page_facts *facts, struct cuzk_sink sink,
                                 struct cuzk_error *err);

#endif
