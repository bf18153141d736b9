/*
 * The backend of NVIDIA GPUs: one device, chosen by ordinal or UUID. The only header of this room that other
 * rooms see. In a build without CUDA every function says so with UNSUPPORTED.
 */
#ifndef CUZK_BACKEND_CUDA_CUDA_H
#define CUZK_BACKEND_CUDA_CUDA_H

#include <stddef.h>

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuzk_cuda_device {
    int ordinal;
    char name[256];
    char uuid[64]; /* "GPU-xxxxxxxx-xxxx-..." as nvidia-smi prints it */
    size_t total_bytes, free_bytes;
    int major, minor; /* compute capability */
    int driver;       /* highest CUDA version of the driver: 1000 major + 10 minor */
};

/* Devices of this machine, in ordinal order; 0 where there is none. Errors: UNSUPPORTED (a build without
 * CUDA, or no driver), DEVICE. */
enum cuzk_status cuzk_cuda_device_count(int *out, struct cuzk_error *err);

/* Errors: NOT_FOUND (no such ordinal), DEVICE. */
enum cuzk_status cuzk_cuda_device_describe(int ordinal, struct cuzk_cuda_device *out, struct cuzk_error *err);

/* The backend of one device: an ordinal ("0") or a UUID; NULL means the first. Not shared between threads
 * while a job runs. Errors: UNSUPPORTED, NOT_FOUND (names what there is), DEVICE, MEMORY. */
enum cuzk_status cuzk_backend_cuda_create(const char *device, struct cuzk_backend **out,
                                          struct cuzk_error *err);

/* Tests: the n-th checked call of CUDA from now (0: the next) is taken to have failed with `error`, a number
 * of cudaError_t, once. n = SIZE_MAX turns it off. Process-wide. */
void cuzk_cuda_fail_after(size_t n, int error);

#ifdef __cplusplus
}
#endif

#endif
