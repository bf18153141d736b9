/*
 * A bounds-checked cursor over bytes from outside. Every failure names the file, the field, its offset, what
 * was expected and what was found. Nothing is copied; slices live as long as the buffer. One thread at a
 * time.
 */
#ifndef CUZK_BASE_BYTES_H
#define CUZK_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cuzk_bytes {
    const char *what; /* names the source in errors: usually the file name; borrowed */
    const uint8_t *start;
    uint64_t length;
    uint64_t position; /* offset of the next byte, never above length */
};

void cuzk_bytes_init(struct cuzk_bytes *bytes, const char *what, const void *start, uint64_t length);

/* Bytes not read yet. */
uint64_t cuzk_bytes_left(const struct cuzk_bytes *bytes);

/* All readers below fail with INPUT where too few bytes are left, and then move nothing. */
enum cuzk_status cuzk_bytes_u8(struct cuzk_bytes *bytes, const char *field, uint8_t *out,
                               struct cuzk_error *err);
enum cuzk_status cuzk_bytes_u32le(struct cuzk_bytes *bytes, const char *field, uint32_t *out,
                                  struct cuzk_error *err);
enum cuzk_status cuzk_bytes_u32be(struct cuzk_bytes *bytes, const char *field, uint32_t *out,
                                  struct cuzk_error *err);
enum cuzk_status cuzk_bytes_u64le(struct cuzk_bytes *bytes, const char *field, uint64_t *out,
                                  struct cuzk_error *err);

/* A slice of n bytes. */
enum cuzk_status cuzk_bytes_take(struct cuzk_bytes *bytes, const char *field, uint64_t n, const uint8_t **out,
                                 struct cuzk_error *err);

/* A slice of count * size bytes; the product is checked, so a hostile count costs nothing. */
enum cuzk_status cuzk_bytes_take_array(struct cuzk_bytes *bytes, const char *field, uint64_t count,
                                       uint64_t size, const uint8_t **out, struct cuzk_error *err);

/* Copies n bytes. */
enum cuzk_status cuzk_bytes_copy(struct cuzk_bytes *bytes, const char *field, void *out, size_t n,
                                 struct cuzk_error *err);

/* n bytes that must equal `expected`. */
enum cuzk_status cuzk_bytes_expect(struct cuzk_bytes *bytes, const char *field, const void *expected,
                                   size_t n, struct cuzk_error *err);

/* OK where everything was read, else INPUT. */
enum cuzk_status cuzk_bytes_end(const struct cuzk_bytes *bytes, struct cuzk_error *err);

/* INPUT with "WHAT: FIELD: REASON (offset N)". */
enum cuzk_status cuzk_bytes_fail(const struct cuzk_bytes *bytes, const char *field, uint64_t offset,
                                 struct cuzk_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Numbers at a place that is known to be there. */
uint32_t cuzk_load_u32le(const uint8_t *bytes);
uint32_t cuzk_load_u32be(const uint8_t *bytes);
uint64_t cuzk_load_u64le(const uint8_t *bytes);
uint64_t cuzk_load_u64be(const uint8_t *bytes);
void cuzk_store_u32le(uint32_t value, uint8_t *bytes);
void cuzk_store_u32be(uint32_t value, uint8_t *bytes);
void cuzk_store_u64le(uint64_t value, uint8_t *bytes);
void cuzk_store_u64be(uint64_t value, uint8_t *bytes);

#endif
