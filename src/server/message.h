/*
 * Messages in and out: requests are read strictly by their descriptor, large byte strings left where they
 * are; the small rest goes to protobuf-c. Thread-safe.
 */
#ifndef CUZK_SERVER_MESSAGE_H
#define CUZK_SERVER_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "base/error.h"
#include "server/wire.h"

/* What a message may have beside the fields that a taker takes. */
enum { CUZK_MESSAGE_SMALL_MOST = 1 << 16 };

/* Is given every field of type bytes, in the order they come. */
struct cuzk_message_taker {
    enum cuzk_status (*take)(void *context, const ProtobufCFieldDescriptor *field,
                             const struct cuzk_protowire_field *content, struct cuzk_error *err);
    void *context;
};

/* Reads a message. Unknown fields are skipped, as proto3 wants; known ones must have their type's wire form
 * and range, strings must be UTF-8 without zero bytes. taker NULL: bytes are read like the rest. *out is NULL
 * on failure; cuzk_message_free it. Errors: INPUT ("message: field: reason (offset n)"), MEMORY, what take
 * says. */
enum cuzk_status cuzk_message_read(const ProtobufCMessageDescriptor *descriptor,
                                   const struct cuzk_protowire *wire, const struct cuzk_message_taker *taker,
                                   ProtobufCMessage **out, struct cuzk_error *err);

/* A message of any size from one piece; NULL where it is malformed or memory is short. */
ProtobufCMessage *cuzk_message_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                                      size_t n);

/* NULL is fine. */
void cuzk_message_free(ProtobufCMessage *message);

#endif
