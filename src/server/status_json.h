/* The engine's status as one JSON object: everything that struct cuzk_engine_status says, in its units. */
#ifndef CUZK_SERVER_STATUS_JSON_H
#define CUZK_SERVER_STATUS_JSON_H

#include "base/json_writer.h"
#include "engine/engine.h"

/* Writes the object as the writer's next value. */
void cuzk_status_write_json(const struct cuzk_engine_status *status, struct cuzk_json_writer *json);

#endif
