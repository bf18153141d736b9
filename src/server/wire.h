/*
 * Protobuf's wire format over bytes that came in parts: fields are read one by one, byte strings stay where
 * they are. So a 60 MB field of a request goes from the network's own buffers to the disk without a copy.
 *
 * Strict: a length is held against the bytes that are there before anything is done with it; varints of more
 * than ten bytes, field number 0 and groups are refused. Errors say field and offset. One thread at a time;
 * nothing is allocated.
 */
#ifndef CUZK_SERVER_WIRE_H
#define CUZK_SERVER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/request.h"

enum cuzk_protowire_type {
    CUZK_WIRE_VARINT = 0,
    CUZK_WIRE_FIXED64 = 1,
    CUZK_WIRE_BYTES = 2,
    CUZK_WIRE_FIXED32 = 5,
};

/* A position in a message in parts. Copies are independent. */
struct cuzk_protowire {
    const char *what;                     /* names the message in errors; borrowed */
    const struct cuzk_request_part *part; /* where the next byte is */
    size_t at;                            /* in that part */
    uint64_t offset, end;                 /* of the whole, in bytes */
};

struct cuzk_protowire_field {
    uint32_t number;
    enum cuzk_protowire_type type;
    uint64_t value;                /* the number; of BYTES: the length */
    uint64_t offset;               /* of the tag */
    struct cuzk_protowire content; /* of BYTES */
};

/* parts must live as long as the cursor. */
void cuzk_protowire_init(struct cuzk_protowire *wire, const char *what, const struct cuzk_request_part *parts,
                         size_t count);

/* The next field, its value included; *more is false at the end. Errors: INPUT. */
enum cuzk_status cuzk_protowire_next(struct cuzk_protowire *wire, struct cuzk_protowire_field *field,
                                     bool *more, struct cuzk_error *err);

/* The content of a BYTES field as parts, of which there are at most those that the message came in: *used of
 * `room` are filled. Errors: MEMORY (room). */
enum cuzk_status cuzk_protowire_blob(const struct cuzk_protowire_field *field,
                                     struct cuzk_request_part *parts, size_t room, size_t *used,
                                     struct cuzk_error *err);

/* Copies the content of a BYTES field; its length is field->value. */
void cuzk_protowire_copy(const struct cuzk_protowire_field *field, void *out);

/* INPUT with "WHAT: NAME: REASON (offset N)". */
enum cuzk_status cuzk_protowire_fail(const char *what, const char *name, uint64_t offset,
                                     struct cuzk_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Whether n bytes are UTF-8 without zero bytes, as a proto3 string that C can hold must be. */
bool cuzk_protowire_is_text(const char *bytes, size_t n);

#endif
