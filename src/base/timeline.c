#include "base/timeline.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/mem.h"

struct cuzk_timeline {
    pthread_mutex_t lock;
    struct cuzk_timeline_event *events;
    size_t count, room;
    size_t dropped;
};

enum cuzk_status cuzk_timeline_create(struct cuzk_timeline **out, struct cuzk_error *err)
{
    struct cuzk_timeline *timeline;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&timeline, 1, "timeline", err));
    pthread_mutex_init(&timeline->lock, NULL);
    *out = timeline;
    return CUZK_OK;
}

void cuzk_timeline_destroy(struct cuzk_timeline *timeline)
{
    if (timeline == NULL)
        return;
    pthread_mutex_destroy(&timeline->lock);
    cuzk_mem_free(timeline->events);
    cuzk_mem_free(timeline);
}

static void copy_name(char *to, const char *from, size_t length)
{
    const size_t n = length < CUZK_TIMELINE_NAME - 1 ? length : CUZK_TIMELINE_NAME - 1;

    memcpy(to, from, n);
    to[n] = '\0';
}

static enum cuzk_status append(struct cuzk_timeline *timeline, const struct cuzk_timeline_event *event,
                               struct cuzk_error *err)
{
    CUZK_TRY(CUZK_GROW(&timeline->events, timeline->count + 1, timeline->count, &timeline->room,
                       "timeline events", err));
    timeline->events[timeline->count++] = *event;
    return CUZK_OK;
}

void cuzk_timeline_add_span(struct cuzk_timeline *timeline, const char *lane, const char *stage,
                            int32_t partition, uint64_t begin_ns, uint64_t end_ns)
{
    struct cuzk_timeline_event event = {.partition = partition, .begin_ns = begin_ns, .end_ns = end_ns};

    if (timeline == NULL)
        return;
    copy_name(event.lane, lane, strlen(lane));
    copy_name(event.stage, stage, strlen(stage));
    cuzk_timeline_add_event(timeline, &event);
}

void cuzk_timeline_add_event(struct cuzk_timeline *timeline, const struct cuzk_timeline_event *event)
{
    if (timeline == NULL)
        return;
    pthread_mutex_lock(&timeline->lock);
    if (append(timeline, event, NULL) != CUZK_OK)
        timeline->dropped++;
    pthread_mutex_unlock(&timeline->lock);
}

void cuzk_timeline_add(struct cuzk_timeline *timeline, const char *lane, const char *stage, int32_t partition,
                       uint64_t begin_ns)
{
    cuzk_timeline_add_span(timeline, lane, stage, partition, begin_ns, cuzk_clock_ns());
}

const struct cuzk_timeline_event *cuzk_timeline_events(const struct cuzk_timeline *timeline, size_t *count)
{
    *count = timeline != NULL ? timeline->count : 0;
    return timeline != NULL ? timeline->events : NULL;
}

size_t cuzk_timeline_dropped(const struct cuzk_timeline *timeline)
{
    return timeline != NULL ? timeline->dropped : 0;
}

uint64_t cuzk_timeline_total_ns(const struct cuzk_timeline *timeline, const char *stage, int32_t partition)
{
    uint64_t total = 0;
    size_t count;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);

    for (size_t i = 0; i < count; i++)
        if (events[i].partition == partition && strcmp(events[i].stage, stage) == 0)
            total += events[i].end_ns - events[i].begin_ns;
    return total;
}

void cuzk_timeline_write_event(const struct cuzk_timeline_event *event, uint64_t origin_ns,
                               struct cuzk_json_writer *json)
{
    char job[2 * sizeof event->job + 1];

    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "lane", event->lane);
    cuzk_json_write_member_string(json, "stage", event->stage);
    cuzk_json_write_key(json, "partition");
    if (event->partition == CUZK_TIMELINE_NO_PARTITION)
        cuzk_json_write_null(json);
    else
        cuzk_json_write_i64(json, event->partition);
    cuzk_json_write_member_u64(json, "begin_ns",
                               event->begin_ns > origin_ns ? event->begin_ns - origin_ns : 0);
    cuzk_json_write_member_u64(json, "end_ns", event->end_ns > origin_ns ? event->end_ns - origin_ns : 0);
    if (event->job != 0) {
        snprintf(job, sizeof job, "%016" PRIx64, event->job);
        cuzk_json_write_member_string(json, "job", job);
    }
    if (event->kernels_ns != 0)
        cuzk_json_write_member_u64(json, "kernels_ns", event->kernels_ns);
    if (event->transfer_ns != 0)
        cuzk_json_write_member_u64(json, "transfer_ns", event->transfer_ns);
    if (event->mark)
        cuzk_json_write_member_bool(json, "mark", true);
    cuzk_json_write_object_end(json);
}

