#include "base/bytes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cuzk_bytes_init(struct cuzk_bytes *bytes, const char *what, const void *start, uint64_t length)
{
    *bytes = (struct cuzk_bytes){.what = what, .start = start, .length = length};
}

uint64_t cuzk_bytes_left(const struct cuzk_bytes *bytes)
{
    return bytes->length - bytes->position;
}

enum cuzk_status cuzk_bytes_fail(const struct cuzk_bytes *bytes, const char *field, uint64_t offset,
                                 struct cuzk_error *err, const char *format, ...)
{
    char reason[CUZK_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return cuzk_error_set(err, CUZK_INPUT, "%s: %s: %s (offset %" PRIu64 ")", bytes->what, field, reason,
                          offset);
}

enum cuzk_status cuzk_bytes_take(struct cuzk_bytes *bytes, const char *field, uint64_t n, const uint8_t **out,
                                 struct cuzk_error *err)
{
    const uint64_t left = cuzk_bytes_left(bytes);

    if (n > left) {
        (void)cuzk_bytes_fail(bytes, field, bytes->position, err,
                              "expected %" PRIu64 " bytes, found %" PRIu64, n, left);
        return CUZK_INPUT; /* said outright: who goes on has *out, as an analyser then sees */
    }
    *out = bytes->start + bytes->position;
    bytes->position += n;
    return CUZK_OK;
}

enum cuzk_status cuzk_bytes_take_array(struct cuzk_bytes *bytes, const char *field, uint64_t count,
                                       uint64_t size, const uint8_t **out, struct cuzk_error *err)
{
    const uint64_t left = cuzk_bytes_left(bytes);

    if (size != 0 && count > left / size)
        return cuzk_bytes_fail(bytes, field, bytes->position, err,
                               "expected %" PRIu64 " elements of %" PRIu64 " bytes, found %" PRIu64 " bytes",
                               count, size, left);
    return cuzk_bytes_take(bytes, field, count * size, out, err);
}

enum cuzk_status cuzk_bytes_u8(struct cuzk_bytes *bytes, const char *field, uint8_t *out,
                               struct cuzk_error *err)
{
    const uint8_t *at = NULL;

    CUZK_TRY(cuzk_bytes_take(bytes, field, 1, &at, err));
    *out = *at;
    return CUZK_OK;
}

enum cuzk_status cuzk_bytes_u32le(struct cuzk_bytes *bytes, const char *field, uint32_t *out,
                                  struct cuzk_error *err)
{
    const uint8_t *at = NULL;

    CUZK_TRY(cuzk_bytes_take(bytes, field, 4, &at, err));
    *out = cuzk_load_u32le(at);
    return CUZK_OK;
}

enum cuzk_status cuzk_bytes_u32be(struct cuzk_bytes *bytes, const char *field, uint32_t *out,
                                  struct cuzk_error *err)
{
    const uint8_t *at = NULL;

    CUZK_TRY(cuzk_bytes_take(bytes, field, 4, &at, err));
    *out = cuzk_load_u32be(at);
    return CUZK_OK;
}

enum cuzk_status cuzk_bytes_u64le(struct cuzk_bytes *bytes, const char *field, uint64_t *out,
                                  struct cuzk_error *err)
{
    const uint8_t *at = NULL;

    CUZK_TRY(cuzk_bytes_take(bytes, field, 8, &at, err));
    *out = cuzk_load_u64le(at);
    return CUZK_OK;
}

enum cuzk_status cuzk_bytes_copy(struct cuzk_bytes *bytes, const char *field, void *out, size_t n,
                                 struct cuzk_error *err)
{
    const uint8_t *at = NULL;

    CUZK_TRY(cuzk_bytes_take(bytes, field, n, &at, err));
    memcpy(out, at, n);
    return CUZK_OK;
}

enum cuzk_status cuzk_bytes_expect(struct cuzk_bytes *bytes, const char *field, const void *expected,
                                   size_t n, struct cuzk_error *err)
{
    const uint64_t offset = bytes->position;
    const uint8_t *at = NULL, *want = expected;

    CUZK_TRY(cuzk_bytes_take(bytes, field, n, &at, err));
    for (size_t i = 0; i < n; i++)
        if (at[i] != want[i])
            return cuzk_bytes_fail(bytes, field, offset + i, err, "expected byte 0x%02x, found 0x%02x",
                                   want[i], at[i]);
    return CUZK_OK;
}

enum cuzk_status cuzk_bytes_end(const struct cuzk_bytes *bytes, struct cuzk_error *err)
{
    if (bytes->position != bytes->length)
        return cuzk_bytes_fail(bytes, "end", bytes->position, err, "expected no more bytes, found %" PRIu64,
                               cuzk_bytes_left(bytes));
    return CUZK_OK;
}

uint32_t cuzk_load_u32le(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

uint32_t cuzk_load_u32be(const uint8_t *bytes)
{
    return __builtin_bswap32(cuzk_load_u32le(bytes));
}

uint64_t cuzk_load_u64le(const uint8_t *bytes)
{
    return cuzk_load_u32le(bytes) | (uint64_t)cuzk_load_u32le(bytes + 4) << 32;
}

uint64_t cuzk_load_u64be(const uint8_t *bytes)
{
    return __builtin_bswap64(cuzk_load_u64le(bytes));
}

void cuzk_store_u32le(uint32_t value, uint8_t *bytes)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

void cuzk_store_u32be(uint32_t value, uint8_t *bytes)
{
    cuzk_store_u32le(__builtin_bswap32(value), bytes);
}

void cuzk_store_u64le(uint64_t value, uint8_t *bytes)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

void cuzk_store_u64be(uint64_t value, uint8_t *bytes)
{
    cuzk_store_u64le(__builtin_bswap64(value), bytes);
}
