/*
 * Seals a sector, all in memory: labels, trees, replica, commitments and the output of commit phase 1. Byte
 * for byte what the reference makes. For test sectors: up to 1 GiB, and memory is about 20 times the sector.
 */
#ifndef CUZK_FILECOIN_SEAL_H
#define CUZK_FILECOIN_SEAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "filecoin/c1.h"
#include "filecoin/piece.h"
#include "filecoin/seal_proof.h"
#include "filecoin/sector_data.h"

enum { CUZK_SEAL_MAX_LOG2_NODES = 25 };

struct cuzk_seal_request {
    struct cuzk_porep_config config;
    int registered_proof; /* whose configuration it is, or -1 */
    uint8_t prover_id[32];
    uint64_t sector_number;
    uint8_t ticket[32];
    uint8_t interactive_seed[32];
    const struct cuzk_piece_data *pieces; /* in order; what they leave free is zeros */
    size_t piece_count;
};

struct cuzk_sealed_sector {
    struct cuzk_porep_config config;
    uint8_t prover_id[32];
    uint64_t sector_number;
    struct cuzk_piece *pieces; /* [piece_count], with their commitments */
    size_t piece_count;
    uint64_t nodes;         /* of 32 bytes */
    uint8_t *tree_d;        /* [2 nodes - 1][32]: first the padded data, last comm_d */
    uint8_t *layers;        /* [shape.layers][nodes][32]: labels */
    uint8_t *sealed;        /* [nodes][32]: the replica */
    struct cuzk_fr *tree_c; /* all levels, leaves first */
    struct cuzk_fr *tree_r_last;
    uint8_t comm_c[32], comm_r_last[32];
    struct cuzk_c1 *c1;
};

/* Errors: ARGUMENT (a sector size too large, pieces that do not fit), MEMORY, CANCELLED (*out is NULL
 * then). progress may be NULL. */
enum cuzk_status cuzk_seal(struct cuzk_pool *pool, const struct cuzk_seal_request *request,
                           const struct cuzk_progress *progress, struct cuzk_sealed_sector **out,
                           struct cuzk_error *err);

void cuzk_sealed_sector_destroy(struct cuzk_sealed_sector *sector);

/* Writes the sector into a directory, which is made if need be: sealed.bin, data.bin (padded), layerN.bin,
 * tree_d.bin, tree_c.bin, p_aux.bin (comm_c, comm_r_last), c1.json, public_inputs.json, sector.json. Files
 * that are there are refused unless replace. Errors: EXISTS, IO, MEMORY. */
enum cuzk_status cuzk_sealed_sector_write(const struct cuzk_sealed_sector *sector, const char *directory,
                                          bool replace, struct cuzk_error *err);

#endif
