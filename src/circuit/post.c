#include "circuit/post.h"

#include "circuit/num.h"
#include "circuit/path.h"
#include "circuit/poseidon.h"

static const struct cuzk_fr zeros[CUZK_TREE_MAX_LEVELS * (CUZK_TREE_MAX_ARITY - 1)];

#define BLANK_PATH {.siblings = zeros}

static const struct cuzk_merkle_path blank_paths[CUZK_POST_MAX_CHALLENGES] = {
    BLANK_PATH, BLANK_PATH, BLANK_PATH, BLANK_PATH, BLANK_PATH,
    BLANK_PATH, BLANK_PATH, BLANK_PATH, BLANK_PATH, BLANK_PATH,
};
static const struct cuzk_post_sector blank_sector = {.paths = blank_paths};

static struct cuzk_num alloc(struct cuzk_cs *cs, const char *name, const struct cuzk_fr *value)
{
    cuzk_cs_enter(cs, name);
    const struct cuzk_num num = cuzk_num_alloc(cs, value);
    cuzk_cs_leave(cs);
    return num;
}

/* The sectors in work, each in its builder. */
struct lanes {
    struct cuzk_cs *const *cs;
    unsigned n;
    const struct cuzk_post_sector *sector[CUZK_CS_LANES];
    struct cuzk_num root[CUZK_CS_LANES]; /* comm_r_last, which all paths lead to */
};

/* comm_r = H(comm_c, comm_r_last) */
static void commitments(struct lanes *lanes)
{
    struct cuzk_num comm_r[CUZK_CS_LANES], pair[CUZK_CS_LANES][2], hash[CUZK_CS_LANES];
    const struct cuzk_num *preimages[CUZK_CS_LANES];

    for (unsigned k = 0; k < lanes->n; k++) {
        struct cuzk_cs *cs = lanes->cs[k];
        lanes->root[k] = alloc(cs, "comm_r_last", &lanes->sector[k]->comm_r_last);
        pair[k][0] = alloc(cs, "comm_c", &lanes->sector[k]->comm_c);
        pair[k][1] = lanes->root[k];
        preimages[k] = pair[k];
        comm_r[k] = alloc(cs, "comm_r", &lanes->sector[k]->comm_r);
        cuzk_cs_enter(cs, "comm_r_input");
        cuzk_num_inputize(cs, &comm_r[k]);
        cuzk_cs_leave(cs);
        cuzk_cs_enter(cs, "H_comm_c_comm_r_last");
    }
    cuzk_poseidon_gadget_lanes(lanes->cs, lanes->n, 2, CUZK_POSEIDON_MERKLE, preimages, hash);
    for (unsigned k = 0; k < lanes->n; k++) {
        cuzk_cs_leave(lanes->cs[k]);
        cuzk_num_enforce_equal(lanes->cs[k], "enforce_comm_c_comm_r_last_hash_comm_r", &comm_r[k], &hash[k]);
    }
}

static void inclusion(struct lanes *lanes, const struct cuzk_path_tree *tree, unsigned challenge)
{
    const struct cuzk_merkle_path *paths[CUZK_CS_LANES];

    for (unsigned k = 0; k < lanes->n; k++) {
        paths[k] = &lanes->sector[k]->paths[challenge];
        cuzk_cs_enter_n(lanes->cs[k], "challenge_inclusion_#", challenge);
    }
    cuzk_path_enforce_lanes(lanes->cs, lanes->n, tree, lanes->root, NULL, paths);
    for (unsigned k = 0; k < lanes->n; k++)
        cuzk_cs_leave(lanes->cs[k]);
}

void cuzk_post_synthesise_sectors(struct cuzk_cs *const *cs, unsigned n, const struct cuzk_post_shape *shape,
                                  const struct cuzk_post_assignment *assignment, unsigned first)
{
    const struct cuzk_path_tree tree = {
        .hash = CUZK_PATH_POSEIDON, .base_arity = CUZK_TREE_BASE_ARITY, .shape = shape->tree};
    struct lanes lanes = {.cs = cs, .n = n};

    for (unsigned k = 0; k < n; k++) {
        lanes.sector[k] = assignment ? &assignment->sectors[first + k] : &blank_sector;
        cuzk_cs_enter_n(cs[k], "sector_#", first + k);
    }
    commitments(&lanes);
    for (unsigned i = 0; i < shape->challenges && !cuzk_cs_stops(cs[0]); i++)
        inclusion(&lanes, &tree, i);
    for (unsigned k = 0; k < n; k++)
        cuzk_cs_leave(cs[k]);
}
