/*
 * A fork-join pool of threads, passed as an argument by whoever owns it.
 *
 * A pool of n threads has n - 1 workers; the thread that calls cuzk_pool_run is the n-th. A NULL pool means
 * "one thread, the caller's": every function that takes a pool accepts NULL. One pool serves one caller at a
 * time: calls of cuzk_pool_run from several threads on one pool queue up behind a lock; a nested call
 * (from inside a task of the same pool) runs its tasks in the calling thread.
 */
#ifndef CUZK_BASE_POOL_H
#define CUZK_BASE_POOL_H

#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuzk_pool;

/* Starts a pool; threads = 0 means one for each processor (cuzk_cpu_count).
 * Errors: MEMORY, IO (a thread could not be started). *out is NULL on failure. */
enum cuzk_status cuzk_pool_create(unsigned threads, struct cuzk_pool **out, struct cuzk_error *err);

/* Ends the workers and frees the pool; NULL is fine. No call may be running. */
void cuzk_pool_destroy(struct cuzk_pool *pool);

/* Number of threads that run tasks, the caller included; 1 for NULL. */
unsigned cuzk_pool_threads(const struct cuzk_pool *pool);

/* Runs task(context, index, worker) for every index below count, each once, on the pool's threads, and
 * returns when all have ended. Indexes are handed out in ascending order; worker is below
 * cuzk_pool_threads(pool) and no two tasks run at once with the same worker. */
void cuzk_pool_run(struct cuzk_pool *pool, size_t count,
                   void (*task)(void *context, size_t index, unsigned worker), void *context);

/* Runs task(context, index, err) for every index below count on the pool's threads. Returns OK where all did;
 * else the status and message of the lowest index that failed, whichever failed first, and that index in
 * *failed (which may be NULL). Indexes above one that failed may be left out. */
enum cuzk_status cuzk_pool_try(struct cuzk_pool *pool, size_t count,
                               enum cuzk_status (*task)(void *context, size_t index, struct cuzk_error *err),
                               void *context, size_t *failed, struct cuzk_error *err);

/* Splits [0, n) into ranges of at least `grain` and runs task(context, begin, end, worker) on each. */
void cuzk_pool_range(struct cuzk_pool *pool, size_t n, size_t grain,
                     void (*task)(void *context, size_t begin, size_t end, unsigned worker), void *context);

#ifdef __cplusplus
}
#endif

#endif
