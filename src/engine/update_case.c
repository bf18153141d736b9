#include "engine/update_case.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "circuit/circuit.h"
#include "engine/commitment.h"
#include "engine/registered.h"
#include "engine/request_blob.h"
#include "filecoin/seal_proof.h"
#include "filecoin/update_verify.h"

enum { INPUTS = 4 };

struct update_case {
    struct cuzk_case common;
    struct cuzk_update_shape shape;
    struct cuzk_update_commitments commitments;
    unsigned decoded; /* proofs that are whole */
    struct cuzk_update_proof proofs[CUZK_UPDATE_MAX_PARTITIONS];
    struct cuzk_fr inputs[CUZK_UPDATE_MAX_PARTITIONS][INPUTS];
};

static const struct update_case *update_of(const struct cuzk_case *that)
{
    return (const struct update_case *)that;
}

static const struct cuzk_fr *case_inputs(const struct cuzk_case *that, unsigned partition)
{
    return update_of(that)->inputs[partition];
}

static enum cuzk_status case_check(const struct cuzk_case *that, struct cuzk_pool *pool,
                                   struct cuzk_error *err)
{
    for (unsigned k = 0; k < that->partitions; k++)
        CUZK_TRY(cuzk_update_verify_vanilla(pool, &update_of(that)->proofs[k], &update_of(that)->commitments,
                                            err));
    return CUZK_OK;
}

static enum cuzk_status case_witness(const struct cuzk_case *that, unsigned partition,
                                     const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                                     const struct cuzk_progress *progress, const struct cuzk_witness *witness,
                                     struct cuzk_error *err)
{
    struct cuzk_update_assignment assignment;

    cuzk_update_proof_assignment(&update_of(that)->proofs[partition], &update_of(that)->commitments,
                                 &assignment);
    CUZK_TRY(cuzk_circuit_witness(circuit, &assignment, pool, progress, witness, err));
    return cuzk_case_compare_inputs(that, partition, witness, pool, err);
}

static void case_close(struct cuzk_case *that)
{
    struct update_case *update = (struct update_case *)that;

    for (unsigned k = 0; k < update->decoded; k++)
        cuzk_update_proof_destroy(&update->proofs[k]);
    cuzk_mem_free(update);
}

static const struct cuzk_case_ops ops = {case_inputs, case_check, case_witness, case_close};

/* ---- from a request ---- */

static enum cuzk_status look_at_size(const struct cuzk_request *request, struct cuzk_update_shape *shape,
                                     struct cuzk_error *err)
{
    CUZK_TRY(cuzk_registered_check(request, err));
    if (!cuzk_update_shape_of(request->sector_size, false, shape))
        return cuzk_error_set(err, CUZK_INPUT, "sector_size: no updates of sectors of %" PRIu64 " bytes",
                              request->sector_size);
    return CUZK_OK;
}

static enum cuzk_status look(const struct cuzk_request *request, struct cuzk_update_shape *shape,
                             struct cuzk_error *err)
{
    CUZK_TRY(look_at_size(request, shape, err));
    if (request->vanilla_proof.length != 0)
        return cuzk_error_set(err, CUZK_INPUT,
                              "vanilla_proof: expected nothing: updates come in vanilla_proofs");
    if (request->vanilla_proof_count != (size_t)1 << shape->partition_bits)
        return cuzk_error_set(err, CUZK_INPUT, "vanilla_proofs: expected %u, one a partition, found %zu",
                              1U << shape->partition_bits, request->vanilla_proof_count);
    for (size_t k = 0; k < request->vanilla_proof_count; k++)
        if (request->vanilla_proofs[k].length == 0 ||
            request->vanilla_proofs[k].length > CUZK_UPDATE_PROOF_BYTES_MOST)
            return cuzk_error_set(err, CUZK_INPUT,
                                  "vanilla_proofs[%zu]: expected 1 to %d bytes, found %" PRIu64, k,
                                  CUZK_UPDATE_PROOF_BYTES_MOST, request->vanilla_proofs[k].length);
    return CUZK_OK;
}

static enum cuzk_status read_commitments(const struct cuzk_request *request,
                                         struct cuzk_update_commitments *out, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_commitment_read(&request->comm_r_old, "comm_r_old", CUZK_COMMITMENT_SEALED,
                                  &out->comm_r_old, err));
    CUZK_TRY(cuzk_commitment_read(&request->comm_r_new, "comm_r_new", CUZK_COMMITMENT_SEALED,
                                  &out->comm_r_new, err));
    return cuzk_commitment_read(&request->comm_d_new, "comm_d_new", CUZK_COMMITMENT_UNSEALED,
                                &out->comm_d_new, err);
}

enum cuzk_status cuzk_update_look(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                                  unsigned *partitions, struct cuzk_error *err)
{
    struct cuzk_update_commitments commitments;
    struct cuzk_update_shape shape;

    CUZK_TRY(look(request, &shape, err));
    CUZK_TRY(read_commitments(request, &commitments, err));
    *circuit = (struct cuzk_circuit_id){CUZK_CIRCUIT_SNAP, request->sector_size};
    *partitions = 1U << shape.partition_bits;
    return CUZK_OK;
}

static enum cuzk_status decode(struct update_case *update, const struct cuzk_request_blob *blob, unsigned k,
                               struct cuzk_error *err)
{
    struct cuzk_request_bytes bytes;
    char name[32];

    CUZK_TRY(cuzk_request_bytes_join(blob, &bytes, err));
    snprintf(name, sizeof name, "vanilla_proofs[%u]", k);
    const enum cuzk_status status =
        cuzk_update_proof_decode(name, bytes.data, bytes.length, &update->shape, k, &update->proofs[k], err);

    cuzk_request_bytes_release(&bytes);
    return status;
}

/* Everything that follows from the request's scalar fields and commitments. */
static enum cuzk_status derive(struct update_case *update, const struct cuzk_request *request,
                               struct cuzk_error *err)
{
    CUZK_TRY(read_commitments(request, &update->commitments, err));
    update->common = (struct cuzk_case){.ops = &ops,
                                        .circuit = {CUZK_CIRCUIT_SNAP, request->sector_size},
                                        .partitions = 1U << update->shape.partition_bits,
                                        .inputs = INPUTS};
    for (unsigned k = 0; k < update->common.partitions; k++)
        cuzk_update_public_inputs(&update->shape, &update->commitments, k, update->inputs[k]);
    return CUZK_OK;
}

enum cuzk_status cuzk_update_open_public(const struct cuzk_request *request, struct cuzk_case **out,
                                         struct cuzk_error *err)
{
    enum cuzk_status status;
    struct update_case *update;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&update, 1, "update to verify", err));
    CUZK_TRY_OUT(look_at_size(request, &update->shape, err));
    CUZK_TRY_OUT(derive(update, request, err));
    *out = &update->common;
    return CUZK_OK;
out:
    case_close(&update->common);
    return status;
}

enum cuzk_status cuzk_update_open(const struct cuzk_request *request, const struct cuzk_log *log,
                                  struct cuzk_case **out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct update_case *update;

    (void)log;
    *out = NULL;
    CUZK_TRY(CUZK_NEW(&update, 1, "update to prove", err));
    CUZK_TRY_OUT(look(request, &update->shape, err));
    CUZK_TRY_OUT(derive(update, request, err));
    for (unsigned k = 0; k < update->common.partitions; k++) {
        CUZK_TRY_OUT(decode(update, &request->vanilla_proofs[k], k, err));
        update->decoded = k + 1;
    }
    *out = &update->common;
    return CUZK_OK;
out:
    case_close(&update->common);
    return status;
}
