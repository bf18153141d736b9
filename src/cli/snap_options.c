#include "cli/snap_options.h"

#include <string.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "engine/registered.h"
#include "engine/update_case.h"

enum { REQUEST_BYTES_MOST = 1 << 20, PROOF_BYTES_MOST = 1 << 22, COMMITMENTS = 3, COMMITMENT_BYTES = 32 };

/* A request and what it points at. */
struct holder {
    struct cuzk_request request;
    uint8_t commitments[COMMITMENTS][COMMITMENT_BYTES];
    struct cuzk_request_part parts[COMMITMENTS], proof_parts[CUZK_OPTION_LIST_ROOM];
    struct cuzk_request_blob proofs[CUZK_OPTION_LIST_ROOM];
    struct cuzk_file_map files[CUZK_OPTION_LIST_ROOM];
    size_t open;
};

/* A document that names no registered proof means the one of its size. */
enum { HAS_REGISTERED = 1U << (COMMITMENTS + 1) };

/* The commitments in the order of the request's members below. */
static const char *const names[COMMITMENTS] = {"comm_r_old", "comm_r_new", "comm_d_new"};

static enum cuzk_status read_member(struct cuzk_json_document *json, struct cuzk_json_slice key,
                                    struct holder *holder, unsigned *seen, struct cuzk_error *err)
{
    for (unsigned i = 0; i < COMMITMENTS; i++)
        if (cuzk_json_slice_is(key, names[i])) {
            *seen |= 1U << i;
            return cuzk_json_read_hex(json, names[i], holder->commitments[i], COMMITMENT_BYTES, err);
        }
    if (cuzk_json_slice_is(key, "sector_size")) {
        *seen |= 1U << COMMITMENTS;
        return cuzk_json_read_u64(json, "sector_size", &holder->request.sector_size, err);
    }
    if (cuzk_json_slice_is(key, "registered_proof") && cuzk_json_read_kind(json) == CUZK_JSON_NUMBER) {
        *seen |= HAS_REGISTERED;
        return cuzk_json_read_u64(json, "registered_proof", &holder->request.registered_proof, err);
    }
    return cuzk_json_read_skip(json, err);
}

static enum cuzk_status read_request(const char *path, struct holder *holder, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_json_document json;
    struct cuzk_json_slice key;
    struct cuzk_file_map map;
    unsigned seen = 0;
    bool more;

    CUZK_TRY(cuzk_file_map_open(path, "request", REQUEST_BYTES_MOST, &map, err));
    cuzk_json_read_init(&json, path, map.bytes, (size_t)map.length);
    CUZK_TRY_OUT(cuzk_json_read_object(&json, "request", err));
    for (;;) {
        CUZK_TRY_OUT(cuzk_json_read_member(&json, &key, &more, err));
        if (!more)
            break;
        CUZK_TRY_OUT(read_member(&json, key, holder, &seen, err));
    }
    CUZK_TRY_OUT(cuzk_json_read_end(&json, err));
    for (unsigned i = 0; i <= COMMITMENTS; i++)
        if (!(seen >> i & 1))
            CUZK_TRY_OUT(cuzk_error_set(err, CUZK_INPUT, "%s: %s: missing", path,
                                        i < COMMITMENTS ? names[i] : "sector_size"));
    if (!(seen & HAS_REGISTERED))
        holder->request.registered_proof =
            cuzk_registered_number(CUZK_PROOF_KIND_SNAP, holder->request.sector_size, false);
out:
    cuzk_file_map_close(&map);
    return status;
}

static void point_at_commitments(struct holder *holder)
{
    struct cuzk_request_blob *const blobs[COMMITMENTS] = {
        &holder->request.comm_r_old, &holder->request.comm_r_new, &holder->request.comm_d_new};

    for (unsigned i = 0; i < COMMITMENTS; i++) {
        holder->parts[i] = (struct cuzk_request_part){holder->commitments[i], COMMITMENT_BYTES};
        *blobs[i] = (struct cuzk_request_blob){&holder->parts[i], 1, COMMITMENT_BYTES};
    }
}

static enum cuzk_status read_proofs(const struct cuzk_option_list *in, struct holder *holder,
                                    struct cuzk_error *err)
{
    for (size_t k = 0; k < in->count; k++) {
        struct cuzk_file_map *file = &holder->files[k];

        CUZK_TRY(cuzk_file_map_open(in->items[k], "vanilla proof", PROOF_BYTES_MOST, file, err));
        holder->open = k + 1;
        holder->proof_parts[k] = (struct cuzk_request_part){file->bytes, (size_t)file->length};
        holder->proofs[k] = (struct cuzk_request_blob){&holder->proof_parts[k], 1, file->length};
    }
    holder->request.vanilla_proofs = holder->proofs;
    holder->request.vanilla_proof_count = in->count;
    return CUZK_OK;
}

static enum cuzk_status open_case(const struct cli_snap_options *options, bool public_alone,
                                  const struct cuzk_log *log, struct cuzk_case **out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct holder *holder;

    CUZK_TRY(CUZK_NEW(&holder, 1, "request", err));
    holder->request.kind = CUZK_PROOF_KIND_SNAP;
    holder->request.request_id = "";
    CUZK_TRY_OUT(read_request(options->request, holder, err));
    point_at_commitments(holder);
    if (public_alone) {
        CUZK_TRY_OUT(cuzk_update_open_public(&holder->request, out, err));
    } else {
        CUZK_TRY_OUT(read_proofs(&options->in, holder, err));
        CUZK_TRY_OUT(cuzk_update_open(&holder->request, log, out, err));
    }
out:
    for (size_t k = 0; k < holder->open; k++)
        cuzk_file_map_close(&holder->files[k]);
    cuzk_mem_free(holder);
    return status == CUZK_OK ? CUZK_OK : cuzk_error_prefix(err, status, "%s", options->request);
}

enum cuzk_status cli_snap_open(struct cli_session *session, const struct cli_snap_options *options,
                               struct cuzk_case **out, struct cuzk_error *err)
{
    return open_case(options, false, &session->log, out, err);
}

enum cuzk_status cli_snap_open_public(const struct cli_snap_options *options, struct cuzk_case **out,
                                      struct cuzk_error *err)
{
    return open_case(options, true, NULL, out, err);
}
