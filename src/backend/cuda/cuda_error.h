/* CUDA's own errors as statuses: nothing in this room aborts. */
#ifndef CUZK_BACKEND_CUDA_CUDA_ERROR_H
#define CUZK_BACKEND_CUDA_CUDA_ERROR_H

#include <cuda_runtime.h>

#include "base/error.h"

/* After these every call of the process fails: only a new process has the device again. */
static inline bool cuzk_cuda_is_lost(cudaError_t result)
{
    switch (result) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorDevicesUnavailable:
        return true;
    default:
        return false;
    }
}

/* What cuzk_cuda_fail_after wants of the call that is being checked: an error, or cudaSuccess (cuda.cu). */
cudaError_t cuzk_cuda_injected(void);

/* OK, or DEVICE (MEMORY for a failed allocation, DEVICE_LOST where no call will work any more) with the
 * call's name and CUDA's text. */
static inline enum cuzk_status cuzk_cuda_check(cudaError_t result, const char *what, struct cuzk_error *err)
{
    if (result == cudaSuccess)
        result = cuzk_cuda_injected();
    if (result == cudaSuccess)
        return CUZK_OK;
    const enum cuzk_status status = result == cudaErrorMemoryAllocation ? CUZK_MEMORY
                                    : cuzk_cuda_is_lost(result)         ? CUZK_DEVICE_LOST
                                                                        : CUZK_DEVICE;

    return cuzk_error_set(err, status, "%s: %s (%s)", what, cudaGetErrorString(result),
                          cudaGetErrorName(result));
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
