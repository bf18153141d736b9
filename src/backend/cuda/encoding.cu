#include "backend/cuda/encoding.h"

#include "backend/cuda/cuda_error.h"
#include "backend/cuda/points.cuh"

static __device__ __forceinline__ uint64_t swap_bytes(uint64_t v)
{
    return (uint64_t)__byte_perm((uint32_t)v, 0, 0x0123) << 32 | __byte_perm((uint32_t)(v >> 32), 0, 0x0123);
}

/* 48 big-endian bytes, 8-byte aligned; false if the number is not below p */
static __device__ __forceinline__ bool read_fp(const uint8_t *bytes, struct cuzk_fp *out)
{
    uint64_t words[CUZK_FP_LIMBS];
    const uint64_t *p = (const uint64_t *)bytes;

#pragma unroll
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        words[i] = swap_bytes(p[CUZK_FP_LIMBS - 1 - i]);
    const bool reduced = cuzk_fp_words_are_reduced(words);
    cuzk_fp_from_words(words, out);
    return reduced;
}

static __device__ __forceinline__ void write_fp(const struct cuzk_fp &v, uint8_t *bytes)
{
    uint64_t words[CUZK_FP_LIMBS], *p = (uint64_t *)bytes;

    cuzk_fp_to_words(&v, words);
#pragma unroll
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        p[i] = swap_bytes(words[CUZK_FP_LIMBS - 1 - i]);
}

static __device__ __forceinline__ bool read_coordinate(const uint8_t *bytes, struct cuzk_fp *out)
{
    return read_fp(bytes, out);
}

static __device__ __forceinline__ bool read_coordinate(const uint8_t *bytes, struct cuzk_fp2 *out)
{
    const bool first = read_fp(bytes, &out->c1);
    return read_fp(bytes + 48, &out->c0) && first;
}

static __device__ __forceinline__ void write_coordinate(const struct cuzk_fp &v, uint8_t *bytes)
{
    write_fp(v, bytes);
}

static __device__ __forceinline__ void write_coordinate(const struct cuzk_fp2 &v, uint8_t *bytes)
{
    write_fp(v.c1, bytes);
    write_fp(v.c0, bytes + 48);
}

/* b of the curve: 4, and 4 (1 + u) on the twist */
static __device__ __forceinline__ struct cuzk_fp curve_b(const struct cuzk_fp *)
{
    struct cuzk_fp b;
    cuzk_fp_from_u64(4, &b);
    return b;
}

static __device__ __forceinline__ struct cuzk_fp2 curve_b(const struct cuzk_fp2 *)
{
    struct cuzk_fp2 b;
    cuzk_fp_from_u64(4, &b.c0);
    b.c1 = b.c0;
    return b;
}

template <class G>
static __global__ void decode(const uint8_t *__restrict__ bytes, uint32_t n, uint32_t first,
                              typename G::affine *__restrict__ out, uint32_t *worst)
{
    typedef typename G::field field;
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uint8_t *const from = bytes + (size_t)i * 2 * sizeof(field);
    field x, y;

    const bool below = read_coordinate(from, &x) & read_coordinate(from + sizeof(field), &y);
    const field rhs = field_square(x) * x + curve_b((const field *)NULL);
    const bool good = (from[0] & 0xe0) == 0 && below && field_equal(field_square(y), rhs);
    if (!good)
        atomicMin(worst, first + i);
    field_store(&out[i].x, x);
    field_store(&out[i].y, y);
}

template <class F>
static __global__ void encode(const F *__restrict__ x, const F *__restrict__ y, uint32_t n,
                              uint8_t *__restrict__ bytes)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint8_t *const to = bytes + (size_t)i * 2 * sizeof(F);
    const F px = field_load(&x[i]);

    write_coordinate(px, to);
    write_coordinate(field_load(&y[i]), to + sizeof(F));
    if (field_is_zero(px)) /* infinity */ {
        for (unsigned k = 0; k < 2 * sizeof(F) / 8; k++)
            ((uint64_t *)to)[k] = 0;
        to[0] = 0x40;
    }
}

enum cuzk_status cuzk_cuda_decode_g1(const uint8_t *bytes, uint32_t n, uint32_t first,
                                     struct cuzk_g1_affine *out, uint32_t *worst, cudaStream_t stream,
                                     struct cuzk_error *err)
{
    decode<cuzk_cuda_g1><<<(n + 127) / 128, 128, 0, stream>>>(bytes, n, first, out, worst);
    return cuzk_cuda_launched("decode of G1", stream, err);
}

enum cuzk_status cuzk_cuda_decode_g2(const uint8_t *bytes, uint32_t n, uint32_t first,
                                     struct cuzk_g2_affine *out, uint32_t *worst, cudaStream_t stream,
                                     struct cuzk_error *err)
{
    decode<cuzk_cuda_g2><<<(n + 127) / 128, 128, 0, stream>>>(bytes, n, first, out, worst);
    return cuzk_cuda_launched("decode of G2", stream, err);
}

enum cuzk_status cuzk_cuda_encode_g1(const struct cuzk_fp *x, const struct cuzk_fp *y, uint32_t n,
                                     uint8_t *bytes, cudaStream_t stream, struct cuzk_error *err)
{
    encode<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n, bytes);
    return cuzk_cuda_launched("encode of G1", stream, err);
}

enum cuzk_status cuzk_cuda_encode_g2(const struct cuzk_fp2 *x, const struct cuzk_fp2 *y, uint32_t n,
                                     uint8_t *bytes, cudaStream_t stream, struct cuzk_error *err)
{
    encode<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n, bytes);
    return cuzk_cuda_launched("encode of G2", stream, err);
}
