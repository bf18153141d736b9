/*
 * The end of a bucket reduction or a sum of bits: groups of at most 32 points, a warp to a group. Few points
 * and long latencies, so additions here are complete ones in Jacobian coordinates (add-2007-bl, dbl-2009-l;
 * curve/law.h), ten of them one behind the other, with one copy of the product.
 */
#ifndef CUZK_BACKEND_CUDA_LEAF_CUH
#define CUZK_BACKEND_CUDA_LEAF_CUH

#include "backend/cuda/cuda_error.h"
#include "backend/cuda/points.cuh"

/* As struct cuzk_g1 and cuzk_g2: infinity is z = 0. */
template <class F> struct leaf_point {
    F x, y, z;
};

static __device__ __forceinline__ struct cuzk_fp leaf_mul(const struct cuzk_fp &a, const struct cuzk_fp &b)
{
    return fp_product(a, b);
}

static __device__ __noinline__ struct cuzk_fp2 leaf_mul(const struct cuzk_fp2 &a, const struct cuzk_fp2 &b)
{
    return a * b;
}

template <class F>
static __device__ __noinline__ void leaf_double(const struct leaf_point<F> *p, struct leaf_point<F> *out)
{
    const F a = leaf_mul(p->x, p->x), b = leaf_mul(p->y, p->y), s = p->x + b;
    F c = leaf_mul(b, b), d = leaf_mul(s, s) - a - c;
    d = d + d;
    const F e = a + a + a, x = leaf_mul(e, e) - d - d, t = leaf_mul(p->y, p->z);
    c = c + c;
    c = c + c;
    out->x = x;
    out->y = leaf_mul(e, d - x) - (c + c);
    out->z = t + t;
}

/* p += q */
template <class F>
static __device__ __noinline__ void leaf_add(struct leaf_point<F> *p, const struct leaf_point<F> *q)
{
    if (field_is_zero(q->z))
        return;
    if (field_is_zero(p->z)) {
        *p = *q;
        return;
    }
    const F z1z1 = leaf_mul(p->z, p->z), z2z2 = leaf_mul(q->z, q->z);
    const F u1 = leaf_mul(p->x, z2z2), s1 = leaf_mul(leaf_mul(p->y, q->z), z2z2);
    const F h = leaf_mul(q->x, z1z1) - u1;
    F r = leaf_mul(leaf_mul(q->y, p->z), z1z1) - s1;
    if (field_is_zero(h)) {
        if (field_is_zero(r))
            leaf_double(p, p);
        else
            field_zero(&p->z);
        return;
    }
    r = r + r;
    const F h2 = h + h, i = leaf_mul(h2, h2), j = leaf_mul(h, i), v = leaf_mul(u1, i), z = p->z + q->z;
    const F x = leaf_mul(r, r) - j - v - v, t = leaf_mul(s1, j);
    p->x = x;
    p->y = leaf_mul(v - x, r) - (t + t);
    p->z = leaf_mul(leaf_mul(z, z) - z1z1 - z2z2, h);
}

/* The point of the lane `distance` above this one. */
template <class F>
static __device__ __forceinline__ void leaf_from_above(const struct leaf_point<F> *p, unsigned distance,
                                                       struct leaf_point<F> *out)
{
    const uint32_t *const from = (const uint32_t *)p;
    uint32_t *const to = (uint32_t *)out;

#pragma unroll
    for (unsigned k = 0; k < sizeof *p / 4; k++)
        to[k] = __shfl_down_sync(~0u, from[k], distance);
}

/* This lane's point of a group of n; infinity for the lanes that have none. */
template <class G>
static __device__ __forceinline__ void leaf_load(const struct cuzk_cuda_planes<G> &points, size_t first,
                                                 unsigned n, struct leaf_point<typename G::field> *out)
{
    field_zero(&out->x);
    field_zero(&out->y);
    field_zero(&out->z);
    if (threadIdx.x >= n)
        return;
    out->x = field_load(&points.x[first + threadIdx.x]);
    out->y = field_load(&points.y[first + threadIdx.x]);
    if (!field_is_zero(out->x))
        field_one(&out->z);
}

/* The sum of the first n lanes' points, n a power of two, in lane 0. */
template <class F> static __device__ __forceinline__ void leaf_total(struct leaf_point<F> *p, unsigned n)
{
    struct leaf_point<F> q;

#pragma unroll 1
    for (unsigned distance = n / 2; distance > 0; distance /= 2) {
        leaf_from_above(p, distance, &q);
        if (threadIdx.x < distance)
            leaf_add(p, &q);
    }
}

/* sums[2 g] = sum of (i + 1) A_i, sums[2 g + 1] = sum of A_i, over the 2^bits points of group g, bits at most
 * 5: the weighted sum is that of all suffixes. Blocks of one warp. */
template <class G>
static __global__ void leaf_sums(const struct cuzk_cuda_planes<G> points, unsigned bits,
                                 struct leaf_point<typename G::field> *__restrict__ sums)
{
    const unsigned n = 1u << bits;
    struct leaf_point<typename G::field> p, q;

    leaf_load<G>(points, (size_t)blockIdx.x << bits, n, &p);
#pragma unroll 1
    for (unsigned distance = 1; distance < n; distance *= 2) {
        leaf_from_above(&p, distance, &q);
        if (threadIdx.x + distance < n)
            leaf_add(&p, &q);
    }
    if (threadIdx.x == 0)
        sums[2 * (size_t)blockIdx.x + 1] = p;
    leaf_total(&p, n);
    if (threadIdx.x == 0)
        sums[2 * (size_t)blockIdx.x] = p;
}

/* sums[g] = sum of the 32 each points of group g. Blocks of one warp. */
template <class G>
static __global__ void leaf_totals(const struct cuzk_cuda_planes<G> points, unsigned each,
                                   struct leaf_point<typename G::field> *__restrict__ sums)
{
    const size_t first = (size_t)blockIdx.x * 32 * each;
    struct leaf_point<typename G::field> p, q;

    leaf_load<G>(points, first, 32, &p);
#pragma unroll 1
    for (unsigned k = 1; k < each; k++) {
        leaf_load<G>(points, first + 32 * (size_t)k, 32, &q);
        leaf_add(&p, &q);
    }
    leaf_total(&p, 32);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = p;
}

/* The same for what leaf_totals leaves: to[g] = sum of from[32 g] to from[32 g + 31]. */
template <class F>
static __global__ void leaf_join(const struct leaf_point<F> *__restrict__ from,
                                 struct leaf_point<F> *__restrict__ to)
{
    struct leaf_point<F> p = from[(size_t)blockIdx.x * 32 + threadIdx.x];

    leaf_total(&p, 32);
    if (threadIdx.x == 0)
        to[blockIdx.x] = p;
}

#endif
