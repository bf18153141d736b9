#include "backend/cuda/ntt_plan.cuh"

#include "backend/cuda/cuda_error.h"
#include "base/mem.h"

/* ---- tables ---- */

/* out[d * stride + low] = factor shift^d root^(low * d), a run of consecutive low for each thread */
static __global__ void fill_twiddles(struct cuzk_fr *out, struct cuzk_fr root, struct cuzk_fr shift,
                                     struct cuzk_fr factor, unsigned bits, unsigned log_stride,
                                     unsigned log_run)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t first = thread << log_run;
    if (first >> (bits + log_stride) != 0)
        return;
    const uint64_t d = first >> log_stride, low = first & ((UINT64_C(1) << log_stride) - 1);
    const struct cuzk_fr step = power(root, d);
    const struct cuzk_fr start = power(shift, d);
    struct cuzk_fr value = power(step, low);
    cuzk_fr_mul(&value, &start, &value);
    cuzk_fr_mul(&value, &factor, &value);
    for (uint64_t i = 0; i < UINT64_C(1) << log_run; i++) {
        out[first + i] = value;
        cuzk_fr_mul(&value, &step, &value);
    }
}

/* out[i] = root^i for i below 512, then (W -+ W^3) / 2 for W = root^64 */
static __global__ void fill_roots(struct cuzk_fr *out, struct cuzk_fr root, struct cuzk_fr half)
{
    out[threadIdx.x] = power(root, threadIdx.x);
    if (threadIdx.x == 0) {
        const struct cuzk_fr w1 = power(root, 64), w3 = power(root, 192);
        cuzk_fr_sub(&w1, &w3, &out[512]);
        cuzk_fr_mul(&out[512], &half, &out[512]);
        cuzk_fr_add(&w1, &w3, &out[513]);
        cuzk_fr_mul(&out[513], &half, &out[513]);
    }
}

/* ---- the wide pass: 512 points ---- */

static __device__ __forceinline__ void butterfly(struct cuzk_fr *a, struct cuzk_fr *b)
{
    struct cuzk_fr t;

    cuzk_fr_sub(a, b, &t);
    cuzk_fr_add(a, b, a);
    *b = t;
}

/* Constants of the 8-point transform, with W a root of order 8: i = W^2, s = (W - W^3) / 2 and s * i. */
struct root_8 {
    struct cuzk_fr i, s, si;
};

/* 8-point transform in registers, natural order, 4 multiplications: W = s (1 + i) and W^3 = s (i - 1), so the
 * two products of the odd half become P = s (a - b) and Q = s i (a + b), and the outputs P + Q and Q - P. */
static __device__ __forceinline__ void transform_8(struct cuzk_fr x[8], const struct root_8 *w)
{
    struct cuzk_fr t;

#pragma unroll
    for (int k = 0; k < 4; k++)
        butterfly(&x[k], &x[k + 4]);
    cuzk_fr_mul(&x[6], &w->i, &x[6]);
    butterfly(&x[4], &x[6]);
    butterfly(&x[5], &x[7]); /* a + b, a - b */
    cuzk_fr_mul(&x[5], &w->si, &x[5]);
    cuzk_fr_mul(&x[7], &w->s, &x[7]);
    t = x[5];
    cuzk_fr_add(&t, &x[7], &x[5]);
    cuzk_fr_sub(&t, &x[7], &x[7]);
    butterfly(&x[0], &x[2]);
    butterfly(&x[1], &x[3]);
    cuzk_fr_mul(&x[3], &w->i, &x[3]);
    butterfly(&x[0], &x[1]);
    butterfly(&x[2], &x[3]);
    butterfly(&x[4], &x[5]);
    butterfly(&x[6], &x[7]);
    t = x[1], x[1] = x[4], x[4] = t; /* undo the bit reversal of three bits */
    t = x[3], x[3] = x[6], x[6] = t;
}

