#include "backend/cuda/host_copy.h"

#include <string.h>

#include "backend/cuda/cuda_error.h"
#include "base/mem.h"

enum cuzk_status cuda_host_copy_create(int ordinal, struct cuda_host_copy *out, struct cuzk_error *err)
{
    *out = {};
    out->ordinal = ordinal;
    if (pthread_mutex_init(&out->mutex, NULL) != 0)
        return cuzk_error_set(err, CUZK_MEMORY, "no mutex for copies to a device");
    out->ready = true;
    return CUZK_OK;
}

static void drop(struct cuda_host_copy *copy)
{
    for (int i = 0; i < CUDA_HOST_LANES; i++) {
        struct cuda_host_lane *lane = &copy->lanes[i];
        for (int k = 0; k < 2; k++) {
            if (lane->buffer[k] != NULL)
                (void)cudaFreeHost(lane->buffer[k]);
            if (lane->sent[k] != NULL)
                (void)cudaEventDestroy(lane->sent[k]);
        }
        if (lane->stream != NULL)
            (void)cudaStreamDestroy(lane->stream);
        *lane = {};
    }
    cuzk_pool_destroy(copy->pool);
    copy->pool = NULL;
}

void cuda_host_copy_destroy(struct cuda_host_copy *copy)
{
    drop(copy);
    if (copy->ready)
        pthread_mutex_destroy(&copy->mutex);
    copy->ready = false;
}

static cudaError_t make_lane(struct cuda_host_lane *lane)
{
    cudaError_t result = cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking);

    for (int k = 0; k < 2 && result == cudaSuccess; k++) {
        result = cuzk_mem_must_fail()
                     ? cudaErrorMemoryAllocation
                     : cudaHostAlloc((void **)&lane->buffer[k], CUDA_HOST_PIECE, cudaHostAllocDefault);
        if (result == cudaSuccess)
            result = cudaEventCreateWithFlags(&lane->sent[k], cudaEventDisableTiming);
    }
    return result;
}

/* Under the mutex. Without threads or page-locked memory copies go the plain way from then on. */
static void make(struct cuda_host_copy *copy)
{
    cudaError_t result = cudaSuccess;

    copy->made = true;
    copy->failed = cuzk_pool_create(CUDA_HOST_LANES, &copy->pool, NULL) != CUZK_OK;
    for (int i = 0; i < CUDA_HOST_LANES && !copy->failed; i++) {
        result = make_lane(&copy->lanes[i]);
        copy->failed = result != cudaSuccess;
    }
    if (!copy->failed)
        return;
    if (result != cudaSuccess)
        (void)cudaGetLastError(); /* nothing that the copy needs */
    drop(copy);
}

/* A copy in work, piece by piece. */
struct pieces {
    struct cuda_host_copy *copy;
    unsigned char *device;
    const unsigned char *host;
    size_t bytes;
    cudaError_t result; /* a failure; changed atomically */
};

static cudaError_t send_piece(const struct pieces *pieces, size_t at, struct cuda_host_lane *lane)
{
    const size_t left = pieces->bytes - at, n = left < CUDA_HOST_PIECE ? left : CUDA_HOST_PIECE;
    const unsigned k = lane->turn;
    cudaError_t result = cudaSetDevice(pieces->copy->ordinal);

    lane->turn ^= 1;
    if (result == cudaSuccess)
        result = cudaEventSynchronize(lane->sent[k]);
    if (result != cudaSuccess)
        return result;
    memcpy(lane->buffer[k], pieces->host + at, n);
    result = cudaMemcpyAsync(pieces->device + at, lane->buffer[k], n, cudaMemcpyHostToDevice, lane->stream);
    return result == cudaSuccess ? cudaEventRecord(lane->sent[k], lane->stream) : result;
}

static void run_piece(void *context, size_t index, unsigned worker)
{
    struct pieces *pieces = (struct pieces *)context;

    if (__atomic_load_n(&pieces->result, __ATOMIC_RELAXED) != cudaSuccess)
        return;
    const cudaError_t result = send_piece(pieces, index * CUDA_HOST_PIECE, &pieces->copy->lanes[worker]);
    if (result != cudaSuccess)
        __atomic_store_n(&pieces->result, result, __ATOMIC_RELAXED);
}

static void wipe_lane(void *context, size_t index, unsigned worker)
{
    const struct cuda_host_lane *lane = &((struct cuda_host_copy *)context)->lanes[index];

    (void)worker;
    for (int k = 0; k < 2; k++)
        cuzk_mem_wipe(lane->buffer[k], CUDA_HOST_PIECE);
}

/* Under the mutex. */
static cudaError_t run_pieces(struct pieces *pieces, bool secret)
{
    struct cuda_host_copy *copy = pieces->copy;

    cuzk_pool_run(copy->pool, (pieces->bytes + CUDA_HOST_PIECE - 1) / CUDA_HOST_PIECE, run_piece, pieces);
    for (int i = 0; i < CUDA_HOST_LANES; i++) {
        const cudaError_t last = cudaStreamSynchronize(copy->lanes[i].stream);
        if (pieces->result == cudaSuccess)
            pieces->result = last;
    }
    if (secret)
        cuzk_pool_run(copy->pool, CUDA_HOST_LANES, wipe_lane, copy);
    return pieces->result;
}

enum cuzk_status cuda_host_copy_run(struct cuda_host_copy *copy, void *device, const void *host, size_t bytes,
                                    bool secret, cudaStream_t stream, const char *what,
                                    struct cuzk_error *err)
{
    struct pieces pieces = {copy, (unsigned char *)device, (const unsigned char *)host, bytes, cudaSuccess};

    if (bytes >= CUDA_HOST_LEAST) {
        CUZK_TRY(cuzk_cuda_check(cudaStreamSynchronize(stream), what, err)); /* the target is free */
        pthread_mutex_lock(&copy->mutex);
        if (!copy->made)
            make(copy);
        const bool there = !copy->failed;
        const cudaError_t result = there ? run_pieces(&pieces, secret) : cudaSuccess;
        pthread_mutex_unlock(&copy->mutex);
        if (there)
            return cuzk_cuda_check(result, what, err);
    }
    CUZK_TRY(
        cuzk_cuda_check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream), what, err));
    return cuzk_cuda_check(cudaStreamSynchronize(stream), what, err);
}
