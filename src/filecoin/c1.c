#include "filecoin/c1.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/challenges.h"

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

static bool gives_the_nodes(const struct cuzk_c1 *c1, const struct cuzk_porep_config *config)
{
    uint32_t nodes[CUZK_POREP_MAX_PARTITIONS * CUZK_POREP_MAX_CHALLENGES];
    unsigned n = 0;

    cuzk_porep_challenges(config, c1->replica_id, c1->comm_r, c1->seed, nodes);
    for (unsigned i = 0; i < c1->partitions; i++)
        for (unsigned j = 0; j < c1->shape.challenges; j++)
            if (c1->partition[i]->challenges[j].node != nodes[n++])
                return false;
    return true;
}

void cuzk_c1_config_given(const struct cuzk_c1 *c1, enum cuzk_api_version api_version,
                          const uint8_t porep_id[32], struct cuzk_porep_config *config)
{
    static const enum cuzk_porep_feature features[] = {CUZK_POREP_SYNTHETIC, CUZK_POREP_NON_INTERACTIVE,
                                                       CUZK_POREP_INTERACTIVE};

    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        (void)cuzk_porep_config_make(c1->sector_size, features[i], api_version, porep_id, config, NULL);
        if (config->partitions != c1->partitions)
            continue;
        if (features[i] != CUZK_POREP_SYNTHETIC || gives_the_nodes(c1, config))
            return;
    }
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