static __device__ __forceinline__ unsigned skew(unsigned i)
{
    return i + (i >> 8) * 4;
}

static __device__ __forceinline__ void put(uint32_t *shared, unsigned i, const struct cuzk_fr *v)
{
    const unsigned at = skew(i);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        shared[(2 * k) * NTT_ROW + at] = (uint32_t)v->l[k];
        shared[(2 * k + 1) * NTT_ROW + at] = (uint32_t)(v->l[k] >> 32);
    }
}

static __device__ __forceinline__ void take(const uint32_t *shared, unsigned i, struct cuzk_fr *v)
{
    const unsigned at = skew(i);
#pragma unroll
    for (int k = 0; k < 4; k++)
        v->l[k] = shared[(2 * k) * NTT_ROW + at] | (uint64_t)shared[(2 * k + 1) * NTT_ROW + at] << 32;
}

/* The roots table: powers 0..511 of a root of order 512, then s and s * i. */
static __device__ __forceinline__ struct root_8 load_root_8(const struct cuzk_fr *roots)
{
    struct root_8 w;
    w.i = load(&roots[128]);
    w.s = load(&roots[512]);
    w.si = load(&roots[513]);
    return w;
}

/* What a value at position p is multiplied by: values[p & mask]; values NULL: nothing. With `high`, the
 * product of two tables of a pass of that stride (struct twiddles). */
struct factors {
    const struct cuzk_fr *values;
    uint64_t mask;
    const struct cuzk_fr *high;
    unsigned cut, log_stride;
};

/* A transform of a pass's points and what its results are multiplied by. */
struct stage {
    const struct cuzk_fr *roots;
    struct factors out;
};

static __device__ __forceinline__ struct cuzk_fr cut_factor(const struct factors &by, uint64_t position)
{
    const uint64_t at = position & by.mask, d = at >> by.log_stride;
    const uint64_t low = at & ((UINT64_C(1) << by.log_stride) - 1);
    const struct cuzk_fr high = load(by.high + (d << (by.log_stride - by.cut)) + (low >> by.cut));
    struct cuzk_fr w = load(by.values + (d << by.cut) + (low & ((UINT64_C(1) << by.cut) - 1)));
    cuzk_fr_mul(&w, &high, &w);
    return w;
}

/* x_k *= the factor of position first + k step; those differ in bits of the mask alone */
template <bool CUT>
static __device__ __forceinline__ void multiply_8(struct cuzk_fr x[8], const struct factors &by,
                                                  uint64_t first, unsigned log_step)
{
    const struct cuzk_fr *const at = by.values + (first & by.mask);

#pragma unroll
    for (int k = 0; k < 8; k++) {
        const struct cuzk_fr w = CUT && by.high != NULL ? cut_factor(by, first + ((uint64_t)k << log_step))
                                                        : load(at + ((uint64_t)k << log_step));
        cuzk_fr_mul(&x[k], &w, &x[k]);
    }
}

/* Where a thread's first position lies. */
static __device__ __forceinline__ uint64_t first_position(unsigned log_stride)
{
    const unsigned column = threadIdx.x % NTT_COLUMNS, t = threadIdx.x / NTT_COLUMNS;
    const uint64_t q = (uint64_t)blockIdx.x * NTT_COLUMNS + column;
    const uint64_t low = q & ((UINT64_C(1) << log_stride) - 1);
    return ((q >> log_stride) << (log_stride + NTT_WIDE_BITS)) + low + ((uint64_t)t << log_stride);
}

/* A thread has positions t + 64 m of its column, before and after: so a transform down to neighbours and one
 * up from there (TURN) meet in registers. In between, a warp has eight digits `high` and one `digit`; where
 * that is 0, the twiddles are 1. */
