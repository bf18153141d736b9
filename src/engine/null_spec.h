/* A null device in words: "null", or "null:STAGE=TIME:..." with stages of engine/sched.h and times as 5ms,
 * 200us or 1s; load=TIME, memory=SIZE, unit=SIZE and key=SIZE (what a unit and a key hold), fail_every=N,
 * lost_every=N, wrong_every=N and seed=N besides. */
#ifndef CUZK_ENGINE_NULL_SPEC_H
#define CUZK_ENGINE_NULL_SPEC_H

#include <stdbool.h>

#include "engine/device.h"

/* Whether a device's name means a null device. */
bool cuzk_null_spec_is(const char *text);

/* `where` names the source in errors. What is not named is zero. Errors: ARGUMENT, listing the words. */
enum cuzk_status cuzk_null_spec_parse(const char *where, const char *text, struct cuzk_device_null *out,
                                      struct cuzk_error *err);

#endif
