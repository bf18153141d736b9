#include <string.h>

#include "base/mem.h"
#include "circuit/porep.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

enum { NODE_BYTES = 32 };

/* The tree shapes are a choice of the network, not a rule: the base has arity 8 throughout. */
static const struct {
    uint64_t sector_size;
    unsigned base_levels, sub_arity, top_arity;
    unsigned layers, challenges;
} sizes[] = {
    {KIB(2), 2, 0, 0, 2, 2},    {KIB(4), 2, 2, 0, 2, 2}, {KIB(16), 2, 8, 0, 2, 2},
    {KIB(32), 2, 8, 2, 2, 2},   {MIB(8), 6, 0, 0, 2, 2}, {MIB(16), 6, 2, 0, 2, 2},
    {MIB(512), 8, 0, 0, 2, 2},  {GIB(1), 8, 2, 0, 2, 2}, {GIB(32), 9, 8, 0, 11, 18},
    {GIB(64), 9, 8, 2, 11, 18},
};

enum cuzk_status cuzk_porep_shape(uint64_t sector_size, struct cuzk_porep_shape *out, struct cuzk_error *err)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].sector_size != sector_size)
            continue;
        memset(out, 0, sizeof *out);
        out->sector_size = sector_size;
        out->layers = sizes[i].layers;
        out->challenges = sizes[i].challenges;
        while (((uint64_t)NODE_BYTES << out->tree_d_levels) < sector_size)
            out->tree_d_levels++;
        out->base_levels = sizes[i].base_levels;
        out->sub_arity = sizes[i].sub_arity;
        out->top_arity = sizes[i].top_arity;
        for (unsigned level = 0; level < out->base_levels; level++)
            out->octal_arity[out->octal_levels++] = 8;
        if (out->sub_arity)
            out->octal_arity[out->octal_levels++] = out->sub_arity;
        if (out->top_arity)
            out->octal_arity[out->octal_levels++] = out->top_arity;
        for (unsigned level = 0; level < out->octal_levels; level++)
            out->octal_siblings += out->octal_arity[level] - 1;
        return CUZK_OK;
    }
    return cuzk_error_set(err, CUZK_ARGUMENT, "no PoRep circuit for a sector of %llu bytes",
                          (unsigned long long)sector_size);
}

unsigned cuzk_porep_inputs(const struct cuzk_porep_shape *shape)
{
    /* one, replica_id, comm_d, comm_r; per challenge its TreeD path, the parents' TreeC paths, the challenge
     * as a number, its TreeRLast and TreeC paths */
    return 4 + (CUZK_POREP_PARENTS + 4) * shape->challenges;
}

enum cuzk_status cuzk_porep_assignment_create(const struct cuzk_porep_shape *shape,
                                              struct cuzk_porep_assignment *out, struct cuzk_error *err)
{
    const size_t octal = shape->octal_siblings;
    const size_t each = shape->tree_d_levels + (CUZK_POREP_PARENTS + 2) * octal;
    enum cuzk_status status;

    memset(out, 0, sizeof *out);
    CUZK_TRY_OUT(CUZK_NEW(&out->challenges, shape->challenges, "challenges", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->siblings, each * shape->challenges, "inclusion paths", err));
    out->challenge_count = shape->challenges;
    for (unsigned i = 0; i < shape->challenges; i++) {
        struct cuzk_porep_challenge *challenge = &out->challenges[i];
        struct cuzk_fr *at = out->siblings + i * each;
        challenge->tree_d.siblings = at;
        at += shape->tree_d_levels;
        for (unsigned p = 0; p < CUZK_POREP_PARENTS; p++, at += octal)
            challenge->parents[p].path.siblings = at;
        challenge->tree_r_last.siblings = at;
        challenge->tree_c.siblings = at + octal;
    }
    return CUZK_OK;
out:
    cuzk_porep_assignment_destroy(out);
    return status;
}

void cuzk_porep_assignment_destroy(struct cuzk_porep_assignment *assignment)
{
    cuzk_mem_free(assignment->challenges);
    cuzk_mem_free(assignment->siblings);
    memset(assignment, 0, sizeof *assignment);
}
