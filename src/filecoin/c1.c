#include "filecoin/c1.h"

#include <string.h>

#include "base/mem.h"

enum cuzk_status cuzk_c1_create(int registered_proof, const struct cuzk_porep_config *config,
                                struct cuzk_c1 **out, struct cuzk_error *err)
{
    struct cuzk_c1 *c1;
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&c1, 1, "C1 output", err));
    c1->registered_proof = registered_proof;
    c1->sector_size = config->sector_size;
    c1->shape = config->shape;
    for (; c1->partitions < config->partitions; c1->partitions++)
        CUZK_TRY_OUT(CUZK_NEW(&c1->partition[c1->partitions], 1, "a partition's vanilla proofs", err));
    *out = c1;
    return CUZK_OK;
out:
    cuzk_c1_destroy(c1);
    return status;
}

void cuzk_c1_destroy(struct cuzk_c1 *c1)
{
    if (c1 == NULL)
        return;
    for (unsigned i = 0; i < CUZK_POREP_MAX_PARTITIONS; i++)
        cuzk_mem_free(c1->partition[i]);
    cuzk_fr_arena_destroy(&c1->values);
    cuzk_mem_free(c1);
}

enum cuzk_status cuzk_c1_config(const struct cuzk_c1 *c1, struct cuzk_porep_config *config,
                                struct cuzk_error *err)
{
    if (c1->registered_proof < 0)
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "the C1 output names no registered proof: its porep id and api version must be given");
    cuzk_porep_config_registered((unsigned)c1->registered_proof, config);
    return CUZK_OK;
}

void cuzk_c1_assignment(const struct cuzk_c1 *c1, unsigned partition,
                        struct cuzk_porep_assignment *assignment)
{
    const struct cuzk_c1_partition *p = c1->partition[partition];

    /* canonical by construction: decoded or computed */
    (void)cuzk_fr_from_bytes(c1->replica_id, &assignment->replica_id);
    (void)cuzk_fr_from_bytes(c1->comm_d, &assignment->comm_d);
    (void)cuzk_fr_from_bytes(c1->comm_r, &assignment->comm_r);
    assignment->comm_c = p->challenges[0].column.path.root;
    assignment->comm_r_last = p->challenges[0].replica.root;
    assignment->challenges = p->challenges;
}
