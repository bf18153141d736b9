/* Jobs for a daemon, out of the files that `cuzk prove` takes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/mem.h"
#include "cli/remote.h"
#include "engine/porep_case.h"
#include "engine/registered.h"
#include "filecoin/c1.h"
#include "server/message.h"

enum {
    VANILLA_PROOF = 10,
    VANILLA_PROOFS = 11,
    REQUEST_BYTES_MOST = 1 << 24,
    NAME_ROOM = 64,
};

struct sending {
    Cuzk__V1__SubmitProofRequest message;
    uint8_t randomness[32], comm_r_old[32], comm_r_new[32], comm_d_new[32];
    struct cuzk_file_map *map;       /* [room] */
    uint8_t (*tag)[CUZK_CLIENT_TAG]; /* [room] */
    struct cuzk_request_part *part;  /* [2 * room] */
    size_t files, parts;             /* open; used */
};

static enum cuzk_status make_room(struct sending *sending, size_t files, struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(&sending->map, files, "files of a request", err));
    CUZK_TRY(CUZK_NEW(&sending->tag, files, "files of a request", err));
    return CUZK_NEW(&sending->part, 2 * files, "files of a request", err);
}

static enum cuzk_status add_file(struct sending *sending, const char *path, const char *what, uint32_t field,
                                 struct cuzk_error *err)
{
    struct cuzk_file_map *map = &sending->map[sending->files];

    CUZK_TRY(cuzk_file_map_open(path, what, CUZK_C1_BYTES_MOST, map, err));
    const size_t n = cuzk_client_tag(field, map->length, sending->tag[sending->files]);

    sending->part[sending->parts++] = (struct cuzk_request_part){sending->tag[sending->files], n};
    sending->part[sending->parts++] = (struct cuzk_request_part){map->bytes, (size_t)map->length};
    sending->files++;
    return CUZK_OK;
}

/* ---- porep ---- */

static enum cuzk_status fill_porep(struct sending *sending, const struct cli_job *job, struct cuzk_error *err)
{
    struct cuzk_c1 *c1;

