/*
 * Large copies from ordinary host memory to a device: threads of a pool copy pieces into page-locked buffers,
 * and each piece goes on while the next is copied. One thread alone, as the driver does it, moves 7 to 9
 * GB/s; the bus takes 50. Private to src/backend/cuda.
 */
#ifndef CUZK_BACKEND_CUDA_HOST_COPY_H
#define CUZK_BACKEND_CUDA_HOST_COPY_H

#include <pthread.h>

#include <cuda_runtime.h>

#include "base/error.h"
#include "base/pool.h"

enum {
    CUDA_HOST_LANES = 6,        /* threads */
    CUDA_HOST_PIECE = 4 << 20,  /* bytes of a buffer; each lane has two */
    CUDA_HOST_LEAST = 32 << 20, /* bytes of a copy that is worth the threads */
};

struct cuda_host_lane {
    cudaStream_t stream;
    unsigned char *buffer[2]; /* page-locked */
    cudaEvent_t sent[2];      /* what is in the buffer has left it */
    unsigned turn;            /* buffer to fill next */
};

/* One copy at a time; threads and buffers are made with the first. */
struct cuda_host_copy {
    pthread_mutex_t mutex;
    bool ready;        /* the mutex was made */
    bool made, failed; /* threads and buffers */
    int ordinal;
    struct cuzk_pool *pool;
    struct cuda_host_lane lanes[CUDA_HOST_LANES];
};

/* Errors: MEMORY. */
enum cuzk_status cuda_host_copy_create(int ordinal, struct cuda_host_copy *out, struct cuzk_error *err);
void cuda_host_copy_destroy(struct cuda_host_copy *copy);

/* Copies in the order of the stream, and waits. secret: the buffers are wiped afterwards. Small copies, and
 * all where there is no page-locked memory, go through the stream alone. Errors: DEVICE. */
enum cuzk_status cuda_host_copy_run(struct cuda_host_copy *copy, void *device, const void *host, size_t bytes,
                                    bool secret, cudaStream_t stream, const char *what,
                                    struct cuzk_error *err);

#endif
