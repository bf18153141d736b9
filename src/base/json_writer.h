/*
 * Writes JSON to a sink as it comes, compact or indented by two spaces.
 *
 * The first failure of the sink is kept: later calls do nothing, and cuzk_json_write_finish returns it. So a
 * caller writes a whole document without looking and checks once. Commas, colons and nesting are the writer's
 * work. One thread at a time.
 */
#ifndef CUZK_BASE_JSON_WRITER_H
#define CUZK_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sink.h"

enum { CUZK_JSON_DEPTH = 64 };

struct cuzk_json_writer {
    struct cuzk_sink sink;
    bool pretty;
    bool after_key;
    unsigned depth;
    bool filled[CUZK_JSON_DEPTH]; /* the container at this depth has an element */
    enum cuzk_status status;
    struct cuzk_error *err;
};

/* err (may be NULL) receives the first failure; it must live until finish. */
void cuzk_json_write_init(struct cuzk_json_writer *json, struct cuzk_sink sink, bool pretty,
                          struct cuzk_error *err);

void cuzk_json_write_object_begin(struct cuzk_json_writer *json);
void cuzk_json_write_object_end(struct cuzk_json_writer *json);
void cuzk_json_write_array_begin(struct cuzk_json_writer *json);
void cuzk_json_write_array_end(struct cuzk_json_writer *json);

/* The name of the next member; a value or container must follow. */
void cuzk_json_write_key(struct cuzk_json_writer *json, const char *key);

void cuzk_json_write_string(struct cuzk_json_writer *json, const char *text); /* NULL is written as null */
void cuzk_json_write_string_n(struct cuzk_json_writer *json, const char *text, size_t n);
void cuzk_json_write_u64(struct cuzk_json_writer *json, uint64_t value);
void cuzk_json_write_i64(struct cuzk_json_writer *json, int64_t value);
void cuzk_json_write_double(struct cuzk_json_writer *json, double value,
                            int decimals); /* NaN and infinity as null */
void cuzk_json_write_bool(struct cuzk_json_writer *json, bool value);
void cuzk_json_write_null(struct cuzk_json_writer *json);
void cuzk_json_write_hex(struct cuzk_json_writer *json, const uint8_t *bytes, size_t n);   /* "00ff" */
void cuzk_json_write_bytes(struct cuzk_json_writer *json, const uint8_t *bytes, size_t n); /* [0,255] */

/* Key and value in one call. */
void cuzk_json_write_member_string(struct cuzk_json_writer *json, const char *key, const char *text);
void cuzk_json_write_member_u64(struct cuzk_json_writer *json, const char *key, uint64_t value);
void cuzk_json_write_member_double(struct cuzk_json_writer *json, const char *key, double value,
                                   int decimals);
void cuzk_json_write_member_bool(struct cuzk_json_writer *json, const char *key, bool value);
void cuzk_json_write_member_hex(struct cuzk_json_writer *json, const char *key, const uint8_t *bytes,
                                size_t n);

/* The first failure; INTERNAL where a container is still open. */
enum cuzk_status cuzk_json_write_finish(struct cuzk_json_writer *json);

#endif
