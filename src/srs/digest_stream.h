/*
 * The digest of a parameter file while it is written: a sink that hashes on a thread of its own.
 *
 * BLAKE2b takes 0.5 to 1 GB/s and cannot be split; a device makes points faster than that. So the bytes are
 * copied into one of a few buffers and hashed behind the writer's back.
 */
#ifndef CUZK_SRS_DIGEST_STREAM_H
#define CUZK_SRS_DIGEST_STREAM_H

#include "base/sink.h"
#include "srs/digest.h"

struct cuzk_digest_stream;

/* Errors: MEMORY (buffers, the thread). */
enum cuzk_status cuzk_digest_stream_create(struct cuzk_digest_stream **out, struct cuzk_error *err);

/* Takes bytes; waits where the hashing is behind. For one thread. */
struct cuzk_sink cuzk_digest_stream_sink(struct cuzk_digest_stream *stream);

/* Waits for the rest and gives the digest of everything written (srs/digest.h). Once. */
void cuzk_digest_stream_finish(struct cuzk_digest_stream *stream, char hex[CUZK_DIGEST_TEXT]);

/* At any time; NULL is nothing. */
void cuzk_digest_stream_destroy(struct cuzk_digest_stream *stream);

#endif
