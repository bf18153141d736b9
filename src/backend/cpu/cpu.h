/* The backend of the host's processor: everything runs on the pool's threads and is done when a call returns.
 */
#ifndef CUZK_BACKEND_CPU_CPU_H
#define CUZK_BACKEND_CPU_CPU_H

#include "backend/backend.h"
#include "base/pool.h"

/* pool is borrowed (NULL: one thread) and must outlive the backend. Errors: MEMORY. */
enum cuzk_status cuzk_backend_cpu_create(struct cuzk_pool *pool, struct cuzk_backend **out,
                                         struct cuzk_error *err);

#endif
