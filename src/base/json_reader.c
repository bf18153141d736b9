#include "base/json_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"

void cuzk_json_read_init(struct cuzk_json_document *reader, const char *what, const void *text, size_t length)
{
    *reader = (struct cuzk_json_document){.what = what, .text = text, .length = length};
}

enum cuzk_status cuzk_json_read_fail(const struct cuzk_json_document *reader, const char *field,
                                     struct cuzk_error *err, const char *format, ...)
{
    char reason[CUZK_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return cuzk_error_set(err, CUZK_INPUT, "%s: %s: %s (offset %zu)", reader->what, field, reason,
                          reader->position);
}

/* The next byte after white space, or -1 at the end. */
static int next_byte(struct cuzk_json_document *reader)
{
    while (reader->position < reader->length) {
        const char c = reader->text[reader->position];

        if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
            return (unsigned char)c;
        reader->position++;
    }
    return -1;
}

static enum cuzk_status unexpected(struct cuzk_json_document *reader, const char *field, const char *expected,
                                   struct cuzk_error *err)
{
    const int c = next_byte(reader);

    if (c < 0)
        (void)cuzk_json_read_fail(reader, field, err, "expected %s, found the end", expected);
    else if (c < 0x20 || c >= 0x7f)
        (void)cuzk_json_read_fail(reader, field, err, "expected %s, found byte 0x%02x", expected,
                                  (unsigned)c);
    else
        (void)cuzk_json_read_fail(reader, field, err, "expected %s, found '%c'", expected, c);
    return CUZK_INPUT;
}

enum cuzk_json_kind cuzk_json_read_kind(struct cuzk_json_document *reader)
{
    const int c = next_byte(reader);

    switch (c) {
    case '{':
        return CUZK_JSON_OBJECT;
    case '[':
        return CUZK_JSON_ARRAY;
    case '"':
        return CUZK_JSON_STRING;
    case 't':
    case 'f':
        return CUZK_JSON_BOOL;
    case 'n':
        return CUZK_JSON_NULL;
    default:
        return c == '-' || (c >= '0' && c <= '9') ? CUZK_JSON_NUMBER : CUZK_JSON_NOTHING;
    }
}

static enum cuzk_status enter(struct cuzk_json_document *reader, const char *field, char bracket,
                              const char *expected, struct cuzk_error *err)
{
    if (next_byte(reader) != bracket)
        return unexpected(reader, field, expected, err);
    if (reader->depth == CUZK_JSON_READ_DEPTH)
        return cuzk_json_read_fail(reader, field, err, "nested more than %d deep", CUZK_JSON_READ_DEPTH);
    reader->position++;
    reader->filled[reader->depth++] = false;
    return CUZK_OK;
}

enum cuzk_status cuzk_json_read_object(struct cuzk_json_document *reader, const char *field,
                                       struct cuzk_error *err)
{
    return enter(reader, field, '{', "an object", err);
}

enum cuzk_status cuzk_json_read_array(struct cuzk_json_document *reader, const char *field,
                                      struct cuzk_error *err)
{
    return enter(reader, field, '[', "an array", err);
}

/* Moves over a comma where one is due, or over the closing bracket. */
static enum cuzk_status next(struct cuzk_json_document *reader, char bracket, bool *more,
                             struct cuzk_error *err)
{
    const char expected[] = {'\'', ',', '\'', ' ', 'o', 'r', ' ', '\'', bracket, '\'', '\0'};
    bool *filled = &reader->filled[reader->depth - 1];
    const int c = next_byte(reader);

