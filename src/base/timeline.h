/*
 * What happened when: one source of events for the waterfall, the metrics and the JSON of a proof.
 *
 * An event is a span on a lane (a device, a pool, a worker) with a stage ("witness", "ntt", "msm h"), the
 * partition it belongs to, and its begin and end on cuzk_clock_ns. Recording is thread-safe and cheap (a lock
 * and a copy), meant for stages of a millisecond and more. A NULL timeline records nothing.
 */
#ifndef CUZK_BASE_TIMELINE_H
#define CUZK_BASE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/sink.h"

enum { CUZK_TIMELINE_NAME = 24, CUZK_TIMELINE_NO_PARTITION = -1 };

struct cuzk_timeline_event {
    char lane[CUZK_TIMELINE_NAME];
    char stage[CUZK_TIMELINE_NAME];
    int32_t partition; /* CUZK_TIMELINE_NO_PARTITION where none */
    uint64_t begin_ns, end_ns;
    uint64_t job;                     /* 0: none, or the only one */
    uint64_t kernels_ns, transfer_ns; /* of a device's span: kernels running, copying; 0: not measured */
    bool mark;                        /* a moment that is no stage: stage has its name ("accepted") */
};

struct cuzk_timeline;

enum cuzk_status cuzk_timeline_create(struct cuzk_timeline **out, struct cuzk_error *err);
void cuzk_timeline_destroy(struct cuzk_timeline *timeline);

/* Records a span that ends now. Names are cut to their room. Where memory is short the event is dropped and
 * counted. */
void cuzk_timeline_add(struct cuzk_timeline *timeline, const char *lane, const char *stage, int32_t partition,
                       uint64_t begin_ns);

/* The same with an end given: for spans that were measured elsewhere. */
void cuzk_timeline_add_span(struct cuzk_timeline *timeline, const char *lane, const char *stage,
                            int32_t partition, uint64_t begin_ns, uint64_t end_ns);

/* The same with every member given. */
void cuzk_timeline_add_event(struct cuzk_timeline *timeline, const struct cuzk_timeline_event *event);

/* Events so far, in the order they ended; valid until the next add. No one may be adding. */
const struct cuzk_timeline_event *cuzk_timeline_events(const struct cuzk_timeline *timeline, size_t *count);

/* Events that were dropped for want of memory. */
size_t cuzk_timeline_dropped(const struct cuzk_timeline *timeline);

/* Summed length of the spans of a stage of a partition, in ns. */
uint64_t cuzk_timeline_total_ns(const struct cuzk_timeline *timeline, const char *stage, int32_t partition);

/* Writes the timeline as JSON: {"cuzk_timeline":1,"title":...,"events":[{"lane","stage","partition",
 * "begin_ns","end_ns","job","kernels_ns","transfer_ns","mark"}]}, times from the first event's begin, job as
 * 16 hex digits. What follows end_ns is left out where it says nothing: readers of the first version skip it.
 */
enum cuzk_status cuzk_timeline_write(const struct cuzk_timeline *timeline, const char *title,
                                     struct cuzk_sink sink, struct cuzk_error *err);

/* One event of it as the writer's next value, times from origin_ns. */
void cuzk_timeline_write_event(const struct cuzk_timeline_event *event, uint64_t origin_ns,
                               struct cuzk_json_writer *json);

/* An event as the reference's line, without a newline: "TIMELINE,<offset_ms>,<EVENT>,<job>,<detail>", the
 * offset that of its end. room of 160 is enough. */
void cuzk_timeline_format_line(const struct cuzk_timeline_event *event, uint64_t origin_ns, char *text,
                               size_t room);

/* Reads what cuzk_timeline_write wrote. title (room bytes, may be NULL) receives the title, cut where longer.
 * Errors: INPUT, MEMORY (*out is NULL then). */
enum cuzk_status cuzk_timeline_read(const char *what, const void *text, size_t length,
                                    struct cuzk_timeline **out, char *title, size_t room,
                                    struct cuzk_error *err);

#endif
