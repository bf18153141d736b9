/* A backend that fails when told, in front of one that works. */
#ifndef CUZK_TESTS_FAULTY_BACKEND_H
#define CUZK_TESTS_FAULTY_BACKEND_H

#include "backend/backend.h"

/* Owns `inner` from then on. Keys and jobs are the inner backend's own. */
struct cuzk_backend *faulty_backend_create(struct cuzk_backend *inner);

/* One in front of the backend that `choice` names (backend/choice.h): what opens a local device's. */
enum cuzk_status faulty_backend_open(void *context, const char *choice, struct cuzk_pool *pool,
                                     struct cuzk_backend **out, struct cuzk_error *err);

/* The n-th call from now (0: the next) of key_create and of every operation of a job ends in `status` without
 * reaching the inner backend. Process-wide; n = SIZE_MAX turns it off. DEVICE_LOST lasts: every later call
 * ends so, until a faulty backend is created anew. */
void faulty_backend_fail(size_t n, enum cuzk_status status);

/* Whether the fault has happened. */
bool faulty_backend_failed(void);

/* Sums over h are wrong from now on, until a faulty backend is created anew. */
void faulty_backend_spoil(void);

/* Calls so far, of the kinds that can fail. */
size_t faulty_backend_calls(void);

#endif
