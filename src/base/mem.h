/*
 * Allocation that fails as a value, and that tests can make fail.
 *
 * Small blocks come from malloc. Large ones (2 MiB and more) are mapped on their own with huge pages asked
 * for, so that freeing them returns the memory at once. Every block is 64-byte aligned and zeroed.
 * Thread-safe.
 */
#ifndef CUZK_BASE_MEM_H
#define CUZK_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cuzk_pool;

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates count * size zeroed bytes, checked for overflow. A size of zero gives a valid, freeable pointer.
 * `what` names the buffer in the error message ("h scalars"). Errors: MEMORY (*out is NULL then). */
enum cuzk_status cuzk_mem_alloc(size_t count, size_t size, const char *what, void **out,
                                struct cuzk_error *err);

/* Makes room for `wanted` elements of `size` bytes in *items, a block of cuzk_mem_alloc with room for *room
 * of them (NULL and 0: none yet); the first `used` keep their values, the others may not. Grows by doubling,
 * from a page on. Errors: MEMORY; nothing has changed then. */
enum cuzk_status cuzk_mem_grow(size_t wanted, size_t used, size_t size, const char *what, void **items,
                               size_t *room, struct cuzk_error *err);

/* Frees a block of cuzk_mem_alloc; NULL is fine. */
void cuzk_mem_free(void *block);

/* Wipes a block so that the compiler cannot leave it out, then frees it. For secrets. */
void cuzk_mem_free_wiped(void *block);

/* The same by the threads of a pool (base/pool.h; NULL: the caller): for gigabytes. */
void cuzk_mem_free_wiped_by(struct cuzk_pool *pool, void *block);
void cuzk_mem_wipe_by(struct cuzk_pool *pool, void *bytes, size_t n);

/* From now on all threads share one arena of malloc, so that what one frees serves the next, whichever it is:
 * for programs through which large messages pass in small blocks. To be called before there are threads. */
void cuzk_mem_share_arena(void);

/* Gives the system the pages back that malloc holds though nothing uses them. Takes milliseconds after tens
 * of megabytes, while other threads wait for memory; using them again costs about as much as copying them. */
void cuzk_mem_trim(void);

/* Overwrites n bytes with zero; never optimised away. */
void cuzk_mem_wipe(void *bytes, size_t n);

/* Tests: the n-th allocation from now (0 = the next) fails, and all later ones too if `persistent`.
 * n = SIZE_MAX turns it off. Process-wide. */
void cuzk_mem_fail_after(size_t n, int persistent);

/* For allocators of other memory (devices): whether this allocation must fail under cuzk_mem_fail_after.
 * Counts as one allocation. */
bool cuzk_mem_must_fail(void);

/* Bytes now held through cuzk_mem_alloc, and the peak since the start of the process. */
size_t cuzk_mem_in_use(void);
size_t cuzk_mem_peak(void);

/* cuzk_mem_alloc for a typed array: CUZK_NEW(&scalars, n, "h scalars", err). */
#define CUZK_NEW(ptr, count, what, err) cuzk_mem_alloc((count), sizeof **(ptr), (what), (void **)(ptr), (err))

/* cuzk_mem_grow for a typed array: CUZK_GROW(&items, count + 1, count, &room, "h scalars", err). */
#define CUZK_GROW(ptr, wanted, used, room, what, err)                                                        \
    cuzk_mem_grow((wanted), (used), sizeof **(ptr), (what), (void **)(ptr), (room), (err))

#ifdef __cplusplus
}
#endif

#endif
