/*
 * A witness in memory that another process can map: an anonymous file that holds inputs, bits and wide
 * values behind each other. Made for a layout, filled by a witness worker, handed to whichever device takes
 * the unit. Wiped when its maker destroys it. One owner at a time; who maps it only reads.
 */
#ifndef CUZK_ENGINE_SHARED_WITNESS_H
#define CUZK_ENGINE_SHARED_WITNESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/pool.h"
#include "r1cs/witness.h"

struct cuzk_shared_witness {
    int fd;
    bool mapped; /* somebody else's, read-only */
    size_t bytes;
    void *memory;
    struct cuzk_witness witness; /* inside memory */
};

/* Bytes that a witness of a layout takes, whole pages. */
size_t cuzk_shared_witness_bytes(const struct cuzk_witness_layout *layout);

/* A zeroed witness, inputs[0] = 1. Errors: MEMORY. */
enum cuzk_status cuzk_shared_witness_create(const struct cuzk_witness_layout *layout,
                                            struct cuzk_shared_witness **out, struct cuzk_error *err);

/* The same witness from its descriptor, in another process; the descriptor is owned from then on, also where
 * this fails. The size is checked against the layout, and that nobody can change it. Errors: INPUT, MEMORY.
 */
enum cuzk_status cuzk_shared_witness_map(int fd, const struct cuzk_witness_layout *layout,
                                         struct cuzk_shared_witness **out, struct cuzk_error *err);

/* NULL is fine. */
void cuzk_shared_witness_destroy(struct cuzk_shared_witness *witness);

/* The same, wiped by the threads of a pool. */
void cuzk_shared_witness_destroy_by(struct cuzk_pool *pool, struct cuzk_shared_witness *witness);

#endif
