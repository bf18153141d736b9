/* Reads the known answers under tests/fixtures. A missing or broken fixture fails the running test. */
#ifndef CUZK_TESTS_FIXTURE_H
#define CUZK_TESTS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* The fixture folder: CUZK_FIXTURES. */
const char *fixture_root(void);

/* Whole content of tests/fixtures/PATH (a printf format), decompressed where PATH ends in ".zst", with a zero
 * byte after the end. free() it. */
uint8_t *fixture_read(size_t *length, const char *path, ...) __attribute__((format(printf, 2, 3)));

/* The next line of a JSON-lines buffer: returns its start (zero-terminated in place) and moves *cursor on, or
 * NULL. */
char *fixture_line(char **cursor);

/* Hex to bytes; the digits must be exactly 2 * n. */
void fixture_hex(const char *hex, uint8_t *bytes, size_t n);

/* A small JSON reader over parsed text: values are slices. Enough for fixtures: no error recovery. */
struct fixture_json {
    const char *text; /* first character of the value */
    size_t length;
};

struct fixture_json fixture_json_parse(const char *text);
/* Member of an object; text NULL if there is none. */
struct fixture_json fixture_json_get(struct fixture_json object, const char *name);
/* Number of elements of an array, and its element at an index. Walking by index is linear: use next for
 * loops. */
size_t fixture_json_count(struct fixture_json array);
struct fixture_json fixture_json_at(struct fixture_json array, size_t index);
/* Iterates: start with {0}; false at the end. */
int fixture_json_next(struct fixture_json array, struct fixture_json *element);
/* String without quotes (no escapes expected), malloc'd; numbers and quoted numbers as u64; null test. */
char *fixture_json_string(struct fixture_json value);
uint64_t fixture_json_u64(struct fixture_json value);
int fixture_json_is_null(struct fixture_json value);
int fixture_json_bool(struct fixture_json value);
/* String of hex digits to exactly n bytes. */
void fixture_json_hex(struct fixture_json value, uint8_t *bytes, size_t n);
/* String of hex digits of any length: malloc'd bytes. */
uint8_t *fixture_json_hex_any(struct fixture_json value, size_t *n);

#endif
