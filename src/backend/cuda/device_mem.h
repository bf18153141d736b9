/* Long-lived device memory of one backend, counted. Not for the hot path: that allocates from an arena. */
#ifndef CUZK_BACKEND_CUDA_DEVICE_MEM_H
#define CUZK_BACKEND_CUDA_DEVICE_MEM_H

#include "backend/backend.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/cuda_error.h"
#include "backend/cuda/host_copy.h"
#include "base/mem.h"

struct cuda_backend {
    struct cuzk_backend base;
    int ordinal;
    struct cuzk_cuda_device device;
    cudaStream_t stream; /* of single operations and of loading */
    size_t used, peak;   /* changed atomically: jobs run in several threads */
    struct cuda_host_copy host_copy;
};

/* Makes the backend's device current for the calling thread. */
static inline enum cuzk_status cuda_use(const struct cuda_backend *backend, struct cuzk_error *err)
{
    return cuzk_cuda_check(cudaSetDevice(backend->ordinal), "choice of device", err);
}

/* Counts memory that was allocated otherwise. */
static inline void cuda_mem_count(struct cuda_backend *backend, size_t bytes)
{
    const size_t used = __atomic_add_fetch(&backend->used, bytes, __ATOMIC_RELAXED);
    size_t peak = __atomic_load_n(&backend->peak, __ATOMIC_RELAXED);
    while (used > peak && !__atomic_compare_exchange_n(&backend->peak, &peak, used, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED))
        ;
}

static inline void cuda_mem_uncount(struct cuda_backend *backend, size_t bytes)
{
    __atomic_sub_fetch(&backend->used, bytes, __ATOMIC_RELAXED);
}

/* Errors: MEMORY, with what was asked for and what is in use. *out is NULL on failure. */
static inline enum cuzk_status cuda_mem_take(struct cuda_backend *backend, size_t bytes, const char *what,
                                             void **out, struct cuzk_error *err)
{
    *out = NULL;
    if (bytes == 0)
        bytes = 1;
    const cudaError_t result = cuzk_mem_must_fail() ? cudaErrorMemoryAllocation : cudaMalloc(out, bytes);
    if (result == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); /* it is not sticky, and this is its report */
        *out = NULL;
        return cuzk_error_set(err, CUZK_MEMORY,
                              "device %d cannot hold %s: %zu bytes asked for, %zu in use by this program",
                              backend->ordinal, what, bytes, backend->used);
    }
    const enum cuzk_status status = cuzk_cuda_check(result, what, err);
    if (status == CUZK_OK) {
        cuda_mem_count(backend, bytes);
        return CUZK_OK;
    }
    if (result == cudaSuccess) /* a failure that a test injected */
        (void)cudaFree(*out);
    *out = NULL;
    return status;
}

/* Copies host memory in, in the order of the backend's stream, and waits. A plain cudaMemcpy would go through
 * the default stream, which streams of this backend do not wait for: from pageable memory it returns before
 * the last bytes have arrived. */
static inline enum cuzk_status cuda_mem_copy_in(struct cuda_backend *backend, void *device, const void *host,
                                                size_t bytes, const char *what, struct cuzk_error *err)
{
    return cuda_host_copy_run(&backend->host_copy, device, host, bytes, false, backend->stream, what, err);
}

/* Device memory that holds what host memory does. */
static inline enum cuzk_status cuda_mem_take_copy(struct cuda_backend *backend, const void *host,
                                                  size_t bytes, const char *what, void **out,
                                                  struct cuzk_error *err)
{
    CUZK_TRY(cuda_mem_take(backend, bytes, what, out, err));
    return cuda_mem_copy_in(backend, *out, host, bytes, what, err);
}

static inline void cuda_mem_drop(struct cuda_backend *backend, void *block, size_t bytes)
{
    if (block == NULL)
        return;
    cudaFree(block);
    cuda_mem_uncount(backend, bytes == 0 ? 1 : bytes);
}

#endif
