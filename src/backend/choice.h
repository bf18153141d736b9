/* Which backend a person asked for. */
#ifndef CUZK_BACKEND_CHOICE_H
#define CUZK_BACKEND_CHOICE_H

#include "backend/backend.h"
#include "base/pool.h"

/* Opens the backend that `choice` names: "cpu", "cuda" (the first device), "cuda:ORDINAL" or "cuda:UUID";
 * "auto" or NULL is cuda where this build and this machine have a device, else cpu. pool is borrowed by the
 * CPU backend. Errors: ARGUMENT (no such name), and those of the backend's own create: asking for cuda by
 * name never falls back. */
enum cuzk_status cuzk_backend_open(const char *choice, struct cuzk_pool *pool, struct cuzk_backend **out,
                                   struct cuzk_error *err);

#endif