template <bool IN, bool TURN, bool CUT>
static __global__ void __launch_bounds__(NTT_WIDE_THREADS, 2)
    pass_512(const struct cuzk_fr *from, const struct factors in, struct cuzk_fr *data,
             const struct stage down, const struct stage up, unsigned log_stride)
{
    extern __shared__ uint32_t shared[];
    const unsigned column = threadIdx.x % NTT_COLUMNS, t = threadIdx.x / NTT_COLUMNS; /* t below 64 */
    const unsigned high = t % 8, digit = t / 8;
    const uint64_t first = first_position(log_stride);
    struct cuzk_fr x[8];

#pragma unroll
    for (int m = 0; m < 8; m++)
        x[m] = load(from + first + ((uint64_t)(64 * m) << log_stride));
    if (IN)
        multiply_8<false>(x, in, first, log_stride + 6);
#pragma unroll 1
    for (int turn = 0;; turn++) {
        const struct cuzk_fr *const roots = TURN && turn == 1 ? up.roots : down.roots;
        const struct root_8 w8 = load_root_8(roots);
#pragma unroll 1
        for (int step = 0;; step++) {
            transform_8(x, &w8);
            if (step == 2)
                break;
            /* step 0: position t, output digit k of weight 1; step 1: (k0 = high, t0 = digit), digit k1 of
             * weight 8 */
            if (step == 0 || digit != 0) {
                const unsigned exponent = step == 0 ? t : 8 * digit;
#pragma unroll
                for (int k = 1; k < 8; k++) {
                    const struct cuzk_fr w = load(&roots[exponent * k]);
                    cuzk_fr_mul(&x[k], &w, &x[k]);
                }
            }
            if (step == 1 || turn == 1)
                __syncthreads();
#pragma unroll
            for (int k = 0; k < 8; k++)
                put(shared, (step == 0 ? k * 64 + t : high * 64 + k * 8 + digit) * NTT_COLUMNS + column,
                    &x[k]);
            __syncthreads();
#pragma unroll
            for (int k = 0; k < 8; k++)
                take(shared,
                     (step == 0 ? high * 64 + digit + 8 * k : high * 64 + digit * 8 + k) * NTT_COLUMNS +
                         column,
                     &x[k]);
        }
        /* here high = k0, digit = k1, and high + 8 digit = t */
        const struct factors &out = TURN && turn == 0 ? down.out : TURN ? up.out : down.out;
        if (out.values != NULL)
            multiply_8<CUT>(x, out, first_position(log_stride), log_stride + 6);
        if (!TURN || turn == 1)
            break;
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        store(data + first + ((uint64_t)(64 * k) << log_stride), &x[k]);
}

/* ---- the narrow pass: 2, 4 or 8 points in registers, for sizes that are no multiple of nine bits ---- */

template <int BITS>
static __global__ void pass_small(const struct cuzk_fr *from, const struct factors in, struct cuzk_fr *data,
                                  const struct stage stage, unsigned log_stride, uint64_t columns)
{
    const uint64_t q = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= columns)
        return;
    const uint64_t low = q & ((UINT64_C(1) << log_stride) - 1);
    const uint64_t first = ((q >> log_stride) << (log_stride + BITS)) + low;
    struct cuzk_fr x[1 << BITS];

#pragma unroll
    for (int j = 0; j < 1 << BITS; j++) {
        const uint64_t at = first + ((uint64_t)j << log_stride);
        x[j] = load(from + at);
        if (in.values != NULL) {
            const struct cuzk_fr w = load(in.values + (at & in.mask));
            cuzk_fr_mul(&x[j], &w, &x[j]);
        }
    }
    if (BITS == 3) {
        const struct root_8 w8 = load_root_8(stage.roots);
        transform_8(x, &w8);
    } else if (BITS == 2) {
        const struct cuzk_fr w2 = load(&stage.roots[128]);
        butterfly(&x[0], &x[2]);
        butterfly(&x[1], &x[3]);
        cuzk_fr_mul(&x[3], &w2, &x[3]);
        butterfly(&x[0], &x[1]);
        butterfly(&x[2], &x[3]);
        const struct cuzk_fr t = x[1];
        x[1] = x[2];
        x[2] = t;
    } else {
        butterfly(&x[0], &x[1]);
    }
#pragma unroll
    for (int j = 0; j < 1 << BITS; j++) {
        const uint64_t at = first + ((uint64_t)j << log_stride);
        if (stage.out.values != NULL) {
            const struct cuzk_fr w = stage.out.high != NULL ? cut_factor(stage.out, at)
                                                            : load(stage.out.values + (at & stage.out.mask));
            cuzk_fr_mul(&x[j], &w, &x[j]);
        }
        store(data + at, &x[j]);
    }
}

