/* Multiples of one base on the device, for making parameters; private to src/backend/cuda. */
#ifndef CUZK_BACKEND_CUDA_FIXED_BASE_H
#define CUZK_BACKEND_CUDA_FIXED_BASE_H

#include "backend/cuda/device_mem.h"

enum cuzk_status cuda_table_create(struct cuzk_backend *backend, enum cuzk_group group,
                                   const union cuzk_backend_affine *base, size_t expected,
                                   struct cuzk_backend_table **out, struct cuzk_error *err);
void cuda_table_destroy(struct cuzk_backend_table *table);
enum cuzk_status cuda_setup_points(struct cuzk_backend_table *table, const uint64_t (*scalars)[4], size_t n,
                                   uint8_t *out, struct cuzk_error *err);

#endif
