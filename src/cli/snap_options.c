#include "cli/snap_options.h"

#include "base/file.h"
#include "base/mem.h"
#include "engine/update_case.h"
#include "engine/update_public.h"

/* A request and what it points at. */
struct holder {
    struct cuzk_request request;
    struct cuzk_update_public public_side;
    struct cuzk_request_part parts[CUZK_UPDATE_COMMITMENTS], proof_parts[CUZK_OPTION_LIST_ROOM];
    struct cuzk_request_blob proofs[CUZK_OPTION_LIST_ROOM];
    struct cuzk_file_map files[CUZK_OPTION_LIST_ROOM];
    size_t open;
};

static enum cuzk_status read_request(const char *path, struct holder *holder, struct cuzk_error *err)
{
    struct cuzk_file_map map;

    CUZK_TRY(cuzk_file_map_open(path, "request", CUZK_UPDATE_PUBLIC_BYTES_MOST, &map, err));
    const enum cuzk_status status =
        cuzk_update_public_decode(path, map.bytes, (size_t)map.length, &holder->public_side, err);

    cuzk_file_map_close(&map);
    if (status == CUZK_OK)
        cuzk_update_public_request(&holder->public_side, holder->parts, &holder->request);
    return status;
}

static enum cuzk_status read_proofs(const struct cuzk_option_list *in, struct holder *holder,
                                    struct cuzk_error *err)
{
    for (size_t k = 0; k < in->count; k++) {
        struct cuzk_file_map *file = &holder->files[k];

        CUZK_TRY(cuzk_file_map_open(in->items[k], "vanilla proof", CUZK_UPDATE_PROOF_BYTES_MOST, file, err));
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
    CUZK_TRY_OUT(read_request(options->request, holder, err));
    if (!public_alone)
        CUZK_TRY_OUT(read_proofs(&options->in, holder, err));
    status = public_alone ? cuzk_update_open_public(&holder->request, out, err)
                          : cuzk_update_open(&holder->request, log, out, err);
    if (status != CUZK_OK) /* what the files are named in already */
        status = cuzk_error_prefix(err, status, "%s", options->request);
out:
    for (size_t k = 0; k < holder->open; k++)
        cuzk_file_map_close(&holder->files[k]);
    cuzk_mem_free(holder);
    return status;
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
