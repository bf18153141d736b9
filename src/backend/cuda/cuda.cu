#include "backend/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/arena.h"
#include "backend/cuda/encoding.h"
#include "backend/cuda/fixed_base.h"
#include "backend/cuda/job.h"
#include "backend/cuda/key.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/needs.h"
#include "backend/cuda/ntt.h"
#include "backend/cuda/point_ntt.h"
#include "base/mem.h"

/* ---- faults ---- */

static size_t calls_left = SIZE_MAX;
static int injected_error;

void cuzk_cuda_fail_after(size_t n, int error)
{
    __atomic_store_n(&injected_error, error, __ATOMIC_RELAXED);
    __atomic_store_n(&calls_left, n, __ATOMIC_RELEASE);
}

cudaError_t cuzk_cuda_injected(void)
{
    size_t left = __atomic_load_n(&calls_left, __ATOMIC_ACQUIRE);

    while (left != SIZE_MAX)
        if (__atomic_compare_exchange_n(&calls_left, &left, left - 1, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return left == 0 ? (cudaError_t)__atomic_load_n(&injected_error, __ATOMIC_RELAXED) : cudaSuccess;
    return cudaSuccess;
}

/* ---- devices ---- */

enum cuzk_status cuzk_cuda_device_count(int *out, struct cuzk_error *err)
{
    *out = 0;
    const cudaError_t result = cudaGetDeviceCount(out);
    if (result == cudaErrorNoDevice) {
        (void)cudaGetLastError();
        *out = 0;
        return CUZK_OK;
    }
    if (result == cudaErrorInsufficientDriver) {
        (void)cudaGetLastError();
        *out = 0;
        return cuzk_error_set(err, CUZK_UNSUPPORTED,
                              "no NVIDIA driver, or one older than this build wants (CUDA %d.%d)",
                              CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    }
    return cuzk_cuda_check(result, "count of devices", err);
}

enum cuzk_status cuzk_cuda_device_describe(int ordinal, struct cuzk_cuda_device *out, struct cuzk_error *err)
{
    struct cudaDeviceProp properties;
    int count, current = 0;

    *out = {};
    CUZK_TRY(cuzk_cuda_device_count(&count, err));
    if (ordinal < 0 || ordinal >= count)
        return cuzk_error_set(err, CUZK_NOT_FOUND, "no CUDA device %d: this machine has %d", ordinal, count);
    CUZK_TRY(cuzk_cuda_check(cudaGetDeviceProperties(&properties, ordinal), "properties of a device", err));
    out->ordinal = ordinal;
    snprintf(out->name, sizeof out->name, "%s", properties.name);
    const unsigned char *u = (const unsigned char *)properties.uuid.bytes;
    snprintf(out->uuid, sizeof out->uuid,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2],
             u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
    out->major = properties.major;
    out->minor = properties.minor;
    CUZK_TRY(cuzk_cuda_check(cudaDriverGetVersion(&out->driver), "version of the driver", err));
    (void)cudaGetDevice(&current);
    CUZK_TRY(cuzk_cuda_check(cudaSetDevice(ordinal), "choice of device", err));
    const cudaError_t result = cudaMemGetInfo(&out->free_bytes, &out->total_bytes);
    CUZK_TRY(cuzk_cuda_check(cudaSetDevice(current), "choice of device", err));
    return cuzk_cuda_check(result, "memory of a device", err);
}

static enum cuzk_status find_device(const char *name, int *out, struct cuzk_error *err)
{
    int count;
    char *end;

    CUZK_TRY(cuzk_cuda_device_count(&count, err));
    if (count == 0)
        return cuzk_error_set(err, CUZK_NOT_FOUND, "this machine has no CUDA device");
    *out = 0;
    if (name == NULL || *name == '\0')
        return CUZK_OK;
    const long ordinal = strtol(name, &end, 10);
    if (*end == '\0' && ordinal >= 0 && ordinal < count) {
        *out = (int)ordinal;
        return CUZK_OK;
    }
    for (int i = 0; i < count; i++) {
        struct cuzk_cuda_device device;
        CUZK_TRY(cuzk_cuda_device_describe(i, &device, err));
        if (strcmp(device.uuid, name) == 0) {
            *out = i;
            return CUZK_OK;
        }
    }
    return cuzk_error_set(err, CUZK_NOT_FOUND, "no CUDA device %s: this machine has ordinals 0 to %d", name,
                          count - 1);
}

/* ---- single operations ---- */

static enum cuzk_status ntt(struct cuzk_backend *base, unsigned log_n, bool inverse, bool coset,
                            struct cuzk_fr *data, struct cuzk_error *err)
{
    struct cuda_backend *backend = (struct cuda_backend *)base;
    const cudaStream_t stream = backend->stream;
    const size_t bytes = sizeof(struct cuzk_fr) << log_n;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cuda_ntt_plan *plan = NULL;
    struct cuzk_fr *x = NULL, *y = NULL, one, shift;

    if (log_n > 30)
        return cuzk_error_set(err, CUZK_ARGUMENT, "transform of 2^%u points: at most 2^30 are supported",
                              log_n);
    CUZK_TRY_OUT(cuda_use(backend, err));
    cuzk_fr_one(&one);
    shift = coset ? cuzk_fr_generator : one;
    if (inverse)
        cuzk_fr_inverse(&shift, &shift);
    CUZK_TRY_OUT(cuzk_cuda_ntt_plan_create(log_n, base->memory_limit != 0, inverse ? &one : &shift, &one,
                                           stream, &plan, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, bytes, "transform", (void **)&x, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, bytes, "transform", (void **)&y, err));
    CUZK_TRY_OUT(
        cuzk_cuda_check(cudaMemcpyAsync(x, data, bytes, cudaMemcpyHostToDevice, stream), "transform", err));
    if (inverse) {
        CUZK_TRY_OUT(cuzk_cuda_ntt_inverse_dif(plan, x, NULL, x, stream, err));
        CUZK_TRY_OUT(cuzk_cuda_ntt_scale(plan, x, &shift, cuzk_cuda_ntt_inverse_n(plan), stream, err));
        CUZK_TRY_OUT(cuzk_cuda_ntt_reorder(plan, x, y, 0, stream, err));
    } else {
        CUZK_TRY_OUT(cuzk_cuda_ntt_reorder(plan, x, y, 1, stream, err));
        CUZK_TRY_OUT(cuzk_cuda_ntt_forward_dit(plan, y, stream, err));
    }
    CUZK_TRY_OUT(
        cuzk_cuda_check(cudaMemcpyAsync(data, y, bytes, cudaMemcpyDeviceToHost, stream), "transform", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "transform", err));
out:
    cuda_mem_drop(backend, x, bytes);
    cuda_mem_drop(backend, y, bytes);
    cuzk_cuda_ntt_plan_destroy(plan);
    return status;
}

static enum cuzk_status msm(struct cuzk_backend *base, enum cuzk_group group, const uint8_t *bases, size_t n,
                            const uint64_t (*scalars)[4], union cuzk_backend_point *out,
                            struct cuzk_error *err)
{
    struct cuda_backend *backend = (struct cuda_backend *)base;
    const bool g2 = group == CUZK_GROUP_G2;
    const size_t scratch = cuzk_cuda_msm_scratch(n, 1, 0, g2);
    const size_t bytes = n * cuda_point_bytes(g2);
    struct cuzk_g1 *const out_g1[] = {&out->g1};
    struct cuzk_g2 *const out_g2[] = {&out->g2};
    enum cuzk_status status = CUZK_OK;
    struct cuzk_backend_query query = {};
    struct cuzk_cuda_arena arena = {};
    uint64_t *words = NULL;
    void *points = NULL, *block = NULL;

    if (n > UINT32_C(1) << 30)
        return cuzk_error_set(err, CUZK_ARGUMENT, "MSM of %zu points: at most 2^30 are supported", n);
    CUZK_TRY_OUT(cuda_use(backend, err));
    query.bytes = bases;
    query.count = (uint32_t)n;
    query.name = "bases";
    CUZK_TRY_OUT(cuda_mem_take(backend, bytes, query.name, &points, err));
    CUZK_TRY_OUT(cuda_points_upload(backend, &query, g2, points, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, n * 32, "scalars", (void **)&words, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, scratch, "scratch of a sum", &block, err));
    arena.base = (unsigned char *)block;
    arena.size = scratch;
    CUZK_TRY_OUT(cuzk_cuda_check(
        cudaMemcpyAsync(words, scalars, n * 32, cudaMemcpyHostToDevice, backend->stream), "scalars", err));
    CUZK_TRY_OUT(g2 ? cuzk_cuda_msm_g2((const struct cuzk_g2_affine *)points, NULL, 1, words, n, 0, &arena,
                                       backend->stream, out_g2, err)
                    : cuzk_cuda_msm_g1((const struct cuzk_g1_affine *)points, NULL, 1, words, n, 0, &arena,
                                       backend->stream, out_g1, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(backend->stream), "sum", err));
out:
    cuda_mem_drop(backend, points, bytes);
    cuda_mem_drop(backend, words, n * 32);
    cuda_mem_drop(backend, block, scratch);
    return status;
}

/* ---- the backend ---- */

static void destroy(struct cuzk_backend *base)
{
    struct cuda_backend *backend = (struct cuda_backend *)base;

    (void)cuda_use(backend, NULL);
    cuda_host_copy_destroy(&backend->host_copy);
    if (backend->stream != NULL)
        (void)cudaStreamDestroy(backend->stream);
    cuzk_mem_free(backend);
}

static void facts(const struct cuzk_backend *base, struct cuzk_backend_facts *out)
{
    const struct cuda_backend *backend = (const struct cuda_backend *)base;

    size_t free_bytes = 0, total = 0;

    snprintf(out->device, sizeof out->device, "%s", backend->device.name);
    snprintf(out->id, sizeof out->id, "%s", backend->device.uuid);
    if (cuda_use(backend, NULL) == CUZK_OK)
        (void)cudaMemGetInfo(&free_bytes, &total);
    out->total_bytes = backend->device.total_bytes;
    out->free_bytes = free_bytes;
    out->peak_bytes = backend->peak + CUDA_CONTEXT_BYTES;
}

static const struct cuzk_backend_ops ops = {
    .name = "cuda",
    .destroy = destroy,
    .facts = facts,
    .needs = cuda_needs,
    .key_create = cuda_key_create,
    .key_destroy = cuda_key_destroy,
    .job_create = cuda_job_create,
    .job_destroy = cuda_job_destroy,
    .upload = cuda_job_upload,
    .eval_ab = cuda_job_eval_ab,
    .quotient = cuda_job_quotient,
    .msm_group = cuda_job_msm_group,
    .sum_bits = cuda_job_sum_bits,
    .download = cuda_job_download,
    .wait = cuda_job_wait,
    .times = cuda_job_times,
    .table_create = cuda_table_create,
    .table_destroy = cuda_table_destroy,
    .setup_points = cuda_setup_points,
    .transform_points = cuda_transform_points,
    .ntt = ntt,
    .msm = msm,
};

enum cuzk_status cuzk_backend_cuda_create(const char *device, struct cuzk_backend **out,
                                          struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuda_backend *backend = NULL;
    int ordinal;

    *out = NULL;
    CUZK_TRY(find_device(device, &ordinal, err));
    CUZK_TRY(CUZK_NEW(&backend, 1, "CUDA backend", err));
    backend->base.ops = &ops;
    backend->ordinal = ordinal;
    CUZK_TRY_OUT(cuzk_cuda_device_describe(ordinal, &backend->device, err));
    CUZK_TRY_OUT(cuda_use(backend, err));
    CUZK_TRY_OUT(cuda_host_copy_create(ordinal, &backend->host_copy, err));
    CUZK_TRY_OUT(
        cuzk_cuda_check(cudaStreamCreateWithFlags(&backend->stream, cudaStreamNonBlocking), "stream", err));
    *out = &backend->base;
    backend = NULL;
out:
    if (backend != NULL)
        destroy(&backend->base);
    return status;
}
