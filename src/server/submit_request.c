#include "server/submit_request.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "cuzk/v1/proving.pb-c.h"
#include "filecoin/seal_proof.h"

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

static const struct commitment_form {
    const char *name, *kind;
    uint8_t prefix_length;
    uint8_t prefix[8]; /* of its CIDv1: version, codec, multihash and length */
} forms[3] = {
    {"comm_r_old", "sealed", 8, {0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20}},
    {"comm_r_new", "sealed", 8, {0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20}},
    {"comm_d_new", "unsealed", 7, {0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20}},
};

static enum cuzk_status read_commitment(struct taking *taking, unsigned i, struct cuzk_request_blob *out,
                                        struct cuzk_error *err)
{
    const struct commitment_form *form = &forms[i];
    const struct cuzk_request_blob *blob = &taking->commitment[i];
    struct cuzk_submit_request *request = taking->request;
    uint8_t bytes[40];
    size_t n = 0;

    if (blob->length == 0)
        return CUZK_OK;
    if (blob->length != 32 && blob->length != 32u + form->prefix_length)
        return cuzk_protowire_fail(
            taking->what, form->name, taking->commitment_offset[i], err,
            "expected 32 bytes, or the %u of the CIDv1 of a%s commitment, found %" PRIu64,
            32u + form->prefix_length, form->kind[0] == 'u' ? "n unsealed" : " sealed", blob->length);
    for (size_t k = 0; k < blob->count; k++) {
        memcpy(bytes + n, blob->parts[k].data, blob->parts[k].length);
        n += blob->parts[k].length;
    }
    if (n > 32 && memcmp(bytes, form->prefix, form->prefix_length) != 0)
        return cuzk_protowire_fail(taking->what, form->name, taking->commitment_offset[i], err,
                                   "%zu bytes that do not begin as the CIDv1 of a%s commitment", n,
                                   form->kind[0] == 'u' ? "n unsealed" : " sealed");
    memcpy(request->commitment[i], bytes + n - 32, 32);
    request->commitment_part[i] = (struct cuzk_request_part){request->commitment[i], 32};
    *out = (struct cuzk_request_blob){&request->commitment_part[i], 1, 32};
    return CUZK_OK;
}

/* ---- registered proofs ---- */

/* Numbers of go-state-types' abi.RegisteredPoStProof and RegisteredUpdateProof: five sizes each, in this
 * order. */
static const uint64_t sizes[] = {UINT64_C(1) << 11, UINT64_C(1) << 23, UINT64_C(1) << 29, UINT64_C(1) << 35,
                                 UINT64_C(1) << 36};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* The sector size that a kind's registered proof stands for; 0: it has no such number. */
static uint64_t registered_size(enum cuzk_proof_kind kind, uint64_t number)
{
    switch (kind) {
    case CUZK_PROOF_KIND_POREP:
        return number < CUZK_SEAL_PROOFS ? cuzk_seal_proof_sector_size((unsigned)number) : 0;
    case CUZK_PROOF_KIND_WINNING_POST:
        return number < SIZES ? sizes[number] : 0;
    case CUZK_PROOF_KIND_WINDOW_POST:
        return number >= SIZES && number < 3 * SIZES ? sizes[number % SIZES] : 0;
    case CUZK_PROOF_KIND_SNAP:
        return number < SIZES ? sizes[number] : 0;
    default:
        return 0;
    }
}

static bool is_registered_size(uint64_t size)
{
    for (size_t i = 0; i < SIZES; i++)
        if (sizes[i] == size)
            return true;
    return false;
}

/* Sizes that only exist for tests have no registered proof: the number is then 0. */
static enum cuzk_status check_registered(const char *what, const struct cuzk_request *request,
                                         struct cuzk_error *err)
{
    const uint64_t size = registered_size(request->kind, request->registered_proof);

    if (request->kind == CUZK_PROOF_KIND_NONE)
        return cuzk_error_set(err, CUZK_INPUT, "%s: proof_kind: not given", what);
    if (request->sector_size == 0)
        return cuzk_error_set(err, CUZK_INPUT, "%s: sector_size: not given", what);
    if (!is_registered_size(request->sector_size) && request->registered_proof == 0)
        return CUZK_OK;
    if (size == 0)
        return cuzk_error_set(err, CUZK_INPUT,
                              "%s: registered_proof: %" PRIu64 " is no number of this proof_kind", what,
                              request->registered_proof);
    if (size != request->sector_size)
        return cuzk_error_set(err, CUZK_INPUT,
                              "%s: registered_proof: %" PRIu64 " is of sectors of %" PRIu64
                              " bytes, sector_size says %" PRIu64,
                              what, request->registered_proof, size, request->sector_size);
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
    return check_registered(what, request, err);
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
