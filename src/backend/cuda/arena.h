/*
 * A bump allocator over one block of device memory: what the hot path allocates from, so that no
 * device-global call is made there. Not thread-safe; one arena belongs to one stream of work.
 */
#ifndef CUZK_BACKEND_CUDA_ARENA_H
#define CUZK_BACKEND_CUDA_ARENA_H

#include <cuda_runtime.h>
#include <stddef.h>

#include "backend/cuda/cuda_error.h"

struct cuzk_cuda_arena {
    unsigned char *base; /* NULL: only measures how much would be used */
    size_t size, used, peak;
};

/* Errors: MEMORY. */
static inline enum cuzk_status cuzk_cuda_arena_create(size_t size, struct cuzk_cuda_arena *out,
                                                      struct cuzk_error *err)
{
    void *base = NULL;

    *out = {};
    CUZK_TRY(cuzk_cuda_check(cudaMalloc(&base, size), "device arena", err));
    out->base = (unsigned char *)base;
    out->size = size;
    return CUZK_OK;
}

static inline void cuzk_cuda_arena_destroy(struct cuzk_cuda_arena *arena)
{
    cudaFree(arena->base);
    *arena = {};
}

/* Takes count elements, 256-byte aligned, not initialised. Free by putting `used` back to an earlier value.
 * Errors: MEMORY (the plan was too small: the message has both figures). */
template <class T>
static inline enum cuzk_status cuzk_cuda_arena_take(struct cuzk_cuda_arena *arena, size_t count,
                                                    const char *what, T **out, struct cuzk_error *err)
{
    const size_t bytes = (count * sizeof(T) + 255) & ~(size_t)255;

    *out = NULL;
    if (bytes > arena->size - arena->used)
        return cuzk_error_set(err, CUZK_MEMORY, "device arena: %s wants %zu bytes, %zu of %zu are left", what,
                              bytes, arena->size - arena->used, arena->size);
    *out = (T *)(arena->base + arena->used);
    arena->used += bytes;
    if (arena->used > arena->peak)
        arena->peak = arena->used;
    return CUZK_OK;
}

#endif
