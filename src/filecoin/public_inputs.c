#include "filecoin/public_inputs.h"

#include "base/mem.h"
#include "filecoin/challenges.h"

static enum cuzk_status element(const uint8_t bytes[32], const char *name, struct cuzk_fr *out,
                                struct cuzk_error *err)
{
    if (!cuzk_fr_from_bytes(bytes, out))
        return cuzk_error_set(err, CUZK_INPUT, "%s is not below the field's modulus", name);
    return CUZK_OK;
}

enum cuzk_status cuzk_porep_public_inputs(const struct cuzk_porep_config *config,
                                          const uint8_t replica_id[32], const uint8_t comm_d[32],
                                          const uint8_t comm_r[32], const uint8_t seed[32],
                                          unsigned partition, struct cuzk_fr *inputs, struct cuzk_error *err)
{
    const unsigned challenges = config->shape.challenges;
    struct cuzk_graph graph;
    uint32_t *nodes;

    if (partition >= config->partitions)
        return cuzk_error_set(err, CUZK_ARGUMENT, "partition %u of %u", partition, config->partitions);
    CUZK_TRY(element(replica_id, "replica_id", inputs++, err));
    CUZK_TRY(element(comm_d, "comm_d", inputs++, err));
    CUZK_TRY(element(comm_r, "comm_r", inputs++, err));
    CUZK_TRY(CUZK_NEW(&nodes, config->partitions * challenges, "challenges", err));
    cuzk_porep_challenges(config, replica_id, comm_r, seed, nodes);
    cuzk_graph_init(&graph, UINT64_C(1) << config->shape.log2_nodes, config->api_version, config->porep_id);
    for (unsigned i = 0; i < challenges; i++) {
        const uint32_t node = nodes[partition * challenges + i];
        uint32_t parents[CUZK_POREP_PARENTS];
        cuzk_graph_parents(&graph, node, parents);
        cuzk_fr_from_u64(node, inputs++);
        for (unsigned j = 0; j < CUZK_POREP_PARENTS; j++)
            cuzk_fr_from_u64(parents[j], inputs++);
        for (unsigned j = 0; j < 3; j++)
            cuzk_fr_from_u64(node, inputs++);
    }
    cuzk_mem_free(nodes);
    return CUZK_OK;
}

void cuzk_porep_assigned_inputs(const struct cuzk_porep_shape *shape,
                                const struct cuzk_porep_assignment *assignment, struct cuzk_fr *inputs)
{
    *inputs++ = assignment->replica_id;
    *inputs++ = assignment->comm_d;
    *inputs++ = assignment->comm_r;
    for (unsigned i = 0; i < shape->challenges; i++) {
        const struct cuzk_porep_challenge *challenge = &assignment->challenges[i];
        cuzk_fr_from_u64(challenge->data.index, inputs++);
        for (unsigned j = 0; j < CUZK_POREP_PARENTS; j++)
            cuzk_fr_from_u64(challenge->parents[j].path.index, inputs++);
        cuzk_fr_from_u64(challenge->node, inputs++);
        cuzk_fr_from_u64(challenge->replica.index, inputs++);
        cuzk_fr_from_u64(challenge->column.path.index, inputs++);
    }
}