/* ---- order ---- */

static __global__ void reorder(const struct cuzk_fr *__restrict__ src, struct cuzk_fr *__restrict__ dst,
                               struct digits digits, uint64_t n, bool from_natural)
{
    const uint64_t p = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    const uint64_t i = natural_index(digits, p);
    const struct cuzk_fr v = load(&src[from_natural ? i : p]);
    store(&dst[from_natural ? p : i], &v);
}

/* data[p] *= factor * shift^i(p), with shift's powers from two tables: low 2^half and high */
static __global__ void scale(struct cuzk_fr *data, const struct cuzk_fr *powers, unsigned half,
                             struct digits digits, uint64_t n)
{
    const uint64_t p = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    const uint64_t i = natural_index(digits, p);
    const struct cuzk_fr lo = load(&powers[i & ((UINT64_C(1) << half) - 1)]);
    const struct cuzk_fr hi = load(&powers[(UINT64_C(1) << half) + (i >> half)]);
    struct cuzk_fr v = load(&data[p]);
    cuzk_fr_mul(&v, &lo, &v);
    cuzk_fr_mul(&v, &hi, &v);
    store(&data[p], &v);
}

/* ---- host ---- */

/* How 2^log_n points are cut into passes; what the tables take, in elements. small: the first pass, whose
 * table would be as large as the data, has its twiddles in two. */
static size_t cut_passes(unsigned log_n, bool small, struct pass pass[NTT_MAX_PASSES], unsigned *passes)
{
    size_t words = 2 * NTT_ROOTS;

    *passes = 0;
    for (unsigned left = log_n; left > 0;) {
        const unsigned bits = left >= NTT_WIDE_BITS && log_n >= NTT_WIDE_BITS + 2 ? (unsigned)NTT_WIDE_BITS
                              : left < 3                                          ? left
                                                                                  : 3;
        left -= bits;
        const unsigned cut = small && *passes == 0 && left > 1 ? left / 2 : 0;
        pass[*passes] = {bits, left, {}, {}};
        pass[*passes].down.cut = pass[*passes].up.cut = cut;
        (*passes)++;
        words += left == 0 ? (size_t)1 << bits
                 : cut > 0 ? ((size_t)2 << (bits + cut)) + ((size_t)2 << (bits + left - cut))
                           : (size_t)2 << (bits + left);
    }
    return words;
}

size_t cuzk_cuda_ntt_plan_bytes(unsigned log_n, bool small)
{
    struct pass pass[NTT_MAX_PASSES];
    unsigned passes;

    return cut_passes(log_n, small, pass, &passes) * sizeof(struct cuzk_fr);
}

/* A table of 2^(bits + log_stride) twiddles at `at`; returns what lies behind it. */
static struct cuzk_fr *fill_table(struct cuzk_fr *at, const struct cuzk_fr *root, const struct cuzk_fr *shift,
                                  const struct cuzk_fr *factor, unsigned bits, unsigned log_stride,
                                  cudaStream_t stream)
{
    const unsigned total = bits + log_stride;
    const unsigned log_run = total > 24 ? 6 : total > 16 ? 3 : 0;
    const unsigned run = log_run < log_stride ? log_run : log_stride;

    fill_twiddles<<<blocks(UINT64_C(1) << (total - run), 256), 256, 0, stream>>>(at, *root, *shift, *factor,
                                                                                 bits, log_stride, run);
    return at + ((size_t)1 << total);
}

