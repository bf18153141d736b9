#include "server/submit_request.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "cuzk/v1/proving.pb-c.h"
#include "engine/commitment.h"
#include "engine/registered.h"

enum {
    VANILLA_PROOF = 10,
    VANILLA_PROOFS = 11,
    RANDOMNESS = 22,
    COMM_R_OLD = 30,
    COMM_R_NEW = 31,
    COMM_D_NEW = 32
};

/* ---- byte strings ---- */

struct taking {
    struct cuzk_submit_request *request;
    const char *what;
    size_t parts, parts_room; /* used, there */
    size_t blobs, blobs_room;
    uint64_t commitment_offset[3];
    struct cuzk_request_blob commitment[3];
};

static enum cuzk_status take_blob(struct taking *taking, const struct cuzk_protowire_field *content,
                                  struct cuzk_request_blob *out, struct cuzk_error *err)
{
    struct cuzk_request_part *parts = taking->request->parts + taking->parts;
    size_t used;

    CUZK_TRY(cuzk_protowire_blob(content, parts, taking->parts_room - taking->parts, &used, err));
    *out = (struct cuzk_request_blob){parts, used, content->value};
    taking->parts += used;
    return CUZK_OK;
}

static enum cuzk_status take(void *context, const ProtobufCFieldDescriptor *field,
                             const struct cuzk_protowire_field *content, struct cuzk_error *err)
{
    struct taking *taking = context;
    struct cuzk_submit_request *out = taking->request;

    switch (field->id) {
    case VANILLA_PROOF:
        return take_blob(taking, content, &out->request.vanilla_proof, err);
    case VANILLA_PROOFS:
        return take_blob(taking, content, &out->blobs[taking->blobs++], err);
    case RANDOMNESS:
        return take_blob(taking, content, &out->request.randomness, err);
    case COMM_R_OLD:
    case COMM_R_NEW:
    case COMM_D_NEW:
        taking->commitment_offset[field->id - COMM_R_OLD] = content->offset;
        return take_blob(taking, content, &taking->commitment[field->id - COMM_R_OLD], err);
    default:
        return cuzk_protowire_fail(taking->what, field->name, content->offset, err, "not expected here");
    }
}

/* How many byte strings there are, and how many parts they may have together. */
static enum cuzk_status count(struct cuzk_protowire wire, struct taking *taking, struct cuzk_error *err)
{
    struct cuzk_protowire_field field;
    bool more;

    for (;;) {
        CUZK_TRY(cuzk_protowire_next(&wire, &field, &more, err));
        if (!more)
            return CUZK_OK;
        if (field.type != CUZK_WIRE_BYTES || field.number < VANILLA_PROOF)
            continue;
        taking->parts_room += 1 + (size_t)(wire.part - field.content.part);
        if (field.number == VANILLA_PROOFS && ++taking->blobs_room > CUZK_REQUEST_VANILLA_MOST)
            return cuzk_protowire_fail(wire.what, "vanilla_proofs", field.offset, err, "more than %d of them",
                                       CUZK_REQUEST_VANILLA_MOST);
    }
}

/* ---- commitments ---- */

static const struct {
    const char *name;
    enum cuzk_commitment kind;
} commitments[3] = {
    {"comm_r_old", CUZK_COMMITMENT_SEALED},
    {"comm_r_new", CUZK_COMMITMENT_SEALED},
    {"comm_d_new", CUZK_COMMITMENT_UNSEALED},
};

static enum cuzk_status read_commitment(struct taking *taking, unsigned i, struct cuzk_request_blob *out,
                                        struct cuzk_error *err)
{
    const struct cuzk_request_blob *blob = &taking->commitment[i];
    const enum cuzk_commitment kind = commitments[i].kind;
    const char *article = kind == CUZK_COMMITMENT_UNSEALED ? "an" : "a";
    struct cuzk_submit_request *request = taking->request;

    if (blob->length == 0)
        return CUZK_OK;
    switch (cuzk_commitment_take(blob, kind, request->commitment[i])) {
    case CUZK_COMMITMENT_OK:
        break;
    case CUZK_COMMITMENT_LENGTH:
        return cuzk_protowire_fail(
            taking->what, commitments[i].name, taking->commitment_offset[i], err,
            "expected 32 bytes, or the %zu of the CIDv1 of %s %s commitment, found %" PRIu64,
            cuzk_commitment_cid_bytes(kind), article, cuzk_commitment_name(kind), blob->length);
    case CUZK_COMMITMENT_PREFIX:
        return cuzk_protowire_fail(taking->what, commitments[i].name, taking->commitment_offset[i], err,
                                   "%" PRIu64 " bytes that do not begin as the CIDv1 of %s %s commitment",
                                   blob->length, article, cuzk_commitment_name(kind));
    }
    request->commitment_part[i] = (struct cuzk_request_part){request->commitment[i], 32};
    *out = (struct cuzk_request_blob){&request->commitment_part[i], 1, 32};
    return CUZK_OK;
}

