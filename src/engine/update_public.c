#include "engine/update_public.h"

#include "base/json_reader.h"
#include "engine/registered.h"

enum { HAS_SIZE = 1U << CUZK_UPDATE_COMMITMENTS, HAS_REGISTERED = HAS_SIZE << 1 };

static const char *const names[CUZK_UPDATE_COMMITMENTS] = {"comm_r_old", "comm_r_new", "comm_d_new"};

static enum cuzk_status read_member(struct cuzk_json_document *json, struct cuzk_json_slice key,
                                    struct cuzk_update_public *out, unsigned *seen, struct cuzk_error *err)
{
    for (unsigned i = 0; i < CUZK_UPDATE_COMMITMENTS; i++)
        if (cuzk_json_slice_is(key, names[i])) {
            *seen |= 1U << i;
            return cuzk_json_read_hex(json, names[i], out->commitments[i], sizeof out->commitments[i], err);
        }
    if (cuzk_json_slice_is(key, "sector_size")) {
        *seen |= HAS_SIZE;
        return cuzk_json_read_u64(json, "sector_size", &out->sector_size, err);
    }
    if (cuzk_json_slice_is(key, "registered_proof") && cuzk_json_read_kind(json) == CUZK_JSON_NUMBER) {
        *seen |= HAS_REGISTERED;
        return cuzk_json_read_u64(json, "registered_proof", &out->registered_proof, err);
    }
    return cuzk_json_read_skip(json, err);
}

enum cuzk_status cuzk_update_public_decode(const char *name, const void *text, size_t length,
                                           struct cuzk_update_public *out, struct cuzk_error *err)
{
    struct cuzk_json_document json;
    struct cuzk_json_slice key;
    unsigned seen = 0;
    bool more;

    *out = (struct cuzk_update_public){0};
    cuzk_json_read_init(&json, name, text, length);
    CUZK_TRY(cuzk_json_read_object(&json, "request", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(&json, &key, &more, err));
        if (!more)
            break;
        CUZK_TRY(read_member(&json, key, out, &seen, err));
    }
    CUZK_TRY(cuzk_json_read_end(&json, err));
    for (unsigned i = 0; i <= CUZK_UPDATE_COMMITMENTS; i++)
        if ((seen >> i & 1) == 0)
            return cuzk_error_set(err, CUZK_INPUT, "%s: %s: missing", name,
                                  i < CUZK_UPDATE_COMMITMENTS ? names[i] : "sector_size");
    if ((seen & HAS_REGISTERED) == 0)
        out->registered_proof = cuzk_registered_number(CUZK_PROOF_KIND_SNAP, out->sector_size, false);
    return CUZK_OK;
}

void cuzk_update_public_request(const struct cuzk_update_public *public_side,
                                struct cuzk_request_part parts[CUZK_UPDATE_COMMITMENTS],
                                struct cuzk_request *out)
{
    struct cuzk_request_blob *const blobs[CUZK_UPDATE_COMMITMENTS] = {&out->comm_r_old, &out->comm_r_new,
                                                                      &out->comm_d_new};

    *out = (struct cuzk_request){.request_id = "",
                                 .kind = CUZK_PROOF_KIND_SNAP,
                                 .sector_size = public_side->sector_size,
                                 .registered_proof = public_side->registered_proof};
    for (unsigned i = 0; i < CUZK_UPDATE_COMMITMENTS; i++) {
        parts[i] =
            (struct cuzk_request_part){public_side->commitments[i], sizeof public_side->commitments[i]};
        *blobs[i] = (struct cuzk_request_blob){&parts[i], 1, sizeof public_side->commitments[i]};
    }
}