/* The tables of every pass, from `at` on. */
static enum cuzk_status fill_tables(struct cuzk_cuda_ntt_plan *plan, struct cuzk_fr *at,
                                    const struct cuzk_fr *shift, const struct cuzk_fr *factor,
                                    cudaStream_t stream, struct cuzk_error *err)
{
    struct cuzk_fr one, weight = *shift; /* shift^(weight of the pass's digit) */

    cuzk_fr_one(&one);
    for (unsigned i = 0; i < plan->passes; i++) {
        struct pass *pass = &plan->pass[i];
        const bool last = pass->log_stride == 0;
        for (int up = last ? 1 : 0; up < 2; up++) {
            struct twiddles *tables = up ? &pass->up : &pass->down;
            struct cuzk_fr root;
            if (last && cuzk_fr_equal(shift, &one) && cuzk_fr_equal(factor, &one))
                continue;
            cuzk_fr_root_of_unity(pass->bits + pass->log_stride, &root);
            if (!up)
                cuzk_fr_inverse(&root, &root);
            tables->whole = at;
            if (tables->cut == 0) {
                at = fill_table(at, &root, up ? &weight : &one, last ? factor : &one, pass->bits,
                                pass->log_stride, stream);
                continue;
            }
            at = fill_table(at, &root, &one, &one, pass->bits, tables->cut, stream);
            for (unsigned k = 0; k < tables->cut; k++)
                cuzk_fr_mul(&root, &root, &root);
            tables->high = at;
            at = fill_table(at, &root, up ? &weight : &one, &one, pass->bits, pass->log_stride - tables->cut,
                            stream);
        }
        for (unsigned k = 0; k < pass->bits; k++)
            cuzk_fr_mul(&weight, &weight, &weight);
    }
    return cuzk_cuda_launched("fill_twiddles", stream, err);
}

template <bool IN, bool TURN, bool CUT> static enum cuzk_status allow_shared(struct cuzk_error *err)
{
    return cuzk_cuda_check(cudaFuncSetAttribute(pass_512<IN, TURN, CUT>,
                                                cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                NTT_SHARED_BYTES),
                           "shared memory of the NTT", err);
}

enum cuzk_status cuzk_cuda_ntt_plan_create(unsigned log_n, bool small, const struct cuzk_fr *shift,
                                           const struct cuzk_fr *factor, cudaStream_t stream,
                                           struct cuzk_cuda_ntt_plan **out, struct cuzk_error *err)
{
    struct cuzk_cuda_ntt_plan *plan = NULL;
    enum cuzk_status status;

    *out = NULL;
    if (log_n > 30)
        return cuzk_error_set(err, CUZK_ARGUMENT, "transform of 2^%u points: at most 2^30 are supported",
                              log_n);
    CUZK_TRY(CUZK_NEW(&plan, 1, "NTT plan", err));
    plan->log_n = log_n;
    const size_t words = cut_passes(log_n, small, plan->pass, &plan->passes);
    struct cuzk_fr n, half;
    cuzk_fr_from_u64(2, &half);
    cuzk_fr_inverse(&half, &half);
    cuzk_fr_from_u64(UINT64_C(1) << log_n, &n);
    cuzk_fr_inverse(&n, &plan->inverse_n);
    CUZK_TRY_OUT(
        cuzk_cuda_check(cudaMalloc(&plan->memory, words * sizeof(struct cuzk_fr)), "NTT twiddles", err));
    struct cuzk_fr *at;
    at = plan->memory;
    for (int up = 0; up < 2; up++) {
        struct cuzk_fr root;
        cuzk_fr_root_of_unity(9, &root);
        if (!up)
            cuzk_fr_inverse(&root, &root);
        *(up ? &plan->roots_up : &plan->roots_down) = at;
        fill_roots<<<1, 512, 0, stream>>>(at, root, half);
        at += NTT_ROOTS;
    }
    CUZK_TRY_OUT(fill_tables(plan, at, shift, factor, stream, err));
    CUZK_TRY_OUT((allow_shared<false, false, false>(err)));
    CUZK_TRY_OUT((allow_shared<true, false, false>(err)));
    CUZK_TRY_OUT((allow_shared<false, true, false>(err)));
    CUZK_TRY_OUT((allow_shared<false, false, true>(err)));
    CUZK_TRY_OUT((allow_shared<true, false, true>(err)));
    CUZK_TRY_OUT((allow_shared<false, true, true>(err)));
    *out = plan;
    return CUZK_OK;
out:
    cuzk_cuda_ntt_plan_destroy(plan);
    return status;
}

