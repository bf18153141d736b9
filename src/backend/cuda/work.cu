#include "backend/cuda/work.h"

enum cuzk_status cuda_work_create(struct cuda_backend *backend, size_t bytes, struct cuda_work *out,
                                  struct cuzk_error *err)
{
    CUZK_TRY(cuda_mem_take(backend, bytes, "vectors and scratch of a proof", (void **)&out->base, err));
    out->backend = backend;
    out->bytes = bytes;
    if (pthread_mutex_init(&out->mutex, NULL) != 0)
        return cuzk_error_set(err, CUZK_MEMORY, "no mutex for a key's memory");
    if (pthread_cond_init(&out->turned, NULL) != 0) {
        pthread_mutex_destroy(&out->mutex);
        return cuzk_error_set(err, CUZK_MEMORY, "no condition for a key's memory");
    }
    out->ready = true;
    return CUZK_OK;
}

void cuda_work_destroy(struct cuda_work *work)
{
    if (work->base != NULL) {
        (void)cudaMemset(work->base, 0, work->dirty);
        cuda_mem_drop(work->backend, work->base, work->bytes);
    }
    if (work->ready) {
        pthread_cond_destroy(&work->turned);
        pthread_mutex_destroy(&work->mutex);
    }
    *work = {};
}

void cuda_work_take(struct cuda_work *work)
{
    pthread_mutex_lock(&work->mutex);
    work->waiting++;
    while (work->taken)
        pthread_cond_wait(&work->turned, &work->mutex);
    work->waiting--;
    work->taken = true;
    pthread_mutex_unlock(&work->mutex);
}

void cuda_work_give(struct cuda_work *work, size_t used)
{
    pthread_mutex_lock(&work->mutex);
    if (used > work->dirty)
        work->dirty = used;
    work->taken = false;
    pthread_cond_signal(&work->turned);
    pthread_mutex_unlock(&work->mutex);
}

void cuda_work_wipe(struct cuda_work *work, cudaStream_t stream)
{
    pthread_mutex_lock(&work->mutex);
    const bool mine = !work->taken && work->waiting == 0 && work->dirty != 0;
    if (mine)
        work->taken = true;
    pthread_mutex_unlock(&work->mutex);
    if (!mine)
        return;
    (void)cudaMemsetAsync(work->base, 0, work->dirty, stream);
    (void)cudaStreamSynchronize(stream);
    pthread_mutex_lock(&work->mutex);
    work->dirty = 0;
    work->taken = false;
    pthread_cond_signal(&work->turned);
    pthread_mutex_unlock(&work->mutex);
}
