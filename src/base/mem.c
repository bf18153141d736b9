#include "base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/pool.h"

/* A header of one cache line precedes every block, so that blocks stay 64-byte aligned. */
struct header {
    size_t bytes; /* of the whole block, header included */
    size_t mapped;
};
enum { HEADER_BYTES = 64, WIPE_GRAIN = 4 << 20, FIRST_BYTES = 4096 /* of an array that grows */ };
#define MAP_THRESHOLD ((size_t)2 << 20)

static atomic_size_t in_use, peak;
static atomic_size_t fail_countdown = SIZE_MAX;
static atomic_bool fail_persistent;

bool cuzk_mem_must_fail(void)
{
    size_t left = atomic_load(&fail_countdown);
    if (left == SIZE_MAX)
        return false;
    if (left == 0) {
        if (!atomic_load(&fail_persistent))
            atomic_store(&fail_countdown, SIZE_MAX);
        return true;
    }
    atomic_fetch_sub(&fail_countdown, 1);
    return false;
}

static void account(size_t bytes)
{
    size_t now = atomic_fetch_add(&in_use, bytes) + bytes;
    size_t old = atomic_load(&peak);
    while (now > old && !atomic_compare_exchange_weak(&peak, &old, now))
        ;
}

enum cuzk_status cuzk_mem_alloc(size_t count, size_t size, const char *what, void **out,
                                struct cuzk_error *err)
{
    size_t payload, bytes;
    void *base = NULL;

    *out = NULL;
    if (__builtin_mul_overflow(count, size, &payload) ||
        __builtin_add_overflow(payload, (size_t)2 * HEADER_BYTES, &bytes) || cuzk_mem_must_fail())
        return cuzk_error_set(err, CUZK_MEMORY, "cannot allocate %zu x %zu bytes for %s", count, size, what);
    bytes &= ~(size_t)(HEADER_BYTES - 1);
    size_t mapped = 0;
    if (bytes >= MAP_THRESHOLD) {
        base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED)
            base = NULL;
        else
            (void)madvise(base, bytes, MADV_HUGEPAGE);
        mapped = 1;
    } else {
        base = aligned_alloc(HEADER_BYTES, bytes);
        if (base != NULL)
            memset(base, 0, bytes);
    }
    if (base == NULL)
        return cuzk_error_set(err, CUZK_MEMORY, "cannot allocate %zu bytes for %s", payload, what);
    struct header *header = base;
    header->bytes = bytes;
    header->mapped = mapped;
    account(bytes);
    *out = (char *)base + HEADER_BYTES;
    return CUZK_OK;
}

enum cuzk_status cuzk_mem_grow(size_t wanted, size_t used, size_t size, const char *what, void **items,
                               size_t *room, struct cuzk_error *err)
{
    size_t larger = *room != 0 ? *room : (FIRST_BYTES + size - 1) / size;
    void *fresh;

    if (wanted <= *room)
        return CUZK_OK;
    while (larger < wanted)
        larger = larger <= SIZE_MAX / 2 ? 2 * larger : wanted;
    CUZK_TRY(cuzk_mem_alloc(larger, size, what, &fresh, err));
    if (used > 0)
        memcpy(fresh, *items, used * size);
    cuzk_mem_free(*items);
    *items = fresh;
    *room = larger;
    return CUZK_OK;
}

void cuzk_mem_free(void *block)
{
    if (block == NULL)
        return;
    void *base = (char *)block - HEADER_BYTES;
    const struct header header = *(struct header *)base;
    atomic_fetch_sub(&in_use, header.bytes);
    if (header.mapped)
        munmap(base, header.bytes);
    else
        free(base);
}

void cuzk_mem_share_arena(void)
{
    (void)mallopt(M_ARENA_MAX, 1);
}

void cuzk_mem_trim(void)
{
    (void)malloc_trim(0);
}

void cuzk_mem_wipe(void *bytes, size_t n)
{
    if (n != 0)
        explicit_bzero(bytes, n);
}

void cuzk_mem_free_wiped(void *block)
{
    if (block == NULL)
        return;
    const struct header *header = (const struct header *)((char *)block - HEADER_BYTES);
    cuzk_mem_wipe(block, header->bytes - HEADER_BYTES);
    cuzk_mem_free(block);
}

static void wipe_range(void *context, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    cuzk_mem_wipe((char *)context + begin, end - begin);
}

void cuzk_mem_wipe_by(struct cuzk_pool *pool, void *bytes, size_t n)
{
    cuzk_pool_range(pool, n, WIPE_GRAIN, wipe_range, bytes);
}

void cuzk_mem_free_wiped_by(struct cuzk_pool *pool, void *block)
{
    if (block == NULL)
        return;
    const struct header *header = (const struct header *)((char *)block - HEADER_BYTES);
    cuzk_mem_wipe_by(pool, block, header->bytes - HEADER_BYTES);
    cuzk_mem_free(block);
}

void cuzk_mem_fail_after(size_t n, int persistent)
{
    atomic_store(&fail_persistent, persistent != 0);
    atomic_store(&fail_countdown, n);
}

size_t cuzk_mem_in_use(void)
{
    return atomic_load(&in_use);
}

size_t cuzk_mem_peak(void)
{
    return atomic_load(&peak);
}