    if (job->c1 == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--c1: a PoRep is made from the output of commit phase 1");
    CUZK_TRY(make_room(sending, 1, err));
    CUZK_TRY(add_file(sending, job->c1, "C1 output", VANILLA_PROOF, err));
    const enum cuzk_status status =
        cuzk_c1_decode(sending->map[0].bytes, (size_t)sending->map[0].length, NULL, &c1, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "%s", job->c1);
    sending->message.proof_kind = CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT;
    sending->message.sector_size = c1->sector_size;
    sending->message.registered_proof = c1->registered_proof >= 0 ? (uint64_t)c1->registered_proof : 0;
    if (c1->wrapped)
        sending->message.sector_number = c1->sector_number;
    cuzk_c1_destroy(c1);
    return CUZK_OK;
}

/* ---- requests in JSON ---- */

struct document {
    uint64_t sector_size, miner_id, partition_index, registered;
    bool has_miner, has_registered;
    char registered_name[NAME_ROOM], api[NAME_ROOM];
    uint8_t prover_id[32];
    bool has_prover;
    unsigned commitments; /* bits: old, new, data */
    bool has_randomness;
};

static enum cuzk_status read_registered(struct cuzk_json_document *reader, struct document *out,
                                        struct cuzk_error *err)
{
    switch (cuzk_json_read_kind(reader)) {
    case CUZK_JSON_STRING:
        return cuzk_json_read_text(reader, "registered_proof", out->registered_name, NAME_ROOM, err);
    case CUZK_JSON_NUMBER:
        out->has_registered = true;
        return cuzk_json_read_u64(reader, "registered_proof", &out->registered, err);
    default:
        return cuzk_json_read_skip(reader, err);
    }
}

static enum cuzk_status read_member(struct cuzk_json_document *reader, struct cuzk_json_slice key,
                                    struct sending *sending, struct document *out, struct cuzk_error *err)
{
    if (cuzk_json_read_kind(reader) == CUZK_JSON_NULL)
        return cuzk_json_read_skip(reader, err);
    if (cuzk_json_slice_is(key, "sector_size"))
        return cuzk_json_read_u64(reader, "sector_size", &out->sector_size, err);
    if (cuzk_json_slice_is(key, "partition_index"))
        return cuzk_json_read_u64(reader, "partition_index", &out->partition_index, err);
    if (cuzk_json_slice_is(key, "registered_proof"))
        return read_registered(reader, out, err);
    if (cuzk_json_slice_is(key, "api_version"))
        return cuzk_json_read_text(reader, "api_version", out->api, NAME_ROOM, err);
    if (cuzk_json_slice_is(key, "miner_id")) {
        out->has_miner = true;
        return cuzk_json_read_u64(reader, "miner_id", &out->miner_id, err);
    }
    if (cuzk_json_slice_is(key, "prover_id")) {
        out->has_prover = true;
        return cuzk_json_read_hex(reader, "prover_id", out->prover_id, 32, err);
    }
    if (cuzk_json_slice_is(key, "randomness")) {
        out->has_randomness = true;
        return cuzk_json_read_hex(reader, "randomness", sending->randomness, 32, err);
    }
    if (cuzk_json_slice_is(key, "comm_r_old")) {
        out->commitments |= 1;
        return cuzk_json_read_hex(reader, "comm_r_old", sending->comm_r_old, 32, err);
    }
    if (cuzk_json_slice_is(key, "comm_r_new")) {
        out->commitments |= 2;
        return cuzk_json_read_hex(reader, "comm_r_new", sending->comm_r_new, 32, err);
    }
    if (cuzk_json_slice_is(key, "comm_d_new")) {
        out->commitments |= 4;
        return cuzk_json_read_hex(reader, "comm_d_new", sending->comm_d_new, 32, err);
    }
    return cuzk_json_read_skip(reader, err);
}

static enum cuzk_status read_document(const char *path, struct sending *sending, struct document *out,
                                      struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_file_map map;
    struct cuzk_json_document reader;
    struct cuzk_json_slice key;
    bool more;

    CUZK_TRY(cuzk_file_map_open(path, "request", REQUEST_BYTES_MOST, &map, err));
    cuzk_json_read_init(&reader, map.path, map.bytes, (size_t)map.length);
    CUZK_TRY_OUT(cuzk_json_read_object(&reader, "request", err));
    for (;;) {
        CUZK_TRY_OUT(cuzk_json_read_member(&reader, &key, &more, err));
        if (!more)
            break;
        CUZK_TRY_OUT(read_member(&reader, key, sending, out, err));
    }
    CUZK_TRY_OUT(cuzk_json_read_end(&reader, err));
out:
    cuzk_file_map_close(&map);
    return status;
}

/* The number that a document names, or that of its size. */
static uint64_t registered_number(const struct document *document, Cuzk__V1__ProofKind kind)
{
    const char *name = document->registered_name;
    const bool first = name[0] != '\0' ? strlen(name) >= 2 && strcmp(name + strlen(name) - 2, "V1") == 0
                                       : strcmp(document->api, "1.0.0") == 0;

    if (document->has_registered)
        return document->registered;
    return cuzk_registered_number((enum cuzk_proof_kind)kind, document->sector_size, first);
}

/* A prover id is the actor number in unsigned LEB128. */
static uint64_t actor_number(const uint8_t id[32])
{
    uint64_t number = 0;

    for (unsigned i = 0; i < 10; i++) {
        number |= (uint64_t)(id[i] & 0x7f) << (7 * i);
        if ((id[i] & 0x80) == 0)
            break;
    }
    return number;
}

static enum cuzk_status fill_document(struct sending *sending, Cuzk__V1__ProofKind kind,
                                      const struct cli_job *job, struct cuzk_error *err)
{
    const bool snap = kind == CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE;
    Cuzk__V1__SubmitProofRequest *message = &sending->message;
    struct document document = {0};

    if (job->request == NULL || job->in_count == 0)
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "--request and --in: a PoSt or an update is made from a request and vanilla proofs");
    CUZK_TRY(read_document(job->request, sending, &document, err));
    CUZK_TRY(make_room(sending, job->in_count, err));
    for (size_t i = 0; i < job->in_count; i++)
        CUZK_TRY(add_file(sending, job->in[i], "vanilla proof", VANILLA_PROOFS, err));
    message->proof_kind = kind;
    message->sector_size = document.sector_size;
    message->registered_proof = registered_number(&document, kind);
    message->miner_id = document.has_miner    ? document.miner_id
                        : document.has_prover ? actor_number(document.prover_id)
                                              : 0;
    message->partition_index = (uint32_t)document.partition_index;
    if (!snap && document.has_randomness)
        message->randomness = (ProtobufCBinaryData){32, sending->randomness};
    if (snap && (document.commitments & 1) != 0)
        message->comm_r_old = (ProtobufCBinaryData){32, sending->comm_r_old};
    if (snap && (document.commitments & 2) != 0)
        message->comm_r_new = (ProtobufCBinaryData){32, sending->comm_r_new};
    if (snap && (document.commitments & 4) != 0)
        message->comm_d_new = (ProtobufCBinaryData){32, sending->comm_d_new};
    return CUZK_OK;
}

