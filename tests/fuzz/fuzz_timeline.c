/* The reader of recorded timelines: what it accepts has events that make sense. */
#include <stdint.h>
#include <stdlib.h>

#include "base/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_timeline *timeline;
    char title[16];
    size_t count;

    if (cuzk_timeline_read("fuzz", data, size, &timeline, title, sizeof title, NULL) != CUZK_OK)
        return 0;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);

    for (size_t i = 0; i < count; i++)
        if (events[i].end_ns < events[i].begin_ns || events[i].partition < CUZK_TIMELINE_NO_PARTITION)
            abort();
    cuzk_timeline_destroy(timeline);
    return 0;
}
