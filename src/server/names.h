/* What things are called on the wire, in metrics and on the dashboard. Static storage; never NULL. */
#ifndef CUZK_SERVER_NAMES_H
#define CUZK_SERVER_NAMES_H

#include "engine/engine.h"

/* "porep-c2", "snap-update", "window-post", "winning-post"; "none" for 0 and numbers beyond. */
const char *cuzk_kind_name(enum cuzk_proof_kind kind);

/* "low", "normal", "high", "critical". */
const char *cuzk_priority_name(enum cuzk_priority priority);

/* "hot", "warm", "cold". */
const char *cuzk_tier_name(enum cuzk_key_tier tier);

#endif
