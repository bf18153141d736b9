/*
 * A strict pull reader of JSON (RFC 8259) for documents whose structure is known: the caller asks for what
 * must come next, and anything else is an error that tells the byte offset.
 *
 * The document is read through a window, whole in memory or refilled piece by piece, so memory does not grow
 * with its length. Nesting of skipped values is bounded (CUZK_JSON_STREAM_DEPTH); nothing recurses. Text is
 * checked to be UTF-8. Not thread-safe: one reader, one thread.
 *
 * Errors of all functions: INPUT, and whatever a refill returns.
 */
#ifndef CUZK_FILECOIN_JSON_STREAM_H
#define CUZK_FILECOIN_JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "field/fr.h"

enum { CUZK_JSON_STREAM_DEPTH = 1024, CUZK_JSON_STREAM_NAME = 64, CUZK_JSON_STREAM_LOOKAHEAD = 256 };

/* Warnings about one document; the last says that no more follow. */
enum { CUZK_JSON_STREAM_WARNINGS = 16 };

/* Takes a one-line remark about something skipped. */
struct cuzk_json_warnings {
    void (*warn)(void *context, const char *message);
    void *context;
};

struct cuzk_json_stream {
    const uint8_t *at, *end; /* unread part of the window */
    const uint8_t *start;    /* of the window */
    uint64_t offset;         /* of `start` in the document */
    const char *document;    /* its name in messages */
    /* Moves the unread bytes to the front of a buffer and puts more behind them (setting all pointers and
     * offset), or leaves everything as it is at the end of the document. NULL: the window is the whole
     * document. */
    enum cuzk_status (*refill)(void *context, struct cuzk_json_stream *reader, struct cuzk_error *err);
    void *context;
    struct cuzk_json_warnings warnings;
    unsigned warned;                  /* warnings so far */
    char name[CUZK_JSON_STREAM_NAME]; /* the member name or string last read, cut to fit */
    size_t name_length;               /* before cutting */
};

/* Reads a document that is whole in memory. warnings may be NULL. */
void cuzk_json_stream_open(struct cuzk_json_stream *reader, const char *document, const uint8_t *bytes,
                           size_t length, const struct cuzk_json_warnings *warnings);

/* Offset in the document of the next unread byte. */
static inline uint64_t cuzk_json_stream_offset(const struct cuzk_json_stream *reader)
{
    return reader->offset + (uint64_t)(reader->at - reader->start);
}

/* INPUT with " (DOCUMENT offset N)" behind the message. */
enum cuzk_status cuzk_json_stream_fail(const struct cuzk_json_stream *reader, struct cuzk_error *err,
                                       const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The first byte of the next token, after white space, without taking it; fails at the end of the document.
 */
enum cuzk_status cuzk_json_stream_peek(struct cuzk_json_stream *reader, uint8_t *byte,
                                       struct cuzk_error *err);

/* An object with known members, in any order, each at most once. Unknown members are skipped with a warning.
 *     cuzk_json_stream_object_begin(...);
 *     while (next(...) == OK && member >= 0) switch (member) ... read the value
 * next sets member to an index into names, or -1 after the closing brace; it fails on a duplicate, and at the
 * end where a member whose bit is not set in `optional` is missing. */
struct cuzk_json_stream_object {
    const char *const *names;
    unsigned count;
    uint32_t optional, seen;
    bool first;
};

enum cuzk_status cuzk_json_stream_object_begin(struct cuzk_json_stream *reader, const char *const *names,
                                               unsigned count, uint32_t optional,
                                               struct cuzk_json_stream_object *object,
                                               struct cuzk_error *err);
enum cuzk_status cuzk_json_stream_object_next(struct cuzk_json_stream *reader,
                                              struct cuzk_json_stream_object *object, int *member,
                                              struct cuzk_error *err);

/* An object of exactly one member, whose name tells what its value is (an enum with data). begin leaves the
 * name in reader->name; the caller reads the value; end takes the closing brace. */
enum cuzk_status cuzk_json_stream_variant_begin(struct cuzk_json_stream *reader, struct cuzk_error *err);
enum cuzk_status cuzk_json_stream_variant_end(struct cuzk_json_stream *reader, struct cuzk_error *err);

/* An array: begin, then next before every element; more is false after the closing bracket. `first` is the
 * caller's state. */
enum cuzk_status cuzk_json_stream_array_begin(struct cuzk_json_stream *reader, bool *first,
                                              struct cuzk_error *err);
enum cuzk_status cuzk_json_stream_array_next(struct cuzk_json_stream *reader, bool *first, bool *more,
                                             struct cuzk_error *err);

/* A whole number of at most `most`: digits only, no sign, fraction, exponent or leading zero. */
enum cuzk_status cuzk_json_stream_u64(struct cuzk_json_stream *reader, uint64_t most, uint64_t *value,
                                      struct cuzk_error *err);

/* An array of exactly 32 numbers 0..255. */
enum cuzk_status cuzk_json_stream_bytes32(struct cuzk_json_stream *reader, uint8_t bytes[32],
                                          struct cuzk_error *err);

/* The same as a field element, little-endian; not below r is an error. */
enum cuzk_status cuzk_json_stream_element(struct cuzk_json_stream *reader, struct cuzk_fr *value,
                                          struct cuzk_error *err);

/* A string into reader->name (escapes decoded, cut to CUZK_JSON_STREAM_NAME bytes, not terminated). */
enum cuzk_status cuzk_json_stream_string(struct cuzk_json_stream *reader, struct cuzk_error *err);

enum cuzk_status cuzk_json_stream_null(struct cuzk_json_stream *reader, struct cuzk_error *err);

/* Any value, checked for form and thrown away. */
enum cuzk_status cuzk_json_stream_skip(struct cuzk_json_stream *reader, struct cuzk_error *err);

/* Nothing but white space may follow. */
enum cuzk_status cuzk_json_stream_end(struct cuzk_json_stream *reader, struct cuzk_error *err);

/* true if reader->name is exactly `text` */
bool cuzk_json_stream_name_is(const struct cuzk_json_stream *reader, const char *text);

#endif