/* ---- the whole ---- */

static enum cuzk_status take_small(const char *what, struct cuzk_submit_request *out, struct cuzk_error *err)
{
    const Cuzk__V1__SubmitProofRequest *small = (const Cuzk__V1__SubmitProofRequest *)out->small;
    struct cuzk_request *request = &out->request;

    if (strlen(small->request_id) > CUZK_REQUEST_ID_MOST)
        return cuzk_error_set(err, CUZK_INPUT, "%s: request_id: %zu bytes, at most %d are expected", what,
                              strlen(small->request_id), CUZK_REQUEST_ID_MOST);
    request->request_id = small->request_id;
    request->kind = (enum cuzk_proof_kind)small->proof_kind;
    request->sector_size = small->sector_size;
    request->registered_proof = small->registered_proof;
    request->has_priority = small->priority != CUZK__V1__PRIORITY__PRIORITY_UNSPECIFIED;
    if (request->has_priority)
        request->priority =
            (enum cuzk_priority)((int)small->priority - CUZK__V1__PRIORITY__LOW + CUZK_PRIORITY_LOW);
    request->sector_number = small->sector_number;
    request->miner_id = small->miner_id;
    request->partition_index = small->partition_index;
    if (request->kind == CUZK_PROOF_KIND_NONE)
        return cuzk_error_set(err, CUZK_INPUT, "%s: proof_kind: not given", what);
    const enum cuzk_status status = cuzk_registered_check(request, err);

    return status == CUZK_OK ? CUZK_OK : cuzk_error_prefix(err, status, "%s", what);
}

enum cuzk_status cuzk_submit_request_read(const struct cuzk_protowire *wire, struct cuzk_submit_request *out,
                                          struct cuzk_error *err)
{
    enum cuzk_status status;
    struct taking taking = {.request = out, .what = wire->what};
    const struct cuzk_message_taker taker = {take, &taking};

    memset(out, 0, sizeof *out);
    CUZK_TRY_OUT(count(*wire, &taking, err));
    CUZK_TRY_OUT(CUZK_NEW(&out->parts, taking.parts_room, "parts of a request", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->blobs, taking.blobs_room, "vanilla proofs of a request", err));
    CUZK_TRY_OUT(
        cuzk_message_read(&cuzk__v1__submit_proof_request__descriptor, wire, &taker, &out->small, err));
    out->request.vanilla_proofs = out->blobs;
    out->request.vanilla_proof_count = taking.blobs;
    CUZK_TRY_OUT(read_commitment(&taking, 0, &out->request.comm_r_old, err));
    CUZK_TRY_OUT(read_commitment(&taking, 1, &out->request.comm_r_new, err));
    CUZK_TRY_OUT(read_commitment(&taking, 2, &out->request.comm_d_new, err));
    CUZK_TRY_OUT(take_small(wire->what, out, err));
    return CUZK_OK;
out:
    cuzk_submit_request_close(out);
    return status;
}

enum cuzk_status cuzk_submit_request_in_prove(const struct cuzk_protowire *prove,
                                              struct cuzk_protowire *submit, struct cuzk_error *err)
{
    struct cuzk_protowire wire = *prove;
    struct cuzk_protowire_field field;
    bool more, found = false;

    for (;;) {
        CUZK_TRY(cuzk_protowire_next(&wire, &field, &more, err));
        if (!more)
            break;
        if (field.number != 1)
            continue;
        if (field.type != CUZK_WIRE_BYTES)
            return cuzk_protowire_fail(prove->what, "submit", field.offset, err,
                                       "wire type %u where %u is expected", (unsigned)field.type,
                                       (unsigned)CUZK_WIRE_BYTES);
        if (found)
            return cuzk_protowire_fail(prove->what, "submit", field.offset, err, "given twice");
        found = true;
        *submit = field.content;
    }
    if (!found)
        return cuzk_error_set(err, CUZK_INPUT, "%s: submit: not given", prove->what);
    return CUZK_OK;
}

void cuzk_submit_request_close(struct cuzk_submit_request *request)
{
    cuzk_message_free(request->small);
    cuzk_mem_free(request->parts);
    cuzk_mem_free(request->blobs);
    memset(request, 0, sizeof *request);
}
