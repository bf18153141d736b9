/* A device in this process whose backend somebody else opens: tests put faults between. */
#ifndef CUZK_ENGINE_DEVICE_LOCAL_H
#define CUZK_ENGINE_DEVICE_LOCAL_H

#include "backend/backend.h"
#include "base/pool.h"
#include "engine/device.h"

/* Called at the start and at every restart; pool may be NULL and outlives the backend. */
struct cuzk_local_opener {
    enum cuzk_status (*open)(void *context, const char *choice, struct cuzk_pool *pool,
                             struct cuzk_backend **out, struct cuzk_error *err);
    void *context;
};

/* As cuzk_device_local_create. */
enum cuzk_status cuzk_device_local_create_with(const struct cuzk_local_opener *opener, const char *choice,
                                               unsigned threads, unsigned slots, struct cuzk_device **out,
                                               struct cuzk_error *err);

#endif
