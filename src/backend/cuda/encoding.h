/*
 * Points between the bytes of a parameter file (uncompressed, big-endian, zcash flags) and device structures.
 * Both directions run on the device; bytes and points are device memory.
 */
#ifndef CUZK_BACKEND_CUDA_ENCODING_H
#define CUZK_BACKEND_CUDA_ENCODING_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "curve/g1_law.h"
#include "curve/g2_law.h"

/* Bytes of a point, in a parameter file as on the device. */
static inline size_t cuda_point_bytes(bool g2)
{
    return g2 ? sizeof(struct cuzk_g2_affine) : sizeof(struct cuzk_g1_affine);
}

/* n points of 96 (192) bytes; *worst (device) becomes the lowest number, counted from `first`, of a point
 * that has flags (no key has infinity in it), a coordinate not below p or is off the curve: start with
 * UINT32_MAX. */
enum cuzk_status cuzk_cuda_decode_g1(const uint8_t *bytes, uint32_t n, uint32_t first,
                                     struct cuzk_g1_affine *out, uint32_t *worst, cudaStream_t stream,
                                     struct cuzk_error *err);
enum cuzk_status cuzk_cuda_decode_g2(const uint8_t *bytes, uint32_t n, uint32_t first,
                                     struct cuzk_g2_affine *out, uint32_t *worst, cudaStream_t stream,
                                     struct cuzk_error *err);

/* Points given as planes, to uncompressed bytes. */
enum cuzk_status cuzk_cuda_encode_g1(const struct cuzk_fp *x, const struct cuzk_fp *y, uint32_t n,
                                     uint8_t *bytes, cudaStream_t stream, struct cuzk_error *err);
enum cuzk_status cuzk_cuda_encode_g2(const struct cuzk_fp2 *x, const struct cuzk_fp2 *y, uint32_t n,
                                     uint8_t *bytes, cudaStream_t stream, struct cuzk_error *err);

#endif