enum cuzk_status cuzk_timeline_write(const struct cuzk_timeline *timeline, const char *title,
                                     struct cuzk_sink sink, struct cuzk_error *err)
{
    struct cuzk_json_writer json;
    size_t count;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < count; i++)
        if (events[i].begin_ns < start)
            start = events[i].begin_ns;
    cuzk_json_write_init(&json, sink, false, err);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_member_u64(&json, "cuzk_timeline", 1);
    cuzk_json_write_member_string(&json, "title", title);
    cuzk_json_write_key(&json, "events");
    cuzk_json_write_array_begin(&json);
    for (size_t i = 0; i < count; i++)
        cuzk_timeline_write_event(&events[i], start, &json);
    cuzk_json_write_array_end(&json);
    cuzk_json_write_object_end(&json);
    return cuzk_json_write_finish(&json);
}

/* The event's name in capitals and '_', as the reference writes them: "WITNESS", "KEY_LOADED". */
static void line_name(const char *name, char *text, size_t room)
{
    size_t i = 0;

    for (; name[i] != '\0' && i + 1 < room; i++)
        text[i] = name[i] == ' ' || name[i] == ','   ? '_'
                  : name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A')
                                                     : name[i];
    text[i] = '\0';
}

void cuzk_timeline_format_line(const struct cuzk_timeline_event *event, uint64_t origin_ns, char *text,
                               size_t room)
{
    const uint64_t at = event->end_ns > origin_ns ? event->end_ns - origin_ns : 0;
    char name[CUZK_TIMELINE_NAME], job[24] = "-", partition[24] = "", length[40] = "";

    line_name(event->stage, name, sizeof name);
    if (event->job != 0)
        snprintf(job, sizeof job, "%016" PRIx64, event->job);
    if (event->partition != CUZK_TIMELINE_NO_PARTITION)
        snprintf(partition, sizeof partition, " partition=%" PRId32, event->partition);
    if (event->end_ns > event->begin_ns)
        snprintf(length, sizeof length, " ms=%.3f", (double)(event->end_ns - event->begin_ns) / 1e6);
    snprintf(text, room, "TIMELINE,%" PRIu64 ",%s,%s,lane=%s%s%s", at / CUZK_NS_PER_MS, name, job,
             event->lane[0] == '\0' ? "-" : event->lane, partition, length);
}

static enum cuzk_status read_event(struct cuzk_json_document *reader, struct cuzk_timeline *timeline,
                                   struct cuzk_error *err)
{
    struct cuzk_timeline_event event = {.partition = CUZK_TIMELINE_NO_PARTITION};
    struct cuzk_json_slice key, name;
    unsigned seen = 0;
    uint64_t partition;
    bool more;

