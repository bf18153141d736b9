#include "engine/porep_case.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "circuit/circuit.h"
#include "engine/registered.h"
#include "engine/request_blob.h"
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

static const struct cuzk_case_ops ops;

static enum cuzk_status derive_inputs(struct cuzk_porep_case *porep, struct cuzk_error *err)
{
    const struct cuzk_c1 *c1 = porep->c1;

    porep->common.ops = &ops;
    porep->common.circuit = (struct cuzk_circuit_id){CUZK_CIRCUIT_POREP, c1->sector_size};
    porep->common.partitions = c1->partitions;
    porep->common.inputs = cuzk_porep_input_count(&c1->shape);
    CUZK_TRY(CUZK_NEW(&porep->public_inputs, (size_t)porep->common.partitions * porep->common.inputs,
                      "public inputs", err));
    for (unsigned k = 0; k < porep->common.partitions; k++) {
        struct cuzk_fr *inputs = porep->public_inputs + (size_t)k * porep->common.inputs;

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
    const enum cuzk_status status = ops.check(&porep->common, pool, err);

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
    return porep->public_inputs + (size_t)partition * porep->common.inputs;
}

void cuzk_porep_case_close(struct cuzk_porep_case *porep)
{
    cuzk_mem_free(porep->public_inputs);
    cuzk_c1_destroy(porep->c1);
    memset(porep, 0, sizeof *porep);
}

/* ---- as one kind among others ---- */

static const struct cuzk_porep_case *porep_of(const struct cuzk_case *that)
{
    return (const struct cuzk_porep_case *)that;
}

static const struct cuzk_fr *case_inputs(const struct cuzk_case *that, unsigned partition)
{
    return cuzk_porep_case_inputs(porep_of(that), partition);
}

static enum cuzk_status case_check(const struct cuzk_case *that, struct cuzk_pool *pool,
                                   struct cuzk_error *err)
{
    const struct cuzk_porep_case *porep = porep_of(that);

    return cuzk_porep_verify_vanilla(pool, porep->c1, porep->config_known ? &porep->config : NULL,
                                     porep->owner_known ? &porep->owner : NULL, err);
}

static enum cuzk_status case_witness(const struct cuzk_case *that, unsigned partition,
                                     const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                                     const struct cuzk_progress *progress, const struct cuzk_witness *witness,
                                     struct cuzk_error *err)
{
    struct cuzk_porep_assignment assignment;

    cuzk_c1_assignment(porep_of(that)->c1, partition, &assignment);
    CUZK_TRY(cuzk_circuit_witness(circuit, &assignment, pool, progress, witness, err));
    return cuzk_case_compare_inputs(that, partition, witness, pool, err);
}

static void case_close(struct cuzk_case *that)
{
    struct cuzk_porep_case *porep = (struct cuzk_porep_case *)that;

    cuzk_porep_case_close(porep);
    cuzk_mem_free(porep);
}

static const struct cuzk_case_ops ops = {case_inputs, case_check, case_witness, case_close};

static enum cuzk_status config_of(const struct cuzk_request *request, struct cuzk_porep_config *config,
                                  struct cuzk_error *err)
{
    static const uint8_t no_porep_id[32];
    const uint64_t number = request->registered_proof;

    CUZK_TRY(cuzk_registered_check(request, err));
    if (cuzk_registered_sector_size(CUZK_PROOF_KIND_POREP, number) == request->sector_size)
        cuzk_porep_config_registered((unsigned)number, config);
    else if (cuzk_porep_config_make(request->sector_size, CUZK_POREP_INTERACTIVE, CUZK_API_1_1_0, no_porep_id,
                                    config, NULL) != CUZK_OK)
        return cuzk_error_set(err, CUZK_INPUT, "sector_size: no sectors of %" PRIu64 " bytes",
                              request->sector_size);
    return CUZK_OK;
}

enum cuzk_status cuzk_porep_look(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                                 unsigned *partitions, struct cuzk_error *err)
{
    struct cuzk_porep_config config;

    CUZK_TRY(config_of(request, &config, err));
    if (request->vanilla_proof.length == 0)
        return cuzk_error_set(err, CUZK_INPUT, "vanilla_proof: expected a C1 output, found nothing");
    if (request->vanilla_proof.length > CUZK_C1_BYTES_MOST)
        return cuzk_error_set(err, CUZK_INPUT, "vanilla_proof: expected at most %d bytes, found %llu",
                              CUZK_C1_BYTES_MOST, (unsigned long long)request->vanilla_proof.length);
    *circuit = (struct cuzk_circuit_id){CUZK_CIRCUIT_POREP, request->sector_size};
    *partitions = config.partitions;
    return CUZK_OK;
}

/* What the request says beside the C1 output must be what that says. */
static enum cuzk_status agree(const struct cuzk_request *request, const struct cuzk_porep_case *porep,
                              struct cuzk_error *err)
{
    const struct cuzk_c1 *c1 = porep->c1;
    struct cuzk_circuit_id circuit;
    unsigned partitions;

    CUZK_TRY(cuzk_porep_look(request, &circuit, &partitions, err));
    if (c1->sector_size != request->sector_size)
        return cuzk_error_set(err, CUZK_INPUT,
                              "sector_size: expected %llu as the vanilla proof has, found %llu",
                              (unsigned long long)c1->sector_size, (unsigned long long)request->sector_size);
    /* 0 may be what a client of 2 KiB sectors did not give; the C1 output says which it is */
    if (request->registered_proof != 0 && c1->registered_proof != (int)request->registered_proof)
        return cuzk_error_set(err, CUZK_INPUT,
                              "registered_proof: expected %d as the vanilla proof has, found %llu",
                              c1->registered_proof, (unsigned long long)request->registered_proof);
    if (c1->partitions != partitions)
        return cuzk_error_set(
            err, CUZK_INPUT, "registered_proof: needed for a vanilla proof of %u partitions", c1->partitions);
    return cuzk_porep_case_check_owner(porep, "vanilla_proof", err);
}

enum cuzk_status cuzk_porep_open(const struct cuzk_request *request, const struct cuzk_log *log,
                                 struct cuzk_case **out, struct cuzk_error *err)
{
    struct cuzk_porep_facts facts = {.has_prover = request->miner_id != 0,
                                     .has_sector_number = request->miner_id != 0,
                                     .sector_number = request->sector_number};
    struct cuzk_request_bytes bytes = {0};
    struct cuzk_porep_case *porep = NULL;
    enum cuzk_status status;

    *out = NULL;
    cuzk_prover_id_of_miner(request->miner_id, facts.prover_id);
    CUZK_TRY_OUT(cuzk_request_bytes_join(&request->vanilla_proof, &bytes, err));
    CUZK_TRY_OUT(CUZK_NEW(&porep, 1, "PoRep to prove", err));
    CUZK_TRY_OUT(cuzk_porep_case_open("vanilla_proof", bytes.data, bytes.length, &facts, log, porep, err));
    CUZK_TRY_OUT(agree(request, porep, err));
    *out = &porep->common;
    porep = NULL;
out:
    if (porep != NULL)
        case_close(&porep->common);
    cuzk_request_bytes_release(&bytes);
    return status;
}
