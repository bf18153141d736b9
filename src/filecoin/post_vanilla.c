#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "filecoin/bincode.h"
#include "filecoin/merkle.h"
#include "filecoin/oct_tree.h"
#include "filecoin/post.h"

static enum cuzk_status decode(struct cuzk_bytes *bytes, const struct cuzk_post_config *config,
                               struct cuzk_fr_arena *values, struct cuzk_post_vanilla *out,
                               struct cuzk_error *err)
{
    char field[48];

    CUZK_TRY(cuzk_bytes_u64le(bytes, "sector_id", &out->sector_id, err));
    CUZK_TRY(cuzk_bincode_element(bytes, "comm_r", &out->comm_r, err));
    CUZK_TRY(cuzk_bincode_count(bytes, "number of sectors", 1, err));
    CUZK_TRY(cuzk_bincode_count(bytes, "number of inclusion proofs", config->challenges, err));
    CUZK_TRY(CUZK_NEW(&out->paths, config->challenges, "inclusion paths", err));
    for (unsigned n = 0; n < config->challenges; n++) {
        snprintf(field, sizeof field, "inclusion proof %u", n);
        CUZK_TRY(cuzk_bincode_oct_proof(bytes, field, config->shape.tree, values, &out->paths[n], err));
    }
    CUZK_TRY(cuzk_bincode_element(bytes, "comm_c", &out->comm_c, err));
    CUZK_TRY(cuzk_bincode_element(bytes, "comm_r_last", &out->comm_r_last, err));
    return cuzk_bytes_end(bytes, err);
}

enum cuzk_status cuzk_post_vanilla_decode(const char *name, const void *bytes, size_t length,
                                          const struct cuzk_post_config *config, struct cuzk_fr_arena *values,
                                          struct cuzk_post_vanilla *out, struct cuzk_error *err)
{
    struct cuzk_bytes cursor;

    *out = (struct cuzk_post_vanilla){0};
    cuzk_bytes_init(&cursor, name, bytes, length);
    const enum cuzk_status status = decode(&cursor, config, values, out, err);

    if (status != CUZK_OK)
        cuzk_post_vanilla_destroy(out);
    return status;
}

enum cuzk_status cuzk_post_vanilla_encode(const struct cuzk_post_config *config,
                                          const struct cuzk_post_vanilla *vanilla, struct cuzk_sink sink,
                                          struct cuzk_error *err)
{
    CUZK_TRY(cuzk_bincode_write_u64(sink, vanilla->sector_id, err));
    CUZK_TRY(cuzk_bincode_write_element(sink, &vanilla->comm_r, err));
    CUZK_TRY(cuzk_bincode_write_u64(sink, 1, err));
    CUZK_TRY(cuzk_bincode_write_u64(sink, config->challenges, err));
    for (unsigned n = 0; n < config->challenges; n++)
        CUZK_TRY(cuzk_bincode_write_oct_proof(sink, config->shape.tree, &vanilla->paths[n], err));
    CUZK_TRY(cuzk_bincode_write_element(sink, &vanilla->comm_c, err));
    return cuzk_bincode_write_element(sink, &vanilla->comm_r_last, err);
}

void cuzk_post_vanilla_destroy(struct cuzk_post_vanilla *vanilla)
{
    cuzk_mem_free(vanilla->paths);
    *vanilla = (struct cuzk_post_vanilla){0};
}