    *more = false;
    if (c == bracket) {
        reader->position++;
        reader->depth--;
        return CUZK_OK;
    }
    if (*filled) {
        if (c != ',')
            return unexpected(reader, "JSON", expected, err);
        reader->position++;
    }
    *filled = true;
    *more = true;
    return CUZK_OK;
}

enum cuzk_status cuzk_json_read_member(struct cuzk_json_document *reader, struct cuzk_json_slice *key,
                                       bool *more, struct cuzk_error *err)
{
    CUZK_TRY(next(reader, '}', more, err));
    if (!*more)
        return CUZK_OK;
    *more = false;
    CUZK_TRY(cuzk_json_read_string(reader, "member name", key, err));
    if (next_byte(reader) != ':')
        return unexpected(reader, "JSON", "':'", err);
    reader->position++;
    *more = true;
    return CUZK_OK;
}

enum cuzk_status cuzk_json_read_element(struct cuzk_json_document *reader, bool *more, struct cuzk_error *err)
{
    return next(reader, ']', more, err);
}

enum cuzk_status cuzk_json_read_string(struct cuzk_json_document *reader, const char *field,
                                       struct cuzk_json_slice *out, struct cuzk_error *err)
{
    if (next_byte(reader) != '"')
        return unexpected(reader, field, "a string", err);
    size_t end = reader->position + 1;
    bool escaped = false;

    while (end < reader->length && reader->text[end] != '"') {
        if ((unsigned char)reader->text[end] < 0x20) {
            reader->position = end;
            return cuzk_json_read_fail(reader, field, err, "control character 0x%02x in a string",
                                       (unsigned char)reader->text[end]);
        }
        if (reader->text[end] == '\\') {
            escaped = true;
            end++;
        }
        end++;
    }
    if (end >= reader->length)
        return cuzk_json_read_fail(reader, field, err, "the string has no end");
    *out = (struct cuzk_json_slice){reader->text + reader->position + 1, end - reader->position - 1, escaped};
    reader->position = end + 1;
    return CUZK_OK;
}

/* Digits from `at` on; returns where they end. */
static size_t skip_digits(const struct cuzk_json_document *reader, size_t at)
{
    while (at < reader->length && reader->text[at] >= '0' && reader->text[at] <= '9')
        at++;
    return at;
}

enum cuzk_status cuzk_json_read_text(struct cuzk_json_document *reader, const char *field, char *out,
                                     size_t room, struct cuzk_error *err)
{
    struct cuzk_json_slice slice;

    CUZK_TRY(cuzk_json_read_string(reader, field, &slice, err));
    if (slice.escaped || slice.length >= room)
        return cuzk_json_read_fail(reader, field, err, "expected at most %zu plain characters, found %zu",
                                   room - 1, slice.length);
    memcpy(out, slice.text, slice.length);
    out[slice.length] = '\0';
    return CUZK_OK;
}

enum cuzk_status cuzk_json_read_number(struct cuzk_json_document *reader, const char *field,
                                       struct cuzk_json_slice *out, struct cuzk_error *err)
{
    const int c = next_byte(reader);
    const size_t start = reader->position;
    size_t at = start + (c == '-'), end;

    end = skip_digits(reader, at);
    if (end == at || (end - at > 1 && reader->text[at] == '0'))
        return unexpected(reader, field, "a number", err);
    if (end < reader->length && reader->text[end] == '.') {
        at = end + 1;
        end = skip_digits(reader, at);
        if (end == at)
            return unexpected(reader, field, "a number", err);
    }
    if (end < reader->length && (reader->text[end] == 'e' || reader->text[end] == 'E')) {
        at = end + 1;
        if (at < reader->length && (reader->text[at] == '+' || reader->text[at] == '-'))
            at++;
        end = skip_digits(reader, at);
        if (end == at)
            return unexpected(reader, field, "a number", err);
    }
    *out = (struct cuzk_json_slice){reader->text + start, end - start, false};
    reader->position = end;
    return CUZK_OK;
}

enum cuzk_status cuzk_json_read_u64(struct cuzk_json_document *reader, const char *field, uint64_t *out,
                                    struct cuzk_error *err)
{
    struct cuzk_json_slice digits;
    uint64_t value = 0;

    (void)next_byte(reader);
    const size_t start = reader->position;