void cuzk_cuda_ntt_plan_destroy(struct cuzk_cuda_ntt_plan *plan)
{
    if (plan == NULL)
        return;
    cudaFree(plan->memory);
    cuzk_mem_free(plan);
}

/* Factors of a pass's table: at a position's low bits. */
static struct factors table(const struct pass *pass, const struct twiddles *tables)
{
    return {tables->whole, (UINT64_C(1) << (pass->bits + pass->log_stride)) - 1, tables->high, tables->cut,
            pass->log_stride};
}

static struct stage stage_down(const struct cuzk_cuda_ntt_plan *plan, unsigned i)
{
    return {plan->roots_down, table(&plan->pass[i], &plan->pass[i].down)};
}

/* Going up, a pass multiplies by the twiddles of the one after it. */
static struct stage stage_up(const struct cuzk_cuda_ntt_plan *plan, unsigned i)
{
    return {plan->roots_up, i == 0 ? factors{} : table(&plan->pass[i - 1], &plan->pass[i - 1].up)};
}

/* up NULL: one stage; otherwise two of the same wide pass. */
static enum cuzk_status run_pass(const struct cuzk_cuda_ntt_plan *plan, const struct pass *pass,
                                 const struct cuzk_fr *from, const struct factors &in, struct cuzk_fr *data,
                                 const struct stage &stage, const struct stage *up, cudaStream_t stream,
                                 struct cuzk_error *err)
{
    const uint64_t columns = UINT64_C(1) << (plan->log_n - pass->bits);
    const unsigned grid = blocks(columns, 128);

    const bool cut = stage.out.high != NULL || (up != NULL && up->out.high != NULL);

    if (pass->bits == NTT_WIDE_BITS)
        (up != NULL          ? cut ? pass_512<false, true, true> : pass_512<false, true, false>
                  : in.values != NULL ? cut ? pass_512<true, false, true> : pass_512<true, false, false>
                  : cut
             ? pass_512<false, false, true>
             : pass_512<
                   false, false,
                   false>)<<<(unsigned)(columns / NTT_COLUMNS), NTT_WIDE_THREADS, NTT_SHARED_BYTES, stream>>>(
            from, in, data, stage, up != NULL ? *up : stage, pass->log_stride);
    else
        (pass->bits == 3 ? pass_small<3>
         : pass->bits == 2
             ? pass_small<2>
             : pass_small<1>)<<<grid, 128, 0, stream>>>(from, in, data, stage, pass->log_stride, columns);
    return cuzk_cuda_launched("NTT pass", stream, err);
}

enum cuzk_status cuzk_cuda_ntt_inverse_dif(const struct cuzk_cuda_ntt_plan *plan, const struct cuzk_fr *from,
                                           const struct cuzk_fr *times, struct cuzk_fr *data,
                                           cudaStream_t stream, struct cuzk_error *err)
{
    for (unsigned i = 0; i < plan->passes; i++)
        CUZK_TRY(run_pass(plan, &plan->pass[i], i == 0 ? from : data,
                          {i == 0 ? times : NULL, ~UINT64_C(0), NULL, 0, 0}, data, stage_down(plan, i), NULL,
                          stream, err));
    return CUZK_OK;
}

