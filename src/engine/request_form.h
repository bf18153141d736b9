/*
 * The form of a request at rest.
 *
 * Little-endian: "cuzkreq1"; u32 kind, priority (0 none, else 1 + enum cuzk_priority), partition_index,
 * number of vanilla_proofs; u64 sector_size, registered_proof, sector_number, miner_id; u64 lengths of
 * vanilla_proof, randomness, comm_r_old, comm_r_new, comm_d_new and of each of vanilla_proofs; then their
 * bytes in the same order. A digest follows: SHA-256 of all before, which is cuzk_request_digest. The request
 * id is no part of it: one content has one form, whoever asks for it.
 *
 * Thread-safe; an open request may be read by many threads.
 */
#ifndef CUZK_ENGINE_REQUEST_FORM_H
#define CUZK_ENGINE_REQUEST_FORM_H

#include "base/error.h"
#include "base/file.h"
#include "base/sink.h"
#include "engine/request.h"

/* A request read from its form. */
struct cuzk_request_file {
    struct cuzk_file_map map;        /* a file (engine/request_file.h) or a block in memory */
    struct cuzk_request request;     /* each blob is one part, inside the map; request_id is "" */
    struct cuzk_request_part *parts; /* that its blobs point at */
    struct cuzk_request_blob *blobs; /* of vanilla_proofs; NULL where there are none */
};

/* Bytes of the form, digest included. */
uint64_t cuzk_request_form_bytes(const struct cuzk_request *request);

/* Gives the form, without the digest, to a sink, piece by piece. Errors: the sink's. */
enum cuzk_status cuzk_request_form_emit(const struct cuzk_request *request, struct cuzk_sink sink,
                                        struct cuzk_error *err);

/* The form with its digest, in a block of cuzk_mem_alloc. Errors: MEMORY. */
enum cuzk_status cuzk_request_form_pack(const struct cuzk_request *request, const uint8_t digest[32],
                                        uint8_t **bytes, size_t *length, struct cuzk_error *err);

/* Reads a form from a block of cuzk_mem_alloc, which it takes over (also where it fails). digest: the one it
 * must have; `what` names it in errors. Errors: INPUT (with field and offset), MEMORY. */
enum cuzk_status cuzk_request_form_open(const char *what, uint8_t *bytes, size_t length,
                                        const uint8_t digest[32], struct cuzk_request_file *out,
                                        struct cuzk_error *err);

/* The same for file->map, which is open. Closes the file on failure. */
enum cuzk_status cuzk_request_form_read(const char *what, const uint8_t digest[32],
                                        struct cuzk_request_file *file, struct cuzk_error *err);

/* A copy of a request in memory, for engines that keep nothing on disk. Errors: MEMORY. */
enum cuzk_status cuzk_request_form_copy(const struct cuzk_request *request, const uint8_t digest[32],
                                        struct cuzk_request_file *out, struct cuzk_error *err);

/* Gives a file or a copy back; a zeroed struct is fine. */
void cuzk_request_file_close(struct cuzk_request_file *file);

#endif
