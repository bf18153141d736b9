/* CUDA's own errors as statuses: nothing in this room aborts. */
#ifndef CUZK_BACKEND_CUDA_CUDA_ERROR_H
#define CUZK_BACKEND_CUDA_CUDA_ERROR_H

#include <cuda_runtime.h>

#include "base/error.h"

/* OK, or DEVICE (MEMORY for a failed allocation) with the call's name and CUDA's text. */
static inline enum cuzk_status cuzk_cuda_check(cudaError_t result, const char *what, struct cuzk_error *err)
{
    if (result == cudaSuccess)
        return CUZK_OK;
    return cuzk_error_set(err, result == cudaErrorMemoryAllocation ? CUZK_MEMORY : CUZK_DEVICE, "%s: %s (%s)",
                          what, cudaGetErrorString(result), cudaGetErrorName(result));
}

/* Checks that the launch just made was accepted; where CUZK_CUDA_SYNC is defined, waits for the kernel and
 * names it. */
static inline enum cuzk_status cuzk_cuda_launched(const char *kernel, cudaStream_t stream,
                                                  struct cuzk_error *err)
{
    CUZK_TRY(cuzk_cuda_check(cudaGetLastError(), kernel, err));
#ifdef CUZK_CUDA_SYNC
    CUZK_TRY(cuzk_cuda_check(cudaStreamSynchronize(stream), kernel, err));
#else
    (void)stream;
#endif
    return CUZK_OK;
}

#endif
