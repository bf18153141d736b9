/*
 * The public side of an update as JSON: what a verifier knows of it.
 *
 *   {"sector_size": bytes, "comm_r_old": hex32, "comm_r_new": hex32, "comm_d_new": hex32,
 *    "registered_proof": number (optional; that of the size where it is not a number)}
 *
 * Further members are ignored, so a recorded update's own description is one as it stands.
 */
#ifndef CUZK_ENGINE_UPDATE_PUBLIC_H
#define CUZK_ENGINE_UPDATE_PUBLIC_H

#include "base/error.h"
#include "engine/request.h"

enum { CUZK_UPDATE_PUBLIC_BYTES_MOST = 1 << 20, CUZK_UPDATE_COMMITMENTS = 3 };

struct cuzk_update_public {
    uint64_t sector_size, registered_proof;
    uint8_t commitments[CUZK_UPDATE_COMMITMENTS][32]; /* comm_r_old, comm_r_new, comm_d_new */
};

/* Errors: INPUT (field and offset; a member missing). */
enum cuzk_status cuzk_update_public_decode(const char *name, const void *text, size_t length,
                                           struct cuzk_update_public *out, struct cuzk_error *err);

/* A request for it without vanilla proofs; it points into `public_side` and `parts`. */
void cuzk_update_public_request(const struct cuzk_update_public *public_side,
                                struct cuzk_request_part parts[CUZK_UPDATE_COMMITMENTS],
                                struct cuzk_request *out);

#endif
