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

/* comm_r = H(comm_c, comm_r_last); the last is what all paths lead to */
static struct cuzk_num commitments(struct cuzk_cs *cs, const struct cuzk_post_sector *sector)
{
    const struct cuzk_num comm_r_last = alloc(cs, "comm_r_last", &sector->comm_r_last);
    const struct cuzk_num comm_c = alloc(cs, "comm_c", &sector->comm_c);
    const struct cuzk_num comm_r = alloc(cs, "comm_r", &sector->comm_r);
    const struct cuzk_num pair[2] = {comm_c, comm_r_last};

    cuzk_cs_enter(cs, "comm_r_input");
    cuzk_num_inputize(cs, &comm_r);
    cuzk_cs_leave(cs);
    cuzk_cs_enter(cs, "H_comm_c_comm_r_last");
    const struct cuzk_num hash = cuzk_poseidon_gadget(cs, 2, CUZK_POSEIDON_MERKLE, pair);
    cuzk_cs_leave(cs);
    cuzk_num_enforce_equal(cs, "enforce_comm_c_comm_r_last_hash_comm_r", &comm_r, &hash);
    return comm_r_last;
}

void cuzk_post_synthesise_sector(struct cuzk_cs *cs, const struct cuzk_post_shape *shape,
                                 const struct cuzk_post_assignment *assignment, unsigned index)
{
    const struct cuzk_post_sector *sector = assignment ? &assignment->sectors[index] : &blank_sector;
    const struct cuzk_path_tree tree = {
        .hash = CUZK_PATH_POSEIDON, .base_arity = CUZK_TREE_BASE_ARITY, .shape = shape->tree};

    cuzk_cs_enter_n(cs, "sector_#", index);
    const struct cuzk_num root = commitments(cs, sector);
    for (unsigned i = 0; i < shape->challenges && !cuzk_cs_failed(cs); i++) {
        cuzk_cs_enter_n(cs, "challenge_inclusion_#", i);
        cuzk_path_enforce(cs, &tree, &root, NULL, &sector->paths[i]);
        cuzk_cs_leave(cs);
    }
    cuzk_cs_leave(cs);
}
