#include "filecoin/json_stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cuzk_json_stream_open(struct cuzk_json_stream *reader, const char *document, const uint8_t *bytes,
                           size_t length, const struct cuzk_json_warnings *warnings)
{
    memset(reader, 0, sizeof *reader);
    reader->at = reader->start = bytes;
    reader->end = bytes + length;
    reader->document = document;
    if (warnings != NULL)
        reader->warnings = *warnings;
}

enum cuzk_status cuzk_json_stream_fail(const struct cuzk_json_stream *reader, struct cuzk_error *err,
                                       const char *format, ...)
{
    char message[CUZK_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const unsigned long long offset = cuzk_json_stream_offset(reader);
    return cuzk_error_set(err, CUZK_INPUT, "%s (%s offset %llu)", message, reader->document, offset);
}

/* Makes n unread bytes available, fewer only at the end of the document. */
static enum cuzk_status need(struct cuzk_json_stream *reader, size_t n, struct cuzk_error *err)
{
    size_t held = (size_t)(reader->end - reader->at), before;

    if (held >= n || reader->refill == NULL)
        return CUZK_OK;
    do {
        before = held;
        CUZK_TRY(reader->refill(reader->context, reader, err));
        held = (size_t)(reader->end - reader->at);
    } while (held < n && held > before);
    return CUZK_OK;
}

/* "found 'x'" in messages */
static void describe(const struct cuzk_json_stream *reader, char text[32])
{
    if (reader->at == reader->end)
        snprintf(text, 32, "the end of the document");
    else if (*reader->at >= 0x20 && *reader->at < 0x7f)
        snprintf(text, 32, "'%c'", *reader->at);
    else
        snprintf(text, 32, "byte 0x%02x", *reader->at);
}

static enum cuzk_status unexpected(const struct cuzk_json_stream *reader, const char *expected,
                                   struct cuzk_error *err)
{
    char found[32];

    describe(reader, found);
    return cuzk_json_stream_fail(reader, err, "expected %s, found %s", expected, found);
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Skips white space; afterwards CUZK_JSON_STREAM_LOOKAHEAD bytes are in the window, as far as the document
 * goes. */
static enum cuzk_status skip_space(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    for (;;) {
        CUZK_TRY(need(reader, CUZK_JSON_STREAM_LOOKAHEAD, err));
        if (reader->at == reader->end || !is_space(*reader->at))
            return CUZK_OK;
        while (reader->at < reader->end && is_space(*reader->at))
            reader->at++;
    }
}

static enum cuzk_status take(struct cuzk_json_stream *reader, uint8_t byte, const char *expected,
                             struct cuzk_error *err)
{
    CUZK_TRY(skip_space(reader, err));
    if (reader->at == reader->end || *reader->at != byte)
        return unexpected(reader, expected, err);
    reader->at++;
    return CUZK_OK;
}

enum cuzk_status cuzk_json_stream_peek(struct cuzk_json_stream *reader, uint8_t *byte, struct cuzk_error *err)
{
    CUZK_TRY(skip_space(reader, err));
    if (reader->at == reader->end)
        return unexpected(reader, "a value", err);
    *byte = *reader->at;
    return CUZK_OK;
}

/* ---- strings ---- */

static void keep(struct cuzk_json_stream *reader, uint8_t byte)
{
    if (reader->name_length < CUZK_JSON_STREAM_NAME)
        reader->name[reader->name_length] = (char)byte;
    reader->name_length++;
}

/* Number of bytes before the first that is special in a string: control, quote, backslash or above ASCII.
 * Eight at a time. */
static size_t plain_run(const uint8_t *p, const uint8_t *stop)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    const uint8_t *const begin = p;

    for (; stop - p >= 8; p += 8) {
        uint64_t v;
        memcpy(&v, p, sizeof v);
        const uint64_t quote = v ^ ones * '"', backslash = v ^ ones * '\\';
        /* a borrow reaches a byte's top bit where it is too small; false alarms only behind a true one */
        if (((v | (v - ones * 0x20) | (quote - ones) | (backslash - ones)) & tops) != 0)
            break;
    }
    while (p < stop && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return (size_t)(p - begin);
}

static void keep_run(struct cuzk_json_stream *reader, size_t n)
{
    if (reader->name_length < CUZK_JSON_STREAM_NAME) {
        const size_t room = CUZK_JSON_STREAM_NAME - reader->name_length;
        memcpy(reader->name + reader->name_length, reader->at, n < room ? n : room);
    }
    reader->name_length += n;
    reader->at += n;
}

static void keep_code_point(struct cuzk_json_stream *reader, uint32_t c)
{
    if (c < 0x80) {
        keep(reader, (uint8_t)c);
    } else if (c < 0x800) {
        keep(reader, (uint8_t)(0xc0 | c >> 6));
        keep(reader, (uint8_t)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        keep(reader, (uint8_t)(0xe0 | c >> 12));
        keep(reader, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        keep(reader, (uint8_t)(0x80 | (c & 0x3f)));
    } else {
        keep(reader, (uint8_t)(0xf0 | c >> 18));
        keep(reader, (uint8_t)(0x80 | (c >> 12 & 0x3f)));
        keep(reader, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        keep(reader, (uint8_t)(0x80 | (c & 0x3f)));
    }
}

static enum cuzk_status hex4(struct cuzk_json_stream *reader, uint32_t *value, struct cuzk_error *err)
{
    *value = 0;
    for (int i = 0; i < 4; i++, reader->at++) {
        const int c = reader->at < reader->end ? *reader->at : -1;
        uint32_t digit;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (uint32_t)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = (uint32_t)(c - 'A' + 10);
        else
            return unexpected(reader, "four hex digits after \\u", err);
        *value = *value << 4 | digit;
    }
    return CUZK_OK;
}

/* behind a backslash */
static enum cuzk_status escape(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t c, low;

    if (reader->at == reader->end)
        return unexpected(reader, "an escape", err);
    const uint8_t kind = *reader->at;
    if (kind == 'u') {
        reader->at++;
        CUZK_TRY(hex4(reader, &c, err));
        if (c >= 0xdc00 && c < 0xe000)
            return cuzk_json_stream_fail(reader, err, "a low surrogate without its high one");
        if (c >= 0xd800 && c < 0xdc00) {
            if (reader->end - reader->at < 2 || reader->at[0] != '\\' || reader->at[1] != 'u')
                return unexpected(reader, "\\u and a low surrogate", err);
            reader->at += 2;
            CUZK_TRY(hex4(reader, &low, err));
            if (low < 0xdc00 || low >= 0xe000)
                return cuzk_json_stream_fail(reader, err, "a high surrogate without its low one");
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
        keep_code_point(reader, c);
        return CUZK_OK;
    }
    const char *found = kind != 0 ? strchr(from, kind) : NULL;
    if (found == NULL)
        return unexpected(reader, "an escape", err);
    keep(reader, (uint8_t)to[found - from]);
    reader->at++;
    return CUZK_OK;
}

/* One character of two to four bytes: UTF-8 with no overlong form, surrogate or value past U+10FFFF. */
static enum cuzk_status utf8(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    const uint8_t *p = reader->at;
    const size_t room = (size_t)(reader->end - p);
    const uint8_t c = p[0];
    size_t n = 0;

    if (c >= 0xc2 && c < 0xe0)
        n = 2;
    else if (c >= 0xe0 && c < 0xf0)
        n = 3;
    else if (c >= 0xf0 && c < 0xf5)
        n = 4;
    bool good = n != 0 && room >= n;
    for (size_t i = 1; good && i < n; i++)
        good = (p[i] & 0xc0) == 0x80;
    if (good && ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] >= 0xa0) || (c == 0xf0 && p[1] < 0x90) ||
                 (c == 0xf4 && p[1] >= 0x90)))
        good = false;
    if (!good)
        return cuzk_json_stream_fail(reader, err, "byte 0x%02x begins no UTF-8 character", c);
    for (size_t i = 0; i < n; i++)
        keep(reader, p[i]);
    reader->at += n;
    return CUZK_OK;
}

enum cuzk_status cuzk_json_stream_string(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    CUZK_TRY(take(reader, '"', "a string", err));
    reader->name_length = 0;
    for (;;) {
        CUZK_TRY(need(reader, CUZK_JSON_STREAM_LOOKAHEAD, err)); /* the longest character is 12 bytes */
        if (reader->at == reader->end)
            return unexpected(reader, "the closing quote of a string", err);
        const uint8_t *stop = reader->end;
        if (reader->refill != NULL && stop - reader->at > CUZK_JSON_STREAM_LOOKAHEAD)
            stop -= 16; /* so that no character is cut by the window */
        while (reader->at < stop) {
            keep_run(reader, plain_run(reader->at, stop));
            if (reader->at == stop)
                break;
            const uint8_t c = *reader->at;
            if (c == '"') {
                reader->at++;
                return CUZK_OK;
            }
            if (c == '\\') {
                reader->at++;
                CUZK_TRY(escape(reader, err));
            } else if (c < 0x20) {
                return unexpected(reader, "no control character in a string", err);
            } else {
                CUZK_TRY(utf8(reader, err));
            }
        }
    }
}

bool cuzk_json_stream_name_is(const struct cuzk_json_stream *reader, const char *text)
{
    const size_t n = strlen(text);
    return reader->name_length == n && n <= CUZK_JSON_STREAM_NAME && memcmp(reader->name, text, n) == 0;
}

/* ---- objects and arrays ---- */

enum cuzk_status cuzk_json_stream_object_begin(struct cuzk_json_stream *reader, const char *const *names,
                                               unsigned count, uint32_t optional,
                                               struct cuzk_json_stream_object *object, struct cuzk_error *err)
{
    *object = (struct cuzk_json_stream_object){names, count, optional, 0, true};
    return take(reader, '{', "an object", err);
}

/* What was read into reader->name, fit for a message: printable characters only. */
static void printable(const struct cuzk_json_stream *reader, char text[CUZK_JSON_STREAM_NAME + 1])
{
    const size_t n =
        reader->name_length < CUZK_JSON_STREAM_NAME ? reader->name_length : CUZK_JSON_STREAM_NAME;

    for (size_t i = 0; i < n; i++)
        text[i] = reader->name[i] >= 0x20 && reader->name[i] < 0x7f ? reader->name[i] : '?';
    text[n] = '\0';
}

static enum cuzk_status skip_unknown(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    char name[CUZK_JSON_STREAM_NAME + 1], message[CUZK_JSON_STREAM_NAME + 128];

    if (reader->warnings.warn != NULL && reader->warned < CUZK_JSON_STREAM_WARNINGS) {
        const bool last = ++reader->warned == CUZK_JSON_STREAM_WARNINGS;
        printable(reader, name);
        snprintf(message, sizeof message, "unknown member \"%s\" is skipped%s (%s offset %llu)", name,
                 last ? ", as are all that follow" : "", reader->document,
                 (unsigned long long)cuzk_json_stream_offset(reader));
        reader->warnings.warn(reader->warnings.context, message);
    }
    return cuzk_json_stream_skip(reader, err);
}

static enum cuzk_status finish_object(struct cuzk_json_stream *reader,
                                      const struct cuzk_json_stream_object *object, struct cuzk_error *err)
{
    for (unsigned i = 0; i < object->count; i++)
        if (!((object->seen | object->optional) >> i & 1))
            return cuzk_json_stream_fail(reader, err, "member \"%s\" is missing", object->names[i]);
    reader->at++;
    return CUZK_OK;
}

enum cuzk_status cuzk_json_stream_object_next(struct cuzk_json_stream *reader,
                                              struct cuzk_json_stream_object *object, int *member,
                                              struct cuzk_error *err)
{
    for (;;) {
        CUZK_TRY(skip_space(reader, err));
        if (reader->at < reader->end && *reader->at == '}') {
            *member = -1;
            return finish_object(reader, object, err);
        }
        if (!object->first)
            CUZK_TRY(take(reader, ',', "',' or '}' in an object", err));
        object->first = false;
        CUZK_TRY(cuzk_json_stream_string(reader, err));
        CUZK_TRY(take(reader, ':', "':' behind a member name", err));
        for (unsigned i = 0; i < object->count; i++) {
            if (!cuzk_json_stream_name_is(reader, object->names[i]))
                continue;
            if (object->seen >> i & 1)
                return cuzk_json_stream_fail(reader, err, "member \"%s\" occurs twice", object->names[i]);
            object->seen |= UINT32_C(1) << i;
            *member = (int)i;
            return CUZK_OK;
        }
        CUZK_TRY(skip_unknown(reader, err));
    }
}

enum cuzk_status cuzk_json_stream_variant_begin(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    CUZK_TRY(take(reader, '{', "an object of one member", err));
    CUZK_TRY(cuzk_json_stream_string(reader, err));
    return take(reader, ':', "':' behind a member name", err);
}

enum cuzk_status cuzk_json_stream_variant_end(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    return take(reader, '}', "the end of an object of one member", err);
}

enum cuzk_status cuzk_json_stream_array_begin(struct cuzk_json_stream *reader, bool *first,
                                              struct cuzk_error *err)
{
    *first = true;
    return take(reader, '[', "an array", err);
}

enum cuzk_status cuzk_json_stream_array_next(struct cuzk_json_stream *reader, bool *first, bool *more,
                                             struct cuzk_error *err)
{
    CUZK_TRY(skip_space(reader, err));
    if (reader->at < reader->end && *reader->at == ']') {
        reader->at++;
        *more = false;
        return CUZK_OK;
    }
    if (!*first)
        CUZK_TRY(take(reader, ',', "',' or ']' in an array", err));
    *first = false;
    *more = true;
    return CUZK_OK;
}

/* ---- numbers ---- */

enum cuzk_status cuzk_json_stream_u64(struct cuzk_json_stream *reader, uint64_t most, uint64_t *value,
                                      struct cuzk_error *err)
{
    uint64_t v = 0;

    CUZK_TRY(skip_space(reader, err));
    const uint8_t *p = reader->at;
    const uint8_t *const begin = p;
    for (; p < reader->end && *p >= '0' && *p <= '9'; p++) {
        const uint64_t digit = *p - '0';
        if (digit > most || v > (most - digit) / 10)
            return cuzk_json_stream_fail(reader, err, "a number above %llu", (unsigned long long)most);
        v = v * 10 + digit;
    }
    if (p == begin)
        return unexpected(reader, "a whole number", err);
    if (p - begin > 1 && *begin == '0')
        return cuzk_json_stream_fail(reader, err, "a number with a leading zero");
    if (p < reader->end && (*p == '.' || *p == 'e' || *p == 'E'))
        return cuzk_json_stream_fail(reader, err,
                                     "a number with a fraction or exponent where a whole one is expected");
    reader->at = p;
    *value = v;
    return CUZK_OK;
}

/* The common case, no white space: numbers of one to three digits, found by a mask over four bytes. false
 * where anything is unusual; nothing is taken then. */
static bool bytes32_fast(struct cuzk_json_stream *reader, uint8_t bytes[32])
{
    enum { LONGEST = 1 + 32 * 5 + 4 };
    /* by number of digits: least value, and greatest less least (none for 0 and 4 digits) */
    static const uint32_t least[5] = {1 << 30, 0, 10, 100, 1 << 30}, span[5] = {0, 9, 89, 155, 0};
    const uint8_t *p = reader->at;
    uint32_t bad = 0;

    if (reader->end - p < LONGEST || *p != '[')
        return false;
    p++;
    for (int i = 0; i < 32; i++) {
        uint32_t text;
        memcpy(&text, p, sizeof text);
        const uint32_t digits = text ^ 0x30303030; /* 0..9 where there is a digit */
        const uint32_t others = ((digits + 0x76767676) | digits) & 0x80808080;
        const unsigned n = others != 0 ? (unsigned)__builtin_ctz(others) / 8 : 4;
        const uint32_t aligned = (uint32_t)((uint64_t)digits << (32 - 8 * n)); /* units in the top byte */
        const uint32_t v = (aligned >> 24) + 10 * (aligned >> 16 & 0xff) + 100 * (aligned >> 8 & 0xff);
        bad |= v - least[n] > span[n];
        bad |= p[n] ^ (i < 31 ? ',' : ']');
        bytes[i] = (uint8_t)v;
        p += n + 1;
    }
    if (bad != 0)
        return false;
    reader->at = p;
    return true;
}

enum cuzk_status cuzk_json_stream_bytes32(struct cuzk_json_stream *reader, uint8_t bytes[32],
                                          struct cuzk_error *err)
{
    bool first = true, more = false;
    uint64_t v = 0;

    CUZK_TRY(skip_space(reader, err));
    if (bytes32_fast(reader, bytes))
        return CUZK_OK;
    CUZK_TRY(cuzk_json_stream_array_begin(reader, &first, err));
    for (int i = 0;; i++) {
        CUZK_TRY(cuzk_json_stream_array_next(reader, &first, &more, err));
        if (!more) {
            if (i != 32)
                return cuzk_json_stream_fail(reader, err, "%d numbers where 32 are expected", i);
            return CUZK_OK;
        }
        if (i == 32)
            return cuzk_json_stream_fail(reader, err, "more numbers than the 32 expected");
        CUZK_TRY(cuzk_json_stream_u64(reader, 255, &v, err));
        bytes[i] = (uint8_t)v;
    }
}

enum cuzk_status cuzk_json_stream_element(struct cuzk_json_stream *reader, struct cuzk_fr *value,
                                          struct cuzk_error *err)
{
    uint8_t bytes[32];

    CUZK_TRY(cuzk_json_stream_bytes32(reader, bytes, err));
    if (!cuzk_fr_from_bytes(bytes, value))
        return cuzk_json_stream_fail(reader, err, "a value that is not below the field's modulus");
    return CUZK_OK;
}

/* ---- skipping ---- */

static enum cuzk_status word(struct cuzk_json_stream *reader, const char *text, struct cuzk_error *err)
{
    const size_t n = strlen(text);

    CUZK_TRY(skip_space(reader, err));
    if ((size_t)(reader->end - reader->at) < n || memcmp(reader->at, text, n) != 0)
        return unexpected(reader, text, err);
    reader->at += n;
    return CUZK_OK;
}

enum cuzk_status cuzk_json_stream_null(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    return word(reader, "null", err);
}

static enum cuzk_status skip_digits(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    bool any = false;

    for (;; any = true, reader->at++) {
        CUZK_TRY(need(reader, 2, err));
        if (reader->at == reader->end || *reader->at < '0' || *reader->at > '9')
            return any ? CUZK_OK : unexpected(reader, "a digit", err);
    }
}

static bool next_is(const struct cuzk_json_stream *reader, const char *any_of)
{
    return reader->at < reader->end && *reader->at != 0 && strchr(any_of, *reader->at) != NULL;
}

static enum cuzk_status skip_number(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    if (next_is(reader, "-"))
        reader->at++;
    if (next_is(reader, "0"))
        reader->at++;
    else
        CUZK_TRY(skip_digits(reader, err));
    CUZK_TRY(need(reader, 4, err));
    if (next_is(reader, ".")) {
        reader->at++;
        CUZK_TRY(skip_digits(reader, err));
    }
    CUZK_TRY(need(reader, 4, err));
    if (next_is(reader, "eE")) {
        reader->at++;
        if (next_is(reader, "+-"))
            reader->at++;
        CUZK_TRY(skip_digits(reader, err));
    }
    return CUZK_OK;
}

static enum cuzk_status skip_name(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_json_stream_string(reader, err));
    return take(reader, ':', "':' behind a member name", err);
}

enum cuzk_status cuzk_json_stream_skip(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    uint64_t is_object[CUZK_JSON_STREAM_DEPTH / 64] = {0};
    unsigned depth = 0;

    for (;;) {
        /* a value */
        uint8_t c = 0;
        CUZK_TRY(cuzk_json_stream_peek(reader, &c, err));
        bool opened = false;
        if (c == '{' || c == '[') {
            if (depth == CUZK_JSON_STREAM_DEPTH)
                return cuzk_json_stream_fail(reader, err, "nesting deeper than %d", CUZK_JSON_STREAM_DEPTH);
            reader->at++;
            is_object[depth / 64] &= ~(UINT64_C(1) << depth % 64);
            is_object[depth / 64] |= (uint64_t)(c == '{') << depth % 64;
            depth++;
            opened = true;
        } else if (c == '"') {
            CUZK_TRY(cuzk_json_stream_string(reader, err));
        } else if (c == 't') {
            CUZK_TRY(word(reader, "true", err));
        } else if (c == 'f') {
            CUZK_TRY(word(reader, "false", err));
        } else if (c == 'n') {
            CUZK_TRY(word(reader, "null", err));
        } else {
            CUZK_TRY(skip_number(reader, err));
        }
        /* closing brackets, then the next value of what is still open */
        for (;; opened = false) {
            if (depth == 0)
                return CUZK_OK;
            const bool object = is_object[(depth - 1) / 64] >> (depth - 1) % 64 & 1;
            CUZK_TRY(skip_space(reader, err));
            if (reader->at < reader->end && *reader->at == (object ? '}' : ']')) {
                reader->at++;
                depth--;
                continue;
            }
            if (!opened)
                CUZK_TRY(take(reader, ',', object ? "',' or '}'" : "',' or ']'", err));
            if (object)
                CUZK_TRY(skip_name(reader, err));
            break;
        }
    }
}

enum cuzk_status cuzk_json_stream_end(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    CUZK_TRY(skip_space(reader, err));
    if (reader->at != reader->end)
        return unexpected(reader, "nothing more", err);
    return CUZK_OK;
}