/* root: what the path leads to. */
static enum cuzk_status check_path(const struct cuzk_post_vanilla *vanilla, unsigned n, uint64_t leaf,
                                   const struct cuzk_fr *root, struct cuzk_error *err)
{
    const struct cuzk_merkle_path *path = &vanilla->paths[n];

    if (path->index != leaf)
        return cuzk_error_set(err, CUZK_INVALID,
                              "sector %" PRIu64 ": challenge %u: expected the path of leaf %" PRIu64
                              ", found that of leaf %" PRIu64,
                              vanilla->sector_id, n, leaf, path->index);
    if (!cuzk_fr_equal(&path->root, &vanilla->comm_r_last))
        return cuzk_error_set(err, CUZK_INVALID,
                              "sector %" PRIu64 ": challenge %u: the path's root is not comm_r_last",
                              vanilla->sector_id, n);
    if (!cuzk_fr_equal(root, &vanilla->comm_r_last))
        return cuzk_error_set(err, CUZK_INVALID,
                              "sector %" PRIu64 ": challenge %u: the path of leaf %" PRIu64
                              " does not lead to comm_r_last",
                              vanilla->sector_id, n, leaf);
    return CUZK_OK;
}

static enum cuzk_status check_comm_r(const struct cuzk_post_vanilla *vanilla, struct cuzk_error *err)
{
    struct cuzk_fr comm_r;

    cuzk_merkle_comm_r(&vanilla->comm_c, &vanilla->comm_r_last, &comm_r);
    if (!cuzk_fr_equal(&comm_r, &vanilla->comm_r))
        return cuzk_error_set(err, CUZK_INVALID,
                              "sector %" PRIu64 ": comm_r is not the hash of comm_c and comm_r_last",
                              vanilla->sector_id);
    return CUZK_OK;
}

/* randomness NULL: whatever the challenges are. */
static enum cuzk_status check(const struct cuzk_post_config *config, const uint8_t *randomness,
                              uint64_t place, const struct cuzk_post_vanilla *vanilla, struct cuzk_error *err)
{
    enum { AT_ONCE = 16 };
    struct cuzk_fr roots[AT_ONCE];

    CUZK_TRY(check_comm_r(vanilla, err));
    for (unsigned n = 0; n < config->challenges; n++) {
        const unsigned left = config->challenges - n, k = n % AT_ONCE;

        if (k == 0)
            cuzk_merkle_oct_roots(config->shape.tree, vanilla->paths + n, left < AT_ONCE ? left : AT_ONCE,
                                  roots);
        CUZK_TRY(check_path(vanilla, n,
                            randomness != NULL
                                ? cuzk_post_leaf(config, randomness, vanilla->sector_id, place, n)
                                : vanilla->paths[n].index,
                            &roots[k], err));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_post_vanilla_check(const struct cuzk_post_config *config,
                                         const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t place,
                                         const struct cuzk_post_vanilla *vanilla, struct cuzk_error *err)
{
    return check(config, randomness, place, vanilla, err);
}

enum cuzk_status cuzk_post_vanilla_check_paths(const struct cuzk_post_config *config,
                                               const struct cuzk_post_vanilla *vanilla,
                                               struct cuzk_error *err)
{
    return check(config, NULL, 0, vanilla, err);
}

enum cuzk_status cuzk_post_vanilla_make(const struct cuzk_post_config *config,
                                        const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t place,
                                        uint64_t sector_id, const struct cuzk_fr *comm_c,
                                        const struct cuzk_fr *tree_r_last, struct cuzk_fr_arena *values,
                                        struct cuzk_post_vanilla *out, struct cuzk_error *err)
{
    const struct cuzk_tree_shape tree = config->shape.tree;
    enum cuzk_status status = CUZK_OK;

    *out = (struct cuzk_post_vanilla){
        .sector_id = sector_id, .comm_c = *comm_c, .comm_r_last = tree_r_last[cuzk_oct_tree_nodes(tree) - 1]};
    cuzk_merkle_comm_r(comm_c, &out->comm_r_last, &out->comm_r);
    CUZK_TRY(CUZK_NEW(&out->paths, config->challenges, "inclusion paths", err));
    for (unsigned n = 0; n < config->challenges; n++) {
        const uint64_t leaf = cuzk_post_leaf(config, randomness, sector_id, place, n);

        CUZK_TRY_OUT(cuzk_oct_tree_prove(tree, tree_r_last, leaf, values, &out->paths[n], err));
    }
out:
    if (status != CUZK_OK)
        cuzk_post_vanilla_destroy(out);
    return status;
}
