#include "engine/porep_case.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/public_inputs.h"
#include "filecoin/replica_id.h"

static void pass_warning(void *context, const char *message)
{
    cuzk_log_line(context, CUZK_LOG_WARNING, "%s", message);
}

/* Graph and challenges: the registered proof's, changed by what the caller knows. */
static enum cuzk_status derive_config(struct cuzk_porep_case *porep, const struct cuzk_porep_facts *facts,
                                      const struct cuzk_log *log, struct cuzk_error *err)
{
    static const uint8_t no_porep_id[32];

    if (porep->c1->registered_proof >= 0) {
        CUZK_TRY(cuzk_c1_config(porep->c1, &porep->config, err));
        if (facts->has_porep_id)
            memcpy(porep->config.porep_id, facts->porep_id, sizeof porep->config.porep_id);
        if (facts->has_api_version)
            porep->config.api_version = facts->api_version;
        porep->config_known = true;
        return CUZK_OK;
    }
    if (!facts->has_porep_id && !facts->has_api_version) {
        cuzk_log_line(
            log, CUZK_LOG_WARNING,
            "no registered proof for this sector size, and no porep id given: the parents that the column "
            "proofs name are used");
        return CUZK_OK;
    }
    cuzk_c1_config_given(porep->c1, facts->has_api_version ? facts->api_version : CUZK_API_1_2_0,
                         facts->has_porep_id ? facts->porep_id : no_porep_id, &porep->config);
    porep->config_known = true;
    return CUZK_OK;
}

static enum cuzk_status derive_owner(struct cuzk_porep_case *porep, const struct cuzk_porep_facts *facts,
                                     struct cuzk_error *err)
{
    const struct cuzk_c1 *c1 = porep->c1;

    if (facts->has_sector_number && c1->wrapped && facts->sector_number != c1->sector_number)
        return cuzk_error_set(
            err, CUZK_ARGUMENT, "sector number: expected %llu as the C1 file says, given %llu",
            (unsigned long long)c1->sector_number, (unsigned long long)facts->sector_number);
    if (!facts->has_prover)
        return CUZK_OK;
    if (!facts->has_sector_number && !c1->wrapped)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "sector number: needed beside the prover, since this C1 file does not have it");
    if (!porep->config_known)
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "porep id: needed to compute the replica id of a sector without a registered proof");
    memcpy(porep->owner.prover_id, facts->prover_id, sizeof porep->owner.prover_id);
    porep->owner.sector_number = facts->has_sector_number ? facts->sector_number : c1->sector_number;
    porep->owner_known = true;
    return CUZK_OK;
}

static enum cuzk_status derive_inputs(struct cuzk_porep_case *porep, struct cuzk_error *err)
{
    const struct cuzk_c1 *c1 = porep->c1;

    porep->partitions = c1->partitions;
    porep->inputs = cuzk_porep_input_count(&c1->shape);
    CUZK_TRY(
        CUZK_NEW(&porep->public_inputs, (size_t)porep->partitions * porep->inputs, "public inputs", err));
    for (unsigned k = 0; k < porep->partitions; k++) {
        struct cuzk_fr *inputs = porep->public_inputs + (size_t)k * porep->inputs;

        if (porep->config_known) {
            CUZK_TRY(cuzk_porep_public_inputs(&porep->config, c1->replica_id, c1->comm_d, c1->comm_r,
                                              c1->seed, k, inputs, err));
        } else {
            struct cuzk_porep_assignment assignment;

            cuzk_c1_assignment(c1, k, &assignment);
            cuzk_porep_assigned_inputs(&c1->shape, &assignment, inputs);
        }
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_porep_case_open(const char *name, const void *bytes, size_t length,
                                      const struct cuzk_porep_facts *facts, const struct cuzk_log *log,
                                      struct cuzk_porep_case *out, struct cuzk_error *err)
{
    const struct cuzk_json_warnings warnings = {pass_warning, (void *)(uintptr_t)log};
    enum cuzk_status status;

    memset(out, 0, sizeof *out);
    status = cuzk_c1_decode(bytes, length, &warnings, &out->c1, err);
    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "%s", name);
    CUZK_TRY_OUT(derive_config(out, facts, log, err));
    CUZK_TRY_OUT(derive_owner(out, facts, err));
    CUZK_TRY_OUT(derive_inputs(out, err));
out:
    if (status != CUZK_OK) {
        cuzk_porep_case_close(out);
        return cuzk_error_prefix(err, status, "%s", name);
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_porep_case_check(const struct cuzk_porep_case *porep, const char *name,
                                       struct cuzk_pool *pool, struct cuzk_error *err)
{
    const enum cuzk_status status =
        cuzk_porep_verify_vanilla(pool, porep->c1, porep->config_known ? &porep->config : NULL,
                                  porep->owner_known ? &porep->owner : NULL, err);

    return status == CUZK_OK ? CUZK_OK : cuzk_error_prefix(err, status, "%s", name);
}

enum cuzk_status cuzk_porep_case_check_owner(const struct cuzk_porep_case *porep, const char *name,
                                             struct cuzk_error *err)
{
    const struct cuzk_c1 *c1 = porep->c1;
    uint8_t expected[32];

    if (!porep->owner_known)
        return CUZK_OK;
    cuzk_replica_id(porep->owner.prover_id, porep->owner.sector_number, c1->ticket, c1->comm_d,
                    porep->config.porep_id, expected);
    if (memcmp(expected, c1->replica_id, sizeof expected) != 0)
        return cuzk_error_set(err, CUZK_INVALID,
                              "%s: replica_id: is not that of this prover and sector number", name);
    return CUZK_OK;
}

const struct cuzk_fr *cuzk_porep_case_inputs(const struct cuzk_porep_case *porep, unsigned partition)
{
    return porep->public_inputs + (size_t)partition * porep->inputs;
}

struct cuzk_circuit_id cuzk_porep_case_circuit(const struct cuzk_porep_case *porep)
{
    return (struct cuzk_circuit_id){CUZK_CIRCUIT_POREP, porep->c1->sector_size};
}

void cuzk_porep_case_close(struct cuzk_porep_case *porep)
{
    cuzk_mem_free(porep->public_inputs);
    cuzk_c1_destroy(porep->c1);
    memset(porep, 0, sizeof *porep);
}
