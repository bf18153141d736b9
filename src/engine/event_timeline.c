#include "engine/event_timeline.h"

#include <stdio.h>

void cuzk_engine_event_span(const struct cuzk_engine_event *event, struct cuzk_timeline_event *out)
{
    const bool stage = event->type == CUZK_EVENT_TYPE_STAGE;

    *out = (struct cuzk_timeline_event){
        .partition = event->partition,
        .begin_ns = stage ? event->begin_ns : event->end_ns,
        .end_ns = event->end_ns,
        .job = event->job,
        .kernels_ns = event->kernels_ns,
        .transfer_ns = event->transfer_ns,
        .mark = !stage,
    };
    snprintf(out->lane, sizeof out->lane, "%s", event->lane[0] != '\0' ? event->lane : "jobs");
    snprintf(out->stage, sizeof out->stage, "%s",
             stage ? cuzk_sched_stage_name(event->stage) : cuzk_event_type_name(event->type));
}
