#include "engine/shared_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { LINE = 64, PAGE = 4096, HUGE = 2 << 20, SEALS = F_SEAL_SHRINK | F_SEAL_GROW };

/* Where the parts begin. */
struct places {
    size_t bits, wide, bytes;
};

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

static struct places places_of(const struct cuzk_witness_layout *layout)
{
    struct places at;

    at.bits = round_up(layout->inputs * sizeof(struct cuzk_fr), LINE);
    at.wide = round_up(at.bits + ((size_t)layout->bits + 63) / 64 * 8, LINE);
    at.bytes = round_up(at.wide + (size_t)(layout->aux - layout->bits) * sizeof(struct cuzk_fr), PAGE);
    if (at.bytes == 0)
        at.bytes = PAGE;
    return at;
}

size_t cuzk_shared_witness_bytes(const struct cuzk_witness_layout *layout)
{
    return places_of(layout).bytes;
}

static enum cuzk_status map(struct cuzk_shared_witness *shared, const struct cuzk_witness_layout *layout,
                            struct cuzk_error *err)
{
    const struct places at = places_of(layout);
    const int access = shared->mapped ? PROT_READ : PROT_READ | PROT_WRITE;
    void *memory = mmap(NULL, at.bytes, access, MAP_SHARED, shared->fd, 0);

    if (memory == MAP_FAILED)
        return cuzk_error_set(err, CUZK_MEMORY, "cannot map a witness of %zu bytes: %s", at.bytes,
                              strerror(errno));
    if (at.bytes >= HUGE)
        (void)madvise(memory, at.bytes, MADV_HUGEPAGE); /* gigabytes are a million faults otherwise */
    shared->memory = memory;
    shared->bytes = at.bytes;
    shared->witness.inputs = memory;
    shared->witness.bits = (uint64_t *)((char *)memory + at.bits);
    shared->witness.wide = (struct cuzk_fr *)((char *)memory + at.wide);
    return CUZK_OK;
}

enum cuzk_status cuzk_shared_witness_create(const struct cuzk_witness_layout *layout,
                                            struct cuzk_shared_witness **out, struct cuzk_error *err)
{
    const size_t bytes = cuzk_shared_witness_bytes(layout);
    enum cuzk_status status = CUZK_OK;
    struct cuzk_shared_witness *shared;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&shared, 1, "shared witness", err));
    shared->fd = cuzk_mem_must_fail() ? -1 : memfd_create("cuzk-witness", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (shared->fd < 0 || ftruncate(shared->fd, (off_t)bytes) != 0 ||
        fcntl(shared->fd, F_ADD_SEALS, SEALS) != 0) {
        status = cuzk_error_set(err, CUZK_MEMORY, "cannot make a witness of %zu bytes: %s", bytes,
                                strerror(errno));
        goto out;
    }
    CUZK_TRY_OUT(map(shared, layout, err));
    if (layout->inputs > 0)
        cuzk_fr_one(&shared->witness.inputs[0]);
    *out = shared;
    shared = NULL;
out:
    cuzk_shared_witness_destroy(shared);
    return status;
}

enum cuzk_status cuzk_shared_witness_map(int fd, const struct cuzk_witness_layout *layout,
                                         struct cuzk_shared_witness **out, struct cuzk_error *err)
{
    const size_t bytes = cuzk_shared_witness_bytes(layout);
    enum cuzk_status status = CUZK_OK;
    struct cuzk_shared_witness *shared;
    struct stat facts;

    *out = NULL;
    status = CUZK_NEW(&shared, 1, "shared witness", err);
    if (status != CUZK_OK) {
        close(fd);
        return status;
    }
    shared->fd = fd;
    shared->mapped = true;
    const int seals = fcntl(fd, F_GET_SEALS);

    if (fstat(fd, &facts) != 0 || seals < 0 || (seals & SEALS) != SEALS) {
        status = cuzk_error_set(err, CUZK_INPUT, "witness: expected memory of a fixed size");
        goto out;
    }
    if ((uint64_t)facts.st_size != bytes) {
        status = cuzk_error_set(err, CUZK_INPUT, "witness: expected %zu bytes for this circuit, found %llu",
                                bytes, (unsigned long long)facts.st_size);
        goto out;
    }
    CUZK_TRY_OUT(map(shared, layout, err));
    *out = shared;
    shared = NULL;
out:
    cuzk_shared_witness_destroy(shared);
    return status;
}

void cuzk_shared_witness_destroy_by(struct cuzk_pool *pool, struct cuzk_shared_witness *shared)
{
    if (shared == NULL)
        return;
    if (shared->memory != NULL) {
        if (!shared->mapped)
            cuzk_mem_wipe_by(pool, shared->memory, shared->bytes);
        munmap(shared->memory, shared->bytes);
    }
    if (shared->fd >= 0)
        close(shared->fd);
    cuzk_mem_free(shared);
}

void cuzk_shared_witness_destroy(struct cuzk_shared_witness *shared)
{
    cuzk_shared_witness_destroy_by(NULL, shared);
}
