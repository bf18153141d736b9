/*
 * The client's side of cuzk.v1.ProvingEngine: one blocking call at a time over one channel, which connects,
 * and connects again, by itself. One thread at a time.
 */
#ifndef CUZK_SERVER_CLIENT_H
#define CUZK_SERVER_CLIENT_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "engine/request.h"
#include "server/listener.h"

struct cuzk_client;

/* Errors: ARGUMENT (the address), what cuzk_tls_client_credentials says, MEMORY. Nothing is connected yet. */
enum cuzk_status cuzk_client_open(const char *address, const struct cuzk_tls_files *tls,
                                  struct cuzk_client **out, struct cuzk_error *err);
/* NULL is fine. Bytes that were sent are not read any more once it returns. */
void cuzk_client_close(struct cuzk_client *client);

struct cuzk_client_call {
    const char *method;                    /* "SubmitProof" of the service, or "/service/Method" */
    const ProtobufCMessage *small;         /* what protobuf-c packs */
    const struct cuzk_request_part *parts; /* sent behind it as they are: packed fields */
    size_t part_count;
    const ProtobufCMessageDescriptor *answer;
    uint64_t timeout_ms;                  /* 0: none */
    const struct cuzk_progress *progress; /* whether to stop; may be NULL */
};

/* *out is NULL on failure; cuzk_message_free it. retry_ms (may be NULL) receives when to come back, 0: it was
 * not said. Errors follow the gRPC status: INVALID_ARGUMENT is INPUT, NOT_FOUND itself, RESOURCE_EXHAUSTED is
 * BUSY, FAILED_PRECONDITION and UNIMPLEMENTED are UNSUPPORTED, UNAVAILABLE is IO, CANCELLED itself,
 * DEADLINE_EXCEEDED is BUSY; others INTERNAL. */
enum cuzk_status cuzk_client_call(struct cuzk_client *client, const struct cuzk_client_call *call,
                                  ProtobufCMessage **out, uint64_t *retry_ms, struct cuzk_error *err);

/* A bytes field's tag and length, for parts. Returns how many bytes of `text` it takes. */
enum { CUZK_CLIENT_TAG = 16 };
size_t cuzk_client_tag(uint32_t field, uint64_t length, uint8_t text[CUZK_CLIENT_TAG]);

#endif
