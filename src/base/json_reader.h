/*
 * A strict pull parser for small JSON documents held in memory (keys, proofs, requests, timelines). The C1
 * decoder of filecoin/, made for hundreds of megabytes, is its own.
 *
 * The caller walks the document: enter a container, ask for members or elements, read or skip each value.
 * Errors (all INPUT) name the source, the field, the offset, what was expected and what was found. Nothing is
 * allocated; nesting is bounded by CUZK_JSON_READ_DEPTH. One thread at a time.
 */
#ifndef CUZK_BASE_JSON_READER_H
#define CUZK_BASE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { CUZK_JSON_READ_DEPTH = 64 };

enum cuzk_json_kind {
    CUZK_JSON_NOTHING, /* no value starts here */
    CUZK_JSON_OBJECT,
    CUZK_JSON_ARRAY,
    CUZK_JSON_STRING,
    CUZK_JSON_NUMBER,
    CUZK_JSON_BOOL,
    CUZK_JSON_NULL,
};

struct cuzk_json_document {
    const char *what; /* names the source; borrowed */
    const char *text;
    size_t length;
    size_t position;
    unsigned depth;
    bool filled[CUZK_JSON_READ_DEPTH];
};

/* Text inside the document, not terminated. A string's slice is its raw content: `escaped` says that it holds
 * backslashes. */
struct cuzk_json_slice {
    const char *text;
    size_t length;
    bool escaped;
};

void cuzk_json_read_init(struct cuzk_json_document *reader, const char *what, const void *text,
                         size_t length);

/* The kind of the value that starts at the cursor. */
enum cuzk_json_kind cuzk_json_read_kind(struct cuzk_json_document *reader);

enum cuzk_status cuzk_json_read_object(struct cuzk_json_document *reader, const char *field,
                                       struct cuzk_error *err);
/* The next member's name; *more is false (and the object left) at its end. The value must then be read or
 * skipped. */
enum cuzk_status cuzk_json_read_member(struct cuzk_json_document *reader, struct cuzk_json_slice *key,
                                       bool *more, struct cuzk_error *err);

enum cuzk_status cuzk_json_read_array(struct cuzk_json_document *reader, const char *field,
                                      struct cuzk_error *err);
/* Whether an element follows; the array is left where none does. */
enum cuzk_status cuzk_json_read_element(struct cuzk_json_document *reader, bool *more,
                                        struct cuzk_error *err);

/* Values. Numbers must be whole and in range; read_string takes strings only, read_number gives the raw
 * digits of any JSON number. read_text copies a string without escapes, terminated, to `room` bytes. read_hex
 * reads a string of exactly 2 * n hex digits. */
enum cuzk_status cuzk_json_read_string(struct cuzk_json_document *reader, const char *field,
                                       struct cuzk_json_slice *out, struct cuzk_error *err);
enum cuzk_status cuzk_json_read_text(struct cuzk_json_document *reader, const char *field, char *out,
                                     size_t room, struct cuzk_error *err);
enum cuzk_status cuzk_json_read_number(struct cuzk_json_document *reader, const char *field,
                                       struct cuzk_json_slice *out, struct cuzk_error *err);
enum cuzk_status cuzk_json_read_u64(struct cuzk_json_document *reader, const char *field, uint64_t *out,
                                    struct cuzk_error *err);
enum cuzk_status cuzk_json_read_bool(struct cuzk_json_document *reader, const char *field, bool *out,
                                     struct cuzk_error *err);
enum cuzk_status cuzk_json_read_hex(struct cuzk_json_document *reader, const char *field, uint8_t *out,
                                    size_t n, struct cuzk_error *err);
/* Any value, containers included. */
enum cuzk_status cuzk_json_read_skip(struct cuzk_json_document *reader, struct cuzk_error *err);

/* Nothing but white space may follow. */
enum cuzk_status cuzk_json_read_end(struct cuzk_json_document *reader, struct cuzk_error *err);

/* Whether a slice equals a C string (escaped slices never do). */
bool cuzk_json_slice_is(struct cuzk_json_slice slice, const char *text);

/* INPUT with "WHAT: FIELD: REASON (offset N)"; N is the cursor. */
enum cuzk_status cuzk_json_read_fail(const struct cuzk_json_document *reader, const char *field,
                                     struct cuzk_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
