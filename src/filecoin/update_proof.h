/*
 * The vanilla proof of one partition of an empty sector update, as storage providers hand it over.
 *
 * bincode: comm_c (32), u64 apex leaves, the leaves of 32 bytes, u64 challenges, then for each the Merkle
 * proofs (filecoin/bincode.h) in the old replica tree, the new data tree, the new replica tree. Decoding is
 * strict: every count is the shape's, every element canonical, nothing follows.
 */
#ifndef CUZK_FILECOIN_UPDATE_PROOF_H
#define CUZK_FILECOIN_UPDATE_PROOF_H

#include "base/error.h"
#include "base/sink.h"
#include "circuit/update_assignment.h"
#include "filecoin/fr_arena.h"

/* What a whole update is about; public. */
struct cuzk_update_commitments {
    struct cuzk_fr comm_r_old, comm_r_new, comm_d_new;
};

struct cuzk_update_paths {
    struct cuzk_merkle_path r_old, d_new, r_new; /* d_new: binary, from the leaf to comm_d */
};

struct cuzk_update_proof {
    struct cuzk_update_shape shape; /* of the SHA-256 circuit */
    unsigned partition;
    struct cuzk_fr comm_c;
    struct cuzk_fr *apex_leaves;              /* [1 << apex_bits], in `values` */
    struct cuzk_update_paths *paths;          /* [shape.challenges], owned */
    struct cuzk_update_challenge *challenges; /* the same for the circuit, owned */
    struct cuzk_fr_arena values;
};

/* name is for errors; the bytes may go afterwards. *out is empty on failure. Errors: INPUT, MEMORY. */
enum cuzk_status cuzk_update_proof_decode(const char *name, const void *bytes, size_t length,
                                          const struct cuzk_update_shape *shape, unsigned partition,
                                          struct cuzk_update_proof *out, struct cuzk_error *err);

/* An empty one to be filled (apex leaves, paths with their siblings in `values`), and what is to be called
 * then. Errors: MEMORY (*out is empty). */
enum cuzk_status cuzk_update_proof_create(const struct cuzk_update_shape *shape, unsigned partition,
                                          struct cuzk_update_proof *out, struct cuzk_error *err);
void cuzk_update_proof_complete(struct cuzk_update_proof *proof);

void cuzk_update_proof_destroy(struct cuzk_update_proof *proof);

enum cuzk_status cuzk_update_proof_encode(const struct cuzk_update_proof *proof, struct cuzk_sink sink,
                                          struct cuzk_error *err);

/* The circuit's values; they point into the proof. */
void cuzk_update_proof_assignment(const struct cuzk_update_proof *proof,
                                  const struct cuzk_update_commitments *commitments,
                                  struct cuzk_update_assignment *out);

/* The four public inputs of a partition. */
void cuzk_update_public_inputs(const struct cuzk_update_shape *shape,
                               const struct cuzk_update_commitments *commitments, unsigned partition,
                               struct cuzk_fr inputs[4]);

#endif
