/*
 * Times the device's main operations alone, with their data resident: what `cuzk bench` prints and what
 * tuning goes by. Data are random; every result is checked, so that no wrong kernel looks fast.
 */
#ifndef CUZK_BACKEND_CUDA_MEASURE_H
#define CUZK_BACKEND_CUDA_MEASURE_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cuzk_cuda_work {
    CUZK_CUDA_NTT_DOWN, /* natural order to the plan's own */
    CUZK_CUDA_NTT_UP,   /* and back */
    CUZK_CUDA_QUOTIENT, /* six transforms and what stands between them */
    CUZK_CUDA_MSM_G1,   /* scalars of 254 bits */
    CUZK_CUDA_MSM_G2,
    CUZK_CUDA_BITS_G1, /* the half of the points that random bits choose */
    CUZK_CUDA_BITS_G2,
    CUZK_CUDA_WORKS,
};

const char *cuzk_cuda_work_name(enum cuzk_cuda_work work);

/* Nanoseconds of each of `rounds` runs on 2^log_n elements (at least 2^4, at most 2^28), after one that is
 * not counted. backend: a CUDA one. Errors: ARGUMENT, MEMORY, DEVICE (also a result that is wrong),
 * UNSUPPORTED (a build without CUDA). */
enum cuzk_status cuzk_cuda_measure(struct cuzk_backend *backend, enum cuzk_cuda_work work, unsigned log_n,
                                   unsigned rounds, uint64_t *ns, struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
