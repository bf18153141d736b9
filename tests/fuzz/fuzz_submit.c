/* A SubmitProofRequest as it comes from the network, in one piece and cut into parts: both read alike, and as
 * protobuf-c reads it. The first byte says how it is cut. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cuzk/v1/proving.pb-c.h"
#include "engine/request.h"
#include "server/submit_request.h"

enum { PARTS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cuts it at places that the seed decides; some parts are empty. */
static size_t cut(uint8_t seed, const uint8_t *data, size_t size, struct cuzk_request_part parts[PARTS])
{
    uint32_t state = seed;
    size_t n = 0, at = 0;

    while (at < size && n < PARTS - 1) {
        state = state * 1664525u + 1013904223u;
        size_t length = (state >> 24) % 9;

        length = length < size - at ? length : size - at;
        parts[n++] = (struct cuzk_request_part){data + at, length};
        at += length;
    }
    parts[n++] = (struct cuzk_request_part){data + at, size - at};
    return n;
}

static bool same_blob(const struct cuzk_request_blob *blob, const ProtobufCBinaryData *expected)
{
    size_t at = 0;

    if (blob->length != expected->len)
        return false;
    for (size_t i = 0; i < blob->count; i++) {
        if (memcmp(blob->parts[i].data, expected->data + at, blob->parts[i].length) != 0)
            return false;
        at += blob->parts[i].length;
    }
    return at == expected->len;
}

/* What was read must be what protobuf-c reads. */
static void compare(const struct cuzk_request *request, const uint8_t *data, size_t size)
{
    Cuzk__V1__SubmitProofRequest *twin = cuzk__v1__submit_proof_request__unpack(NULL, size, data);

    if (twin == NULL)
        abort();
    if (strcmp(request->request_id, twin->request_id) != 0 || (int)request->kind != (int)twin->proof_kind ||
        request->sector_size != twin->sector_size || request->registered_proof != twin->registered_proof ||
        request->sector_number != twin->sector_number || request->miner_id != twin->miner_id ||
        request->partition_index != twin->partition_index ||
        request->vanilla_proof_count != twin->n_vanilla_proofs ||
        !same_blob(&request->vanilla_proof, &twin->vanilla_proof) ||
        !same_blob(&request->randomness, &twin->randomness))
        abort();
    for (size_t i = 0; i < twin->n_vanilla_proofs; i++)
        if (!same_blob(&request->vanilla_proofs[i], &twin->vanilla_proofs[i]))
            abort();
    cuzk__v1__submit_proof_request__free_unpacked(twin, NULL);
}

static void read_prove(const struct cuzk_request_part *parts, size_t count)
{
    struct cuzk_protowire wire, inner;
    struct cuzk_submit_request request;
    struct cuzk_error err;

    cuzk_protowire_init(&wire, "ProveRequest", parts, count);
    if (cuzk_submit_request_in_prove(&wire, &inner, &err) == CUZK_OK &&
        cuzk_submit_request_read(&inner, &request, &err) == CUZK_OK)
        cuzk_submit_request_close(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_request_part parts[PARTS];
    struct cuzk_submit_request whole, pieces;
    struct cuzk_error whole_err = {0}, pieces_err = {0};
    struct cuzk_protowire wire;
    uint8_t digest[32], again[32];

    if (size == 0)
        return 0;
    const struct cuzk_request_part one = {data + 1, size - 1};
    const size_t count = cut(data[0], one.data, one.length, parts);

    cuzk_protowire_init(&wire, "SubmitProofRequest", &one, 1);
    const enum cuzk_status status = cuzk_submit_request_read(&wire, &whole, &whole_err);

    cuzk_protowire_init(&wire, "SubmitProofRequest", parts, count);
    if (cuzk_submit_request_read(&wire, &pieces, &pieces_err) != status ||
        strcmp(whole_err.message, pieces_err.message) != 0)
        abort();
    read_prove(parts, count);
    if (status != CUZK_OK)
        return 0;
    compare(&pieces.request, one.data, one.length);
    cuzk_request_digest(&whole.request, digest);
    cuzk_request_digest(&pieces.request, again);
    if (memcmp(digest, again, sizeof digest) != 0)
        abort();
    cuzk_submit_request_close(&whole);
    cuzk_submit_request_close(&pieces);
    return 0;
}
