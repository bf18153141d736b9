/*
 * The memory that the jobs of a key take turns in: vectors and scratch, one block made with the key. A job
 * has it from its first operation on it until its `wait`; the others, in other threads, stand in line. So
 * jobs in flight cost a witness each, and the device goes from one proof to the next without a pause.
 */
#ifndef CUZK_BACKEND_CUDA_WORK_H
#define CUZK_BACKEND_CUDA_WORK_H

#include <pthread.h>

#include "backend/cuda/device_mem.h"

struct cuda_work {
    struct cuda_backend *backend;
    unsigned char *base;
    size_t bytes;
    pthread_mutex_t mutex;
    pthread_cond_t turned;
    bool ready; /* mutex and condition were made */
    bool taken;
    unsigned waiting;
    size_t dirty; /* bytes from the start that hold what came from a witness */
};

/* Errors: MEMORY, DEVICE. */
enum cuzk_status cuda_work_create(struct cuda_backend *backend, size_t bytes, struct cuda_work *out,
                                  struct cuzk_error *err);
void cuda_work_destroy(struct cuda_work *work);

/* Waits for the turn. */
void cuda_work_take(struct cuda_work *work);

/* Ends it; the first `used` bytes were written. */
void cuda_work_give(struct cuda_work *work, size_t used);

/* Zeroes what the last job left, unless another has the memory by now or waits for it: that one overwrites it
 * and is asked in its turn. */
void cuda_work_wipe(struct cuda_work *work, cudaStream_t stream);

#endif
