/* G1 and G2 under one set of names, for kernels written once. */
#ifndef CUZK_BACKEND_CUDA_POINTS_CUH
#define CUZK_BACKEND_CUDA_POINTS_CUH

#include "curve/g1_law.h"
#include "curve/g2_law.h"
#include "field/fp_divsteps32.h"

#define CUZK_ON_DEVICE static __device__ __forceinline__

CUZK_ON_DEVICE struct cuzk_fp field_load(const struct cuzk_fp *p)
{
    const ulonglong2 *q = (const ulonglong2 *)p;
    struct cuzk_fp v;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const ulonglong2 part = q[i];
        v.l[2 * i] = part.x;
        v.l[2 * i + 1] = part.y;
    }
    return v;
}

CUZK_ON_DEVICE void field_store(struct cuzk_fp *p, const struct cuzk_fp &v)
{
    ulonglong2 *q = (ulonglong2 *)p;
#pragma unroll
    for (int i = 0; i < 3; i++)
        q[i] = make_ulonglong2(v.l[2 * i], v.l[2 * i + 1]);
}

CUZK_ON_DEVICE struct cuzk_fp2 field_load(const struct cuzk_fp2 *p)
{
    struct cuzk_fp2 v;
    v.c0 = field_load(&p->c0);
    v.c1 = field_load(&p->c1);
    return v;
}

CUZK_ON_DEVICE void field_store(struct cuzk_fp2 *p, const struct cuzk_fp2 &v)
{
    field_store(&p->c0, v.c0);
    field_store(&p->c1, v.c1);
}

#define CUZK_FIELD_OVERLOADS(T)                                                                              \
    CUZK_ON_DEVICE T operator+(const T &a, const T &b)                                                       \
    {                                                                                                        \
        T r;                                                                                                 \
        T##_add(&a, &b, &r);                                                                                 \
        return r;                                                                                            \
    }                                                                                                        \
    CUZK_ON_DEVICE T operator-(const T &a, const T &b)                                                       \
    {                                                                                                        \
        T r;                                                                                                 \
        T##_sub(&a, &b, &r);                                                                                 \
        return r;                                                                                            \
    }                                                                                                        \
    CUZK_ON_DEVICE T field_negate(const T &a)                                                                \
    {                                                                                                        \
        T r;                                                                                                 \
        T##_neg(&a, &r);                                                                                     \
        return r;                                                                                            \
    }                                                                                                        \
    CUZK_ON_DEVICE bool field_is_zero(const T &a)                                                            \
    {                                                                                                        \
        return T##_is_zero(&a);                                                                              \
    }                                                                                                        \
    CUZK_ON_DEVICE bool field_equal(const T &a, const T &b)                                                  \
    {                                                                                                        \
        return T##_equal(&a, &b);                                                                            \
    }                                                                                                        \
    CUZK_ON_DEVICE void field_one(T *out)                                                                    \
    {                                                                                                        \
        T##_one(out);                                                                                        \
    }                                                                                                        \
    CUZK_ON_DEVICE void field_zero(T *out)                                                                   \
    {                                                                                                        \
        T##_zero(out);                                                                                       \
    }
#define CUZK_FIELD_PRODUCTS(T)                                                                               \
    CUZK_ON_DEVICE T operator*(const T &a, const T &b)                                                       \
    {                                                                                                        \
        T r;                                                                                                 \
        T##_mul(&a, &b, &r);                                                                                 \
        return r;                                                                                            \
    }                                                                                                        \
    CUZK_ON_DEVICE T field_square(const T &a)                                                                \
    {                                                                                                        \
        T r;                                                                                                 \
        T##_sqr(&a, &r);                                                                                     \
        return r;                                                                                            \
    }
CUZK_FIELD_OVERLOADS(cuzk_fp)
CUZK_FIELD_PRODUCTS(cuzk_fp)
CUZK_FIELD_OVERLOADS(cuzk_fp2)

/* One copy of the product in Fp, operands in registers: inlined everywhere, a kernel over Fp2 would outgrow
 * the instruction cache. */
static __device__ __noinline__ struct cuzk_fp fp_product(struct cuzk_fp a, struct cuzk_fp b)
{
    cuzk_fp_mul(&a, &b, &a);
    return a;
}

/* Karatsuba, as cuzk_fp2_mul */
CUZK_ON_DEVICE struct cuzk_fp2 operator*(const struct cuzk_fp2 &a, const struct cuzk_fp2 &b)
{
    const struct cuzk_fp v0 = fp_product(a.c0, b.c0), v1 = fp_product(a.c1, b.c1);
    struct cuzk_fp2 r;
    r.c1 = fp_product(a.c0 + a.c1, b.c0 + b.c1) - v0 - v1;
    r.c0 = v0 - v1;
    return r;
}

CUZK_ON_DEVICE struct cuzk_fp2 field_square(const struct cuzk_fp2 &a)
{
    const struct cuzk_fp m = fp_product(a.c0, a.c1);
    struct cuzk_fp2 r;
    r.c0 = fp_product(a.c0 + a.c1, a.c0 - a.c1);
    r.c1 = m + m;
    return r;
}

static __device__ __noinline__ struct cuzk_fp field_inverse(const struct cuzk_fp &a)
{
    struct cuzk_fp r;
    cuzk_fp_divsteps32_inverse(&a, &r);
    return r;
}

CUZK_ON_DEVICE struct cuzk_fp2 field_inverse(const struct cuzk_fp2 &a)
{
    const struct cuzk_fp norm = field_inverse(field_square(a.c0) + field_square(a.c1));
    struct cuzk_fp2 r;
    r.c0 = a.c0 * norm;
    r.c1 = field_negate(a.c1 * norm);
    return r;
}

struct cuzk_cuda_g1 {
    typedef struct cuzk_fp field;
    typedef struct cuzk_g1_affine affine;
};

struct cuzk_cuda_g2 {
    typedef struct cuzk_fp2 field;
    typedef struct cuzk_g2_affine affine;
};

/* Points as separate x and y planes. Infinity is x = 0 (no point of the prime-order subgroup has x = 0). */
template <class G> struct cuzk_cuda_planes {
    typename G::field *x, *y;
};

#endif
