/*
 * Makes an update of a test sector, all in memory: the new replica from the old one and new data, trees,
 * commitments and the vanilla proof of every partition. Byte for byte what the reference makes. For sectors
 * up to 1 GiB, as sealing.
 */
#ifndef CUZK_FILECOIN_UPDATE_MAKE_H
#define CUZK_FILECOIN_UPDATE_MAKE_H

#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "filecoin/update_proof.h"

struct cuzk_update_request {
    uint64_t sector_size;   /* bytes */
    const uint8_t *replica; /* the old one, sector_size bytes */
    const uint8_t *data;    /* the new data, padded: sector_size bytes */
    struct cuzk_fr comm_c;  /* of the sealed sector */
};

struct cuzk_updated_sector {
    struct cuzk_update_shape shape;
    uint64_t nodes;
    struct cuzk_update_commitments commitments;
    struct cuzk_fr comm_c;
    uint8_t *tree_d;            /* [2 nodes - 1][32]: first the data, last comm_d */
    struct cuzk_fr *tree_r_old; /* all levels, leaves first */
    struct cuzk_fr *tree_r_new;
    uint8_t *replica; /* the new one, [nodes][32] */
};

/* progress may be NULL. Errors: ARGUMENT (no such size, or too large), INPUT (the replica is not made of
 * field elements), MEMORY, CANCELLED (*out is NULL then). */
enum cuzk_status cuzk_update_make(struct cuzk_pool *pool, const struct cuzk_update_request *request,
                                  const struct cuzk_progress *progress, struct cuzk_updated_sector **out,
                                  struct cuzk_error *err);
void cuzk_updated_sector_destroy(struct cuzk_updated_sector *sector);

/* The vanilla proof of a partition; the caller destroys it. Errors: MEMORY. */
enum cuzk_status cuzk_updated_sector_prove(const struct cuzk_updated_sector *sector, unsigned partition,
                                           struct cuzk_update_proof *out, struct cuzk_error *err);

#endif