enum cuzk_status cuzk_cuda_ntt_forward_dit(const struct cuzk_cuda_ntt_plan *plan, struct cuzk_fr *data,
                                           cudaStream_t stream, struct cuzk_error *err)
{
    for (unsigned i = plan->passes; i-- > 0;) {
        const struct pass *pass = &plan->pass[i];
        CUZK_TRY(run_pass(plan, pass, data, i + 1 == plan->passes ? table(pass, &pass->up) : factors{}, data,
                          stage_up(plan, i), NULL, stream, err));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_cuda_ntt_to_coset(const struct cuzk_cuda_ntt_plan *plan, struct cuzk_fr *data,
                                        cudaStream_t stream, struct cuzk_error *err)
{
    const unsigned last = plan->passes - 1;

    if (plan->passes == 0 || plan->pass[last].bits != NTT_WIDE_BITS) {
        CUZK_TRY(cuzk_cuda_ntt_inverse_dif(plan, data, NULL, data, stream, err));
        return cuzk_cuda_ntt_forward_dit(plan, data, stream, err);
    }
    for (unsigned i = 0; i < last; i++)
        CUZK_TRY(run_pass(plan, &plan->pass[i], data, {}, data, stage_down(plan, i), NULL, stream, err));
    const struct stage turn = {plan->roots_down, table(&plan->pass[last], &plan->pass[last].up)},
                       up = stage_up(plan, last);
    CUZK_TRY(run_pass(plan, &plan->pass[last], data, {}, data, turn, &up, stream, err));
    for (unsigned i = last; i-- > 0;)
        CUZK_TRY(run_pass(plan, &plan->pass[i], data, {}, data, stage_up(plan, i), NULL, stream, err));
    return CUZK_OK;
}

enum cuzk_status cuzk_cuda_ntt_scale(const struct cuzk_cuda_ntt_plan *plan, struct cuzk_fr *data,
                                     const struct cuzk_fr *shift, const struct cuzk_fr *factor,
                                     cudaStream_t stream, struct cuzk_error *err)
{
    const unsigned half = plan->log_n / 2;
    const uint64_t count = (UINT64_C(1) << half) + (UINT64_C(1) << (plan->log_n - half));
    struct cuzk_fr *powers = NULL;
    enum cuzk_status status;

    CUZK_TRY(cuzk_cuda_check(cudaMallocAsync(&powers, count * sizeof *powers, stream), "coset powers", err));
    fill_powers<<<blocks(count, 128), 128, 0, stream>>>(powers, *shift, *factor, half, plan->log_n);
    CUZK_TRY_OUT(cuzk_cuda_launched("fill_powers", stream, err));
    scale<<<blocks(UINT64_C(1) << plan->log_n, 256), 256, 0, stream>>>(data, powers, half, plan_digits(plan),
                                                                       UINT64_C(1) << plan->log_n);
    CUZK_TRY_OUT(cuzk_cuda_launched("scale", stream, err));
    status = CUZK_OK;
out:
    cudaFreeAsync(powers, stream);
    return status;
}

enum cuzk_status cuzk_cuda_ntt_reorder(const struct cuzk_cuda_ntt_plan *plan, const struct cuzk_fr *src,
                                       struct cuzk_fr *dst, int from_natural, cudaStream_t stream,
                                       struct cuzk_error *err)
{
    const uint64_t n = UINT64_C(1) << plan->log_n;

    reorder<<<blocks(n, 256), 256, 0, stream>>>(src, dst, plan_digits(plan), n, from_natural != 0);
    return cuzk_cuda_launched("reorder", stream, err);
}

const struct cuzk_fr *cuzk_cuda_ntt_inverse_n(const struct cuzk_cuda_ntt_plan *plan)
{
    return &plan->inverse_n;
}