    CUZK_TRY(cuzk_json_read_object(reader, "event", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(reader, &key, &more, err));
        if (!more)
            break;
        if (cuzk_json_slice_is(key, "lane")) {
            CUZK_TRY(cuzk_json_read_string(reader, "lane", &name, err));
            copy_name(event.lane, name.text, name.length);
            seen |= 1;
        } else if (cuzk_json_slice_is(key, "stage")) {
            CUZK_TRY(cuzk_json_read_string(reader, "stage", &name, err));
            copy_name(event.stage, name.text, name.length);
            seen |= 2;
        } else if (cuzk_json_slice_is(key, "begin_ns")) {
            CUZK_TRY(cuzk_json_read_u64(reader, "begin_ns", &event.begin_ns, err));
            seen |= 4;
        } else if (cuzk_json_slice_is(key, "end_ns")) {
            CUZK_TRY(cuzk_json_read_u64(reader, "end_ns", &event.end_ns, err));
            seen |= 8;
        } else if (cuzk_json_slice_is(key, "partition") && cuzk_json_read_kind(reader) != CUZK_JSON_NULL) {
            CUZK_TRY(cuzk_json_read_u64(reader, "partition", &partition, err));
            if (partition > INT32_MAX)
                return cuzk_json_read_fail(reader, "partition", err, "is out of range");
            event.partition = (int32_t)partition;
        } else if (cuzk_json_slice_is(key, "job")) {
            uint8_t job[sizeof event.job];

            CUZK_TRY(cuzk_json_read_hex(reader, "job", job, sizeof job, err));
            event.job = cuzk_load_u64be(job);
        } else if (cuzk_json_slice_is(key, "kernels_ns")) {
            CUZK_TRY(cuzk_json_read_u64(reader, "kernels_ns", &event.kernels_ns, err));
        } else if (cuzk_json_slice_is(key, "transfer_ns")) {
            CUZK_TRY(cuzk_json_read_u64(reader, "transfer_ns", &event.transfer_ns, err));
        } else if (cuzk_json_slice_is(key, "mark")) {
            CUZK_TRY(cuzk_json_read_bool(reader, "mark", &event.mark, err));
        } else {
            CUZK_TRY(cuzk_json_read_skip(reader, err));
        }
    }
    if (seen != 15)
        return cuzk_json_read_fail(reader, "event", err, "lacks one of lane, stage, begin_ns, end_ns");
    if (event.end_ns < event.begin_ns)
        return cuzk_json_read_fail(reader, "end_ns", err, "lies before begin_ns");
    return append(timeline, &event, err);
}

static enum cuzk_status read_document(struct cuzk_json_document *reader, struct cuzk_timeline *timeline,
                                      char *title, size_t room, struct cuzk_error *err)
{
    struct cuzk_json_slice key, name;
    uint64_t version = 0;
    bool more;

    CUZK_TRY(cuzk_json_read_object(reader, "timeline", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(reader, &key, &more, err));
        if (!more)
            break;
        if (cuzk_json_slice_is(key, "cuzk_timeline")) {
            CUZK_TRY(cuzk_json_read_u64(reader, "cuzk_timeline", &version, err));
        } else if (cuzk_json_slice_is(key, "title") && cuzk_json_read_kind(reader) == CUZK_JSON_STRING) {
            CUZK_TRY(cuzk_json_read_string(reader, "title", &name, err));
            if (title != NULL && room > 0) {
                const size_t n = name.length < room - 1 ? name.length : room - 1;

                memcpy(title, name.text, n);
                title[n] = '\0';
            }
        } else if (cuzk_json_slice_is(key, "events")) {
            CUZK_TRY(cuzk_json_read_array(reader, "events", err));
            for (;;) {
                CUZK_TRY(cuzk_json_read_element(reader, &more, err));
                if (!more)
                    break;
                CUZK_TRY(read_event(reader, timeline, err));
            }
        } else {
            CUZK_TRY(cuzk_json_read_skip(reader, err));
        }
    }
    if (version != 1)
        return cuzk_json_read_fail(reader, "cuzk_timeline", err, "expected version 1, found %llu",
                                   (unsigned long long)version);
    return cuzk_json_read_end(reader, err);
}

enum cuzk_status cuzk_timeline_read(const char *what, const void *text, size_t length,
                                    struct cuzk_timeline **out, char *title, size_t room,
                                    struct cuzk_error *err)
{
    struct cuzk_json_document reader;

    if (title != NULL && room > 0)
        title[0] = '\0';
    CUZK_TRY(cuzk_timeline_create(out, err));
    cuzk_json_read_init(&reader, what, text, length);
    const enum cuzk_status status = read_document(&reader, *out, title, room, err);

    if (status != CUZK_OK) {
        cuzk_timeline_destroy(*out);
        *out = NULL;
    }
    return status;
}
