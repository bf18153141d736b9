/* An event of the engine as a JSON object: what /events sends. */
#ifndef CUZK_SERVER_EVENT_JSON_H
#define CUZK_SERVER_EVENT_JSON_H

#include "base/json_writer.h"
#include "engine/event_log.h"

/* Times in whole microseconds from origin_ns; members without a meaning for the event are left out. */
void cuzk_event_write_json(const struct cuzk_engine_event *event, uint64_t origin_ns,
                           struct cuzk_json_writer *json);

#endif