/* ---- all kinds ---- */

static enum cuzk_status fill(struct sending *sending, const struct cli_job *job, struct cuzk_error *err)
{
    static const char *const priorities[] = {"low", "normal", "high", "critical"};
    Cuzk__V1__SubmitProofRequest *message = &sending->message;

    if (strcmp(job->kind, "porep") == 0)
        CUZK_TRY(fill_porep(sending, job, err));
    else if (strcmp(job->kind, "winning") == 0)
        CUZK_TRY(fill_document(sending, CUZK__V1__PROOF_KIND__WINNING_POST, job, err));
    else if (strcmp(job->kind, "wpost") == 0)
        CUZK_TRY(fill_document(sending, CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION, job, err));
    else if (strcmp(job->kind, "snap") == 0)
        CUZK_TRY(fill_document(sending, CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE, job, err));
    else
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected porep, winning, wpost or snap", job->kind);
    if (job->request_id != NULL)
        message->request_id = (char *)(uintptr_t)job->request_id;
    if (job->miner_id.set)
        message->miner_id = job->miner_id.value;
    if (job->sector_number.set)
        message->sector_number = job->sector_number.value;
    if (job->partition_index.set)
        message->partition_index = (uint32_t)job->partition_index.value;
    for (int i = 0; job->priority != NULL && i < 4; i++)
        if (strcmp(job->priority, priorities[i]) == 0)
            message->priority = (Cuzk__V1__Priority)(CUZK__V1__PRIORITY__LOW + i);
    return CUZK_OK;
}

enum cuzk_status cli_remote_submit(struct cli_session *session, struct cuzk_client *client,
                                   const struct cli_job *job, char *job_id, size_t room, uint32_t *position,
                                   struct cuzk_error *err)
{
    enum cuzk_status status;
    struct sending *sending = NULL;
    ProtobufCMessage *answer = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&sending, 1, "request", err));
    cuzk__v1__submit_proof_request__init(&sending->message);
    CUZK_TRY_OUT(fill(sending, job, err));
    const struct cuzk_client_call call = {.method = "SubmitProof",
                                          .small = &sending->message.base,
                                          .parts = sending->part,
                                          .part_count = sending->parts,
                                          .answer = &cuzk__v1__submit_proof_response__descriptor,
                                          .progress = &session->progress};

    status = cli_remote_ask(session, client, &call, &answer, err);
    if (status == CUZK_OK) {
        const Cuzk__V1__SubmitProofResponse *response = (const Cuzk__V1__SubmitProofResponse *)answer;

        snprintf(job_id, room, "%s", response->job_id);
        *position = response->queue_position;
    }
out:
    cuzk_message_free(answer);
    for (size_t i = 0; sending != NULL && i < sending->files; i++)
        cuzk_file_map_close(&sending->map[i]);
    if (sending != NULL) {
        cuzk_mem_free(sending->map);
        cuzk_mem_free(sending->tag);
        cuzk_mem_free(sending->part);
    }
    cuzk_mem_free(sending);
    return status;
}
