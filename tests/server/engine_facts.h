/* A status and totals with every member set, for tests of what is made of them. */
#ifndef CUZK_TESTS_SERVER_ENGINE_FACTS_H
#define CUZK_TESTS_SERVER_ENGINE_FACTS_H

#include "engine/engine.h"

/* `n` scales the counters: a larger n is a later moment. */
void engine_facts_status(uint64_t n, struct cuzk_engine_status *out);
void engine_facts_totals(uint64_t n, struct cuzk_event_totals *out);

#endif
