#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/cpu.h"
#include "base/mem.h"

struct job {
    void (*task)(void *context, size_t index, unsigned worker);
    void *context;
    size_t count;
};

struct cuzk_pool {
    unsigned threads;
    unsigned started; /* workers that exist */
    pthread_t *handles;
    struct worker {
        struct cuzk_pool *pool;
        unsigned index;
    } *workers;
    pthread_mutex_t caller; /* one cuzk_pool_run at a time */
    pthread_mutex_t lock;   /* guards what follows */
    pthread_cond_t begin, end;
    struct job job;
    unsigned long generation;
    unsigned busy;
    bool stop;
    atomic_size_t next;
};

/* The pool whose task this thread is running, to notice nested calls. */
static _Thread_local struct cuzk_pool *inside;
static _Thread_local unsigned inside_worker;

static void work(struct cuzk_pool *pool, const struct job *job, unsigned worker)
{
    struct cuzk_pool *outer = inside;
    const unsigned outer_worker = inside_worker;

    inside = pool;
    inside_worker = worker;
    for (;;) {
        const size_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= job->count)
            break;
        job->task(job->context, index, worker);
    }
    inside = outer;
    inside_worker = outer_worker;
}

static void *worker_main(void *argument)
{
    struct worker *self = argument;
    struct cuzk_pool *pool = self->pool;
    unsigned long seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->generation == seen)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->generation;
        const struct job job = pool->job;
        pthread_mutex_unlock(&pool->lock);
        work(pool, &job, self->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

enum cuzk_status cuzk_pool_create(unsigned threads, struct cuzk_pool **out, struct cuzk_error *err)
{
    struct cuzk_pool *pool = NULL;
    enum cuzk_status status;

    *out = NULL;
    if (threads == 0)
        threads = cuzk_cpu_count();
    CUZK_TRY(CUZK_NEW(&pool, 1, "thread pool", err));
    pool->threads = threads;
    pthread_mutex_init(&pool->caller, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    CUZK_TRY_OUT(CUZK_NEW(&pool->handles, threads, "thread handles", err));
    CUZK_TRY_OUT(CUZK_NEW(&pool->workers, threads, "thread arguments", err));
    for (unsigned i = 0; i + 1 < threads; i++) {
        pool->workers[i] = (struct worker){pool, i + 1};
        if (pthread_create(&pool->handles[i], NULL, worker_main, &pool->workers[i]) != 0) {
            status = cuzk_error_set(err, CUZK_IO, "cannot start thread %u of %u", i + 1, threads);
            goto out;
        }
        pool->started++;
    }
    *out = pool;
    return CUZK_OK;
out:
    cuzk_pool_destroy(pool);
    return status;
}

void cuzk_pool_destroy(struct cuzk_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++)
        pthread_join(pool->handles[i], NULL);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->caller);
    cuzk_mem_free(pool->handles);
    cuzk_mem_free(pool->workers);
    cuzk_mem_free(pool);
}

unsigned cuzk_pool_threads(const struct cuzk_pool *pool)
{
    return pool == NULL ? 1 : pool->threads;
}

void cuzk_pool_run(struct cuzk_pool *pool, size_t count,
                   void (*task)(void *context, size_t index, unsigned worker), void *context)
{
    if (pool == NULL || pool->threads == 1 || count <= 1 || inside == pool) {
        const unsigned worker = inside == pool && pool != NULL ? inside_worker : 0;
        for (size_t i = 0; i < count; i++)
            task(context, i, worker);
        return;
    }
    pthread_mutex_lock(&pool->caller);
    pthread_mutex_lock(&pool->lock);
    const struct job job = {task, context, count};
    pool->job = job;
    atomic_store(&pool->next, 0);
    pool->busy = pool->started;
    pool->generation++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work(pool, &job, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy != 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->caller);
}

struct try_job {
    enum cuzk_status (*task)(void *context, size_t index, struct cuzk_error *err);
    void *context;
    atomic_size_t failed;      /* lowest index so far; count: none. Lowered under the lock alone */
    pthread_mutex_t lock;      /* guards what follows */
    struct cuzk_error failure; /* of that index */
};

static void run_try(void *context, size_t index, unsigned worker)
{
    struct try_job *job = context;
    struct cuzk_error error;

    (void)worker;
    if (index > atomic_load_explicit(&job->failed, memory_order_relaxed))
        return;
    error.message[0] = '\0';
    error.status = job->task(job->context, index, &error);
    if (error.status == CUZK_OK)
        return;
    pthread_mutex_lock(&job->lock);
    if (index < atomic_load_explicit(&job->failed, memory_order_relaxed)) {
        atomic_store_explicit(&job->failed, index, memory_order_relaxed);
        job->failure = error;
    }
    pthread_mutex_unlock(&job->lock);
}

enum cuzk_status cuzk_pool_try(struct cuzk_pool *pool, size_t count,
                               enum cuzk_status (*task)(void *context, size_t index, struct cuzk_error *err),
                               void *context, size_t *failed, struct cuzk_error *err)
{
    struct try_job job = {.task = task, .context = context, .lock = PTHREAD_MUTEX_INITIALIZER};

    atomic_init(&job.failed, count);
    cuzk_pool_run(pool, count, run_try, &job);
    pthread_mutex_destroy(&job.lock);
    const size_t first = atomic_load_explicit(&job.failed, memory_order_relaxed);

    if (first == count)
        return CUZK_OK;
    if (failed != NULL)
        *failed = first;
    return cuzk_error_set(err, job.failure.status, "%s", job.failure.message);
}

struct range_job {
    void (*task)(void *context, size_t begin, size_t end, unsigned worker);
    void *context;
    size_t n, step;
};

static void run_range(void *context, size_t index, unsigned worker)
{
    const struct range_job *job = context;
    const size_t begin = index * job->step;
    const size_t end = job->n - begin < job->step ? job->n : begin + job->step;

    job->task(job->context, begin, end, worker);
}

void cuzk_pool_range(struct cuzk_pool *pool, size_t n, size_t grain,
                     void (*task)(void *context, size_t begin, size_t end, unsigned worker), void *context)
{
    const size_t threads = cuzk_pool_threads(pool);
    size_t step = (n + threads * 8 - 1) / (threads * 8);

    if (n == 0)
        return;
    if (threads == 1)
        step = n;
    if (step < grain)
        step = grain;
    if (step == 0)
        step = 1;
    struct range_job job = {task, context, n, step};
    cuzk_pool_run(pool, (n + step - 1) / step, run_range, &job);
}
