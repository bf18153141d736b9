#include "server/work_queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"

struct cuzk_work_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct cuzk_work *first, **last;
    bool ending;
    unsigned threads;
    pthread_t *thread;
};

static void *serve(void *context)
{
    struct cuzk_work_queue *queue = context;

    cuzk_thread_prefer_soon(false);
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        struct cuzk_work *work = queue->first;

        if (work == NULL) {
            if (queue->ending)
                break;
            pthread_cond_wait(&queue->changed, &queue->lock);
            continue;
        }
        queue->first = work->next;
        if (queue->first == NULL)
            queue->last = &queue->first;
        pthread_mutex_unlock(&queue->lock);
        work->run(work);
        pthread_mutex_lock(&queue->lock);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

enum cuzk_status cuzk_work_queue_create(unsigned threads, struct cuzk_work_queue **out,
                                        struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_work_queue *queue = NULL;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&queue, 1, "work queue", err));
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->last = &queue->first;
    CUZK_TRY_OUT(CUZK_NEW(&queue->thread, threads, "threads of a work queue", err));
    for (; queue->threads < threads; queue->threads++) {
        const int failed = pthread_create(&queue->thread[queue->threads], NULL, serve, queue);

        if (failed != 0) {
            status = cuzk_error_set(err, CUZK_IO, "starting a thread: %s", strerror(failed));
            goto out;
        }
    }
    *out = queue;
    return CUZK_OK;
out:
    cuzk_work_queue_destroy(queue);
    return status;
}

void cuzk_work_queue_destroy(struct cuzk_work_queue *queue)
{
    if (queue == NULL)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->ending = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    for (unsigned i = 0; i < queue->threads; i++)
        pthread_join(queue->thread[i], NULL);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    cuzk_mem_free(queue->thread);
    cuzk_mem_free(queue);
}

void cuzk_work_queue_push(struct cuzk_work_queue *queue, struct cuzk_work *work)
{
    work->next = NULL;
    pthread_mutex_lock(&queue->lock);
    *queue->last = work;
    queue->last = &work->next;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}
