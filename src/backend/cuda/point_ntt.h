/* Transforms of points of G1 on a device (poly/point_ntt.h): for deriving keys. */
#ifndef CUZK_BACKEND_CUDA_POINT_NTT_H
#define CUZK_BACKEND_CUDA_POINT_NTT_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As transform_points of the backend's table. Takes and frees device memory: 160 bytes a point. */
enum cuzk_status cuda_transform_points(struct cuzk_backend *backend, unsigned log_n,
                                       const struct cuzk_fr *first, const struct cuzk_fr *ratio,
                                       const uint8_t *points, size_t given, uint8_t *out,
                                       const struct cuzk_progress *progress, struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
