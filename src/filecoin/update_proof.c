#include "filecoin/update_proof.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "filecoin/bincode.h"
#include "filecoin/update.h"

enum cuzk_status cuzk_update_proof_create(const struct cuzk_update_shape *shape, unsigned partition,
                                          struct cuzk_update_proof *out, struct cuzk_error *err)
{
    enum cuzk_status status;

    *out = (struct cuzk_update_proof){.shape = *shape, .partition = partition};
    CUZK_TRY_OUT(CUZK_NEW(&out->paths, shape->challenges, "paths of an update", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->challenges, shape->challenges, "challenges of an update", err));
    CUZK_TRY_OUT(cuzk_fr_arena_take(&out->values, (size_t)1 << shape->apex_bits, &out->apex_leaves, err));
    return CUZK_OK;
out:
    cuzk_update_proof_destroy(out);
    return status;
}

void cuzk_update_proof_complete(struct cuzk_update_proof *proof)
{
    for (unsigned i = 0; i < proof->shape.challenges; i++) {
        const struct cuzk_update_paths *paths = &proof->paths[i];
        proof->challenges[i] = (struct cuzk_update_challenge){.leaf_r_old = paths->r_old.leaf,
                                                              .leaf_d_new = paths->d_new.leaf,
                                                              .path_r_old = paths->r_old.siblings,
                                                              .path_r_new = paths->r_new.siblings,
                                                              .path_d_new = paths->d_new.siblings};
    }
}

static enum cuzk_status decode_challenge(struct cuzk_bytes *bytes, struct cuzk_update_proof *proof,
                                         unsigned index, struct cuzk_error *err)
{
    const struct cuzk_update_shape *shape = &proof->shape;
    struct cuzk_update_paths *paths = &proof->paths[index];

    CUZK_TRY(cuzk_bincode_oct_proof(bytes, "proof_r_old", shape->tree, &proof->values, &paths->r_old, err));
    CUZK_TRY(cuzk_bincode_binary_proof(bytes, "proof_d_new", shape->log2_nodes, &proof->values, &paths->d_new,
                                       err));
    return cuzk_bincode_oct_proof(bytes, "proof_r_new", shape->tree, &proof->values, &paths->r_new, err);
}

enum cuzk_status cuzk_update_proof_decode(const char *name, const void *bytes, size_t length,
                                          const struct cuzk_update_shape *shape, unsigned partition,
                                          struct cuzk_update_proof *out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_bytes cursor;

    CUZK_TRY(cuzk_update_proof_create(shape, partition, out, err));
    cuzk_bytes_init(&cursor, name, bytes, length);
    CUZK_TRY_OUT(cuzk_bincode_element(&cursor, "comm_c", &out->comm_c, err));
    CUZK_TRY_OUT(cuzk_bincode_count(&cursor, "apex_leafs", UINT64_C(1) << shape->apex_bits, err));
    for (unsigned i = 0; i < 1U << shape->apex_bits; i++)
        CUZK_TRY_OUT(cuzk_bincode_element(&cursor, "apex_leafs", &out->apex_leaves[i], err));
    CUZK_TRY_OUT(cuzk_bincode_count(&cursor, "challenge_proofs", shape->challenges, err));
    for (unsigned i = 0; i < shape->challenges; i++) {
        status = decode_challenge(&cursor, out, i, err);
        if (status != CUZK_OK) {
            status = cuzk_error_prefix(err, status, "challenge %u", i);
            goto out;
        }
    }
    CUZK_TRY_OUT(cuzk_bytes_end(&cursor, err));
    cuzk_update_proof_complete(out);
    return CUZK_OK;
out:
    cuzk_update_proof_destroy(out);
    return status;
}

void cuzk_update_proof_destroy(struct cuzk_update_proof *proof)
{
    cuzk_mem_free(proof->paths);
    cuzk_mem_free(proof->challenges);
    cuzk_fr_arena_destroy(&proof->values);
    *proof = (struct cuzk_update_proof){0};
}

enum cuzk_status cuzk_update_proof_encode(const struct cuzk_update_proof *proof, struct cuzk_sink sink,
                                          struct cuzk_error *err)
{
    const struct cuzk_update_shape *shape = &proof->shape;

    CUZK_TRY(cuzk_bincode_write_element(sink, &proof->comm_c, err));
    CUZK_TRY(cuzk_bincode_write_u64(sink, UINT64_C(1) << shape->apex_bits, err));
    for (unsigned i = 0; i < 1U << shape->apex_bits; i++)
        CUZK_TRY(cuzk_bincode_write_element(sink, &proof->apex_leaves[i], err));
    CUZK_TRY(cuzk_bincode_write_u64(sink, shape->challenges, err));
    for (unsigned i = 0; i < shape->challenges; i++) {
        const struct cuzk_update_paths *paths = &proof->paths[i];
        CUZK_TRY(cuzk_bincode_write_oct_proof(sink, shape->tree, &paths->r_old, err));
        CUZK_TRY(cuzk_bincode_write_binary_proof(sink, shape->log2_nodes, &paths->d_new, err));
        CUZK_TRY(cuzk_bincode_write_oct_proof(sink, shape->tree, &paths->r_new, err));
    }
    return CUZK_OK;
}

void cuzk_update_proof_assignment(const struct cuzk_update_proof *proof,
                                  const struct cuzk_update_commitments *commitments,
                                  struct cuzk_update_assignment *out)
{
    const struct cuzk_update_shape *shape = &proof->shape;

    *out = (struct cuzk_update_assignment){
        .k_and_h_select = cuzk_update_k_and_h_select(shape, proof->partition),
        .comm_r_old = commitments->comm_r_old,
        .comm_d_new = commitments->comm_d_new,
        .comm_r_new = commitments->comm_r_new,
        .comm_c = proof->comm_c,
        .root_r_old = proof->paths[0].r_old.root,
        .root_r_new = proof->paths[0].r_new.root,
        .apex_leaves = proof->apex_leaves,
        .partition_path = proof->paths[0].d_new.siblings + shape->log2_nodes - shape->partition_bits,
        .challenges = proof->challenges,
    };
}

void cuzk_update_public_inputs(const struct cuzk_update_shape *shape,
                               const struct cuzk_update_commitments *commitments, unsigned partition,
                               struct cuzk_fr inputs[4])
{
    cuzk_fr_from_u64(cuzk_update_k_and_h_select(shape, partition), &inputs[0]);
    inputs[1] = commitments->comm_r_old;
    inputs[2] = commitments->comm_d_new;
    inputs[3] = commitments->comm_r_new;
}
