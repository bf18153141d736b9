/*
 * A SubmitProofRequest as the engine takes it: byte strings still in the network's buffers, commitments as 32
 * bytes whatever form they came in, the registered proof held against the sector size.
 */
#ifndef CUZK_SERVER_SUBMIT_REQUEST_H
#define CUZK_SERVER_SUBMIT_REQUEST_H

#include "base/error.h"
#include "engine/request.h"
#include "server/message.h"
#include "server/wire.h"

struct cuzk_submit_request {
    struct cuzk_request request; /* points into the parts that were read, and into what follows */
    ProtobufCMessage *small;
    struct cuzk_request_part *parts;
    struct cuzk_request_blob *blobs;
    uint8_t commitment[3][32];
    struct cuzk_request_part commitment_part[3];
};

/* Reads a request. wire's parts must outlive it. Errors: INPUT (names the field and its offset), MEMORY;
 * nothing is to be closed then. */
enum cuzk_status cuzk_submit_request_read(const struct cuzk_protowire *wire, struct cuzk_submit_request *out,
                                          struct cuzk_error *err);

/* The SubmitProofRequest inside a ProveRequest. Errors: INPUT. */
enum cuzk_status cuzk_submit_request_in_prove(const struct cuzk_protowire *prove,
                                              struct cuzk_protowire *submit, struct cuzk_error *err);

/* A zeroed one is fine. */
void cuzk_submit_request_close(struct cuzk_submit_request *request);

#endif
