/*
 * Threads that take work in the order it was given: what may block (a disk, a device) stays off the threads
 * that serve the network. Thread-safe.
 */
#ifndef CUZK_SERVER_WORK_QUEUE_H
#define CUZK_SERVER_WORK_QUEUE_H

#include "base/error.h"

struct cuzk_work_queue;

/* Lives inside what it works on; not touched by the queue any more once `run` is called. */
struct cuzk_work {
    void (*run)(struct cuzk_work *work);
    struct cuzk_work *next;
};

/* Errors: MEMORY, IO (a thread could not be started). */
enum cuzk_status cuzk_work_queue_create(unsigned threads, struct cuzk_work_queue **out,
                                        struct cuzk_error *err);

/* Does what is queued, then ends the threads. Nothing may be pushed meanwhile. NULL is fine. */
void cuzk_work_queue_destroy(struct cuzk_work_queue *queue);

void cuzk_work_queue_push(struct cuzk_work_queue *queue, struct cuzk_work *work);

#endif