    CUZK_TRY(cuzk_json_read_number(reader, field, &digits, err));
    for (size_t i = 0; i < digits.length; i++) {
        const char c = digits.text[i];

        if (c < '0' || c > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(c - '0'), &value)) {
            reader->position = start;
            return cuzk_json_read_fail(reader, field, err, "expected a whole number below 2^64, found %.*s",
                                       digits.length < 40 ? (int)digits.length : 40, digits.text);
        }
    }
    *out = value;
    return CUZK_OK;
}

static bool take_word(struct cuzk_json_document *reader, const char *word)
{
    const size_t n = strlen(word);

    if (reader->length - reader->position < n || memcmp(reader->text + reader->position, word, n) != 0)
        return false;
    reader->position += n;
    return true;
}

enum cuzk_status cuzk_json_read_bool(struct cuzk_json_document *reader, const char *field, bool *out,
                                     struct cuzk_error *err)
{
    (void)next_byte(reader);
    if (take_word(reader, "true"))
        *out = true;
    else if (take_word(reader, "false"))
        *out = false;
    else
        return unexpected(reader, field, "true or false", err);
    return CUZK_OK;
}

enum cuzk_status cuzk_json_read_hex(struct cuzk_json_document *reader, const char *field, uint8_t *out,
                                    size_t n, struct cuzk_error *err)
{
    struct cuzk_json_slice text;

    (void)next_byte(reader);
    const size_t start = reader->position;

    CUZK_TRY(cuzk_json_read_string(reader, field, &text, err));
    const enum cuzk_status status = cuzk_hex_decode(field, text.text, text.length, out, n, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "%s (offset %zu)", reader->what, start);
    return CUZK_OK;
}

/* A value that is no container. */
static enum cuzk_status skip_scalar(struct cuzk_json_document *reader, struct cuzk_error *err)
{
    struct cuzk_json_slice slice;
    bool flag;

    switch (cuzk_json_read_kind(reader)) {
    case CUZK_JSON_STRING:
        return cuzk_json_read_string(reader, "value", &slice, err);
    case CUZK_JSON_NUMBER:
        return cuzk_json_read_number(reader, "value", &slice, err);
    case CUZK_JSON_BOOL:
        return cuzk_json_read_bool(reader, "value", &flag, err);
    case CUZK_JSON_NULL:
        if (take_word(reader, "null"))
            return CUZK_OK;
        break;
    default:
        break;
    }
    return unexpected(reader, "value", "a value", err);
}

enum cuzk_status cuzk_json_read_skip(struct cuzk_json_document *reader, struct cuzk_error *err)
{
    bool object[CUZK_JSON_READ_DEPTH];
    const unsigned outer = reader->depth;

    for (;;) {
        const enum cuzk_json_kind kind = cuzk_json_read_kind(reader);

        if (kind == CUZK_JSON_OBJECT || kind == CUZK_JSON_ARRAY) {
            CUZK_TRY(enter(reader, "value", kind == CUZK_JSON_OBJECT ? '{' : '[', "a value", err));
            object[reader->depth - 1] = kind == CUZK_JSON_OBJECT;
        } else {
            CUZK_TRY(skip_scalar(reader, err));
        }
        /* On to the next value inside what is open, closing what ends. */
        for (bool more = false; !more;) {
            struct cuzk_json_slice key;

            if (reader->depth == outer)
                return CUZK_OK;
            if (object[reader->depth - 1])
                CUZK_TRY(cuzk_json_read_member(reader, &key, &more, err));
            else
                CUZK_TRY(cuzk_json_read_element(reader, &more, err));
        }
    }
}

enum cuzk_status cuzk_json_read_end(struct cuzk_json_document *reader, struct cuzk_error *err)
{
    if (next_byte(reader) >= 0)
        return unexpected(reader, "end", "nothing more", err);
    return CUZK_OK;
}

bool cuzk_json_slice_is(struct cuzk_json_slice slice, const char *text)
{
    return !slice.escaped && slice.length == strlen(text) && memcmp(slice.text, text, slice.length) == 0;
}
