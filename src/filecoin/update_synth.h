/*
 * Synthetic updates: vanilla proofs of sectors that were never sealed nor updated, consistent and
 * reproducible from a 64-bit seed, for any sector size in bounded memory (about 20 MiB at 32 GiB) and
 * seconds.
 *
 * The challenges of an update follow from comm_r_new, hence from the whole new replica; so every node must be
 * known before any is asked for, and the data repeat: node i of the old replica and of the new data depends
 * on i modulo 61 (filecoin/class_tree.h), the new replica on that and on the highest h bits of i.
 *
 * What is free is clr(SHA-256("synthetic-snap-v1" || u64le seed || u64le kind || u64le class)), top two bits
 * of the last byte cleared; kinds: 0 comm_c (class 0), 1 old replica, 2 new data. For measuring; not for the
 * chain.
 */
#ifndef CUZK_FILECOIN_UPDATE_SYNTH_H
#define CUZK_FILECOIN_UPDATE_SYNTH_H

#include "base/pool.h"
#include "filecoin/update_proof.h"

struct cuzk_synth_update;

/* Errors: ARGUMENT (no such sector size), MEMORY (*out is NULL then). */
enum cuzk_status cuzk_synth_update_create(struct cuzk_pool *pool, uint64_t sector_size, uint64_t seed,
                                          struct cuzk_synth_update **out, struct cuzk_error *err);
void cuzk_synth_update_destroy(struct cuzk_synth_update *update);

const struct cuzk_update_shape *cuzk_synth_update_shape(const struct cuzk_synth_update *update);
const struct cuzk_update_commitments *cuzk_synth_update_commitments(const struct cuzk_synth_update *update);

/* The vanilla proof of a partition; the caller destroys it. Errors: MEMORY. */
enum cuzk_status cuzk_synth_update_prove(const struct cuzk_synth_update *update, unsigned partition,
                                         struct cuzk_update_proof *out, struct cuzk_error *err);

#endif
