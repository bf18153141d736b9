/* An event of the engine as one of a timeline: how recorders and /timeline write down what the engine did. */
#ifndef CUZK_ENGINE_EVENT_TIMELINE_H
#define CUZK_ENGINE_EVENT_TIMELINE_H

#include "base/timeline.h"
#include "engine/event_log.h"

/* Stages become spans on their lane. What is no stage becomes a mark at its end ("done", "device lost"), on
 * the lane "jobs" where it has none of its own. */
void cuzk_engine_event_span(const struct cuzk_engine_event *event, struct cuzk_timeline_event *out);

#endif
