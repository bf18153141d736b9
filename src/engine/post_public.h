/*
 * The public side of a PoSt as JSON: what a verifier knows of it.
 *
 *   {"sector_size": bytes, "registered_proof": "StackedDrgWindow2KiBV1_2" or number or null,
 *    "api_version": "1.2.0" (counts where registered_proof is null), "randomness": hex32,
 *    "partition_index": number (optional), "sectors": [{"sector_id": number, "comm_r": hex32}, ...]}
 *
 * Further members are ignored, so a recorded proof's own description is one as it stands. Sectors come in any
 * order and are put in ascending order of their ids.
 */
#ifndef CUZK_ENGINE_POST_PUBLIC_H
#define CUZK_ENGINE_POST_PUBLIC_H

#include "engine/proof_kind.h"
#include "filecoin/post.h"

enum { CUZK_POST_PUBLIC_BYTES_MOST = 64 << 20 };

struct cuzk_post_public {
    struct cuzk_post_config config;
    uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES]; /* top bits cleared */
    bool one_partition;
    uint32_t partition;                /* where one_partition */
    size_t count;                      /* of that partition, or of all */
    struct cuzk_post_vanilla *sectors; /* [count], ascending; sector_id and comm_r alone */
};

/* Errors: INPUT (field and offset; another kind than `winning` says; sectors missing, twice, too many),
 * MEMORY. */
enum cuzk_status cuzk_post_public_decode(const char *name, const void *text, size_t length, bool winning,
                                         struct cuzk_post_public *out, struct cuzk_error *err);
void cuzk_post_public_destroy(struct cuzk_post_public *public_side);

/* Leaves the sectors of one partition, where all are listed. `name` is the request's, for errors. Errors:
 * INPUT (no such partition). */
enum cuzk_status cuzk_post_public_take(struct cuzk_post_public *public_side, const char *name,
                                       uint64_t partition, struct cuzk_error *err);

/* A case without vanilla proofs, for verifying: of it only the public inputs may be asked. Errors: MEMORY. */
enum cuzk_status cuzk_post_open_public(const struct cuzk_post_public *public_side, struct cuzk_case **out,
                                       struct cuzk_error *err);

/* Whether found[count], ascending, are just these sectors: sector_id and comm_r are looked at. Errors: INPUT,
 * naming the sector that is missing, not asked for or has another comm_r. */
enum cuzk_status cuzk_post_public_match(const struct cuzk_post_public *public_side,
                                        const struct cuzk_post_vanilla *found, size_t count,
                                        struct cuzk_error *err);

/* The same of a case's sectors. */
enum cuzk_status cuzk_post_public_compare(const struct cuzk_post_public *public_side,
                                          const struct cuzk_case *that, struct cuzk_error *err);

#endif
