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
    unsigned char *base;     /* owned by whoever made the arena; zeroed with size 0 is an empty one */
    size_t size, used, peak; /* bytes; peak: the most that was used */
};

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
