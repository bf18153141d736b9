/*
 * Synthetic C1 outputs: a complete and consistent output of commit phase 1 for any sector size, from a 64-bit
 * seed and without sealing anything. What proofs do not look at is filled from a pseudo-random function; the
 * result passes the vanilla check and satisfies the circuit. Reproducible byte for byte; construction
 * "synthetic-C1-v01" (docs/synthetic.md).
 *
 * 32 GiB takes seconds and tens of MiB. Interactive proofs only: other challenges depend on comm_r, which
 * here depends on the challenges.
 */
#ifndef CUZK_FILECOIN_SYNTH_H
#define CUZK_FILECOIN_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "filecoin/c1.h"
#include "filecoin/seal_proof.h"

enum cuzk_synth_data {
    CUZK_SYNTH_ZERO, /* a sector of zeros */
    CUZK_SYNTH_MIX,  /* eight kinds of nodes: shows swapped siblings and a missing encoding */
};

struct cuzk_synth_request {
    uint64_t sector_size; /* bytes: one of the ten sizes */
    uint64_t seed;
    enum cuzk_synth_data data;
    bool legacy; /* api 1.0.0; registered sizes only */
};

/* SHA-256 of what was computed on the way, to find the first step that differs from another maker's. */
struct cuzk_synth_stages {
    uint8_t challenges[32];         /* u64 little-endian, in order */
    uint8_t parents[32];            /* 14 u32 little-endian for each challenge */
    uint8_t columns[32];            /* all labels, node ascending, layers inside */
    uint8_t tree_c_leaves[32];      /* node ascending */
    uint8_t tree_r_last_leaves[32]; /* challenged node ascending */
};

/* The configuration, registered proof (-1: none) and owner that a request stands for.
 * Errors: ARGUMENT (no such size, or no legacy proof of it). */
enum cuzk_status cuzk_synth_config(const struct cuzk_synth_request *request, struct cuzk_porep_config *config,
                                   int *registered_proof, uint8_t prover_id[32], struct cuzk_error *err);

/* Makes the output; cuzk_c1_destroy it. stages may be NULL. Errors: ARGUMENT, MEMORY (*out is NULL then). */
enum cuzk_status cuzk_synth_porep(struct cuzk_pool *pool, const struct cuzk_synth_request *request,
                                  struct cuzk_synth_stages *stages, struct cuzk_c1 **out,
                                  struct cuzk_error *err);

#endif
