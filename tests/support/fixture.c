#include "support/fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>
#include <zstd.h>

const char *fixture_root(void)
{
    const char *root = getenv("CUZK_FIXTURES");
    return root != NULL ? root : "tests/fixtures";
}

static uint8_t *decompress(const char *path, const uint8_t *data, size_t size, size_t *length)
{
    size_t room = 1 << 20, used = 0;
    uint8_t *out = malloc(room + 1);
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {data, size, 0};

    while (in.pos < in.size) {
        ZSTD_outBuffer part = {out + used, room - used, 0};
        const size_t result = ZSTD_decompressStream(stream, &part, &in);
        if (ZSTD_isError(result))
            fail_msg("fixture %s: %s", path, ZSTD_getErrorName(result));
        used += part.pos;
        if (used == room) {
            room *= 2;
            out = realloc(out, room + 1);
        } else if (result == 0) {
            break;
        }
    }
    ZSTD_freeDStream(stream);
    out[used] = 0;
    *length = used;
    return out;
}

uint8_t *fixture_read(size_t *length, const char *path, ...)
{
    char name[512], full[1024];
    va_list args;

    va_start(args, path);
    vsnprintf(name, sizeof name, path, args);
    va_end(args);
    snprintf(full, sizeof full, "%s/%s", fixture_root(), name);
    FILE *file = fopen(full, "rb");
    if (file == NULL)
        fail_msg("fixture %s cannot be opened", full);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size + 1);
    if (fread(data, 1, size, file) != size)
        fail_msg("fixture %s cannot be read", full);
    fclose(file);
    data[size] = 0;
    const size_t n = strlen(name);
    if (n > 4 && strcmp(name + n - 4, ".zst") == 0) {
        uint8_t *plain = decompress(full, data, size, length);
        free(data);
        return plain;
    }
    *length = size;
    return data;
}

char *fixture_line(char **cursor)
{
    char *start = *cursor;

    if (start == NULL || *start == '\0')
        return NULL;
    char *end = strchr(start, '\n');
    if (end != NULL) {
        *end = '\0';
        *cursor = end + 1;
    } else {
        *cursor = start + strlen(start);
    }
    return start;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    fail_msg("fixture: '%c' is not a hex digit", c);
    return 0;
}

static void hex_slice(const char *hex, size_t length, uint8_t *bytes, size_t n)
{
    if (length != 2 * n)
        fail_msg("fixture: %zu hex digits where %zu are expected", length, 2 * n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
}

void fixture_hex(const char *hex, uint8_t *bytes, size_t n)
{
    hex_slice(hex, strlen(hex), bytes, n);
}

static const char *skip_space(const char *s)
{
    while (*s == ' ' || *s == '\n' || *s == '\t' || *s == '\r')
        s++;
    return s;
}

/* End of the value that starts at s. */
static const char *value_end(const char *s)
{
    if (*s == '"') {
        for (s++; *s != '"'; s++)
            if (*s == '\\')
                s++;
        return s + 1;
    }
    if (*s == '{' || *s == '[') {
        int depth = 0;
        for (;; s++) {
            if (*s == '"') {
                s = value_end(s) - 1;
            } else if (*s == '{' || *s == '[') {
                depth++;
            } else if (*s == '}' || *s == ']') {
                if (--depth == 0)
                    return s + 1;
            } else if (*s == '\0') {
                fail_msg("fixture: unbalanced JSON");
            }
        }
    }
    while (*s != '\0' && strchr(",]} \n\t\r", *s) == NULL)
        s++;
    return s;
}

struct fixture_json fixture_json_parse(const char *text)
{
    const char *start = skip_space(text);
    return (struct fixture_json){start, (size_t)(value_end(start) - start)};
}

struct fixture_json fixture_json_get(struct fixture_json object, const char *name)
{
    const struct fixture_json none = {NULL, 0};
    const size_t n = strlen(name);

    if (object.text == NULL || *object.text != '{')
        return none;
    const char *s = skip_space(object.text + 1);
    while (*s == '"') {
        const char *key = s + 1;
        s = value_end(s);
        const size_t key_length = (size_t)(s - key) - 1;
        s = skip_space(s); /* ':' */
        const struct fixture_json value = fixture_json_parse(s + 1);
        if (key_length == n && memcmp(key, name, n) == 0)
            return value;
        s = skip_space(value.text + value.length);
        if (*s == ',')
            s = skip_space(s + 1);
    }
    return none;
}

int fixture_json_next(struct fixture_json array, struct fixture_json *element)
{
    const char *s;

    if (array.text == NULL || *array.text != '[')
        fail_msg("fixture: not an array");
    if (element->text == NULL) {
        s = skip_space(array.text + 1);
        if (*s == ']')
            return 0;
    } else {
        s = skip_space(element->text + element->length);
        if (*s != ',')
            return 0;
        s++;
    }
    *element = fixture_json_parse(s);
    return 1;
}

size_t fixture_json_count(struct fixture_json array)
{
    struct fixture_json element = {NULL, 0};
    size_t n = 0;

    while (fixture_json_next(array, &element))
        n++;
    return n;
}

struct fixture_json fixture_json_at(struct fixture_json array, size_t index)
{
    struct fixture_json element = {NULL, 0};

    for (size_t i = 0; i <= index; i++)
        if (!fixture_json_next(array, &element))
            fail_msg("fixture: array has no element %zu", index);
    return element;
}

char *fixture_json_string(struct fixture_json value)
{
    if (value.text == NULL || *value.text != '"')
        fail_msg("fixture: not a string");
    return strndup(value.text + 1, value.length - 2);
}

uint64_t fixture_json_u64(struct fixture_json value)
{
    if (value.text == NULL)
        fail_msg("fixture: number is missing");
    return strtoull(value.text + (*value.text == '"'), NULL, 10);
}

int fixture_json_is_null(struct fixture_json value)
{
    return value.text == NULL || strncmp(value.text, "null", 4) == 0;
}

int fixture_json_bool(struct fixture_json value)
{
    return value.text != NULL && strncmp(value.text, "true", 4) == 0;
}

void fixture_json_hex(struct fixture_json value, uint8_t *bytes, size_t n)
{
    if (value.text == NULL || *value.text != '"')
        fail_msg("fixture: not a hex string");
    hex_slice(value.text + 1, value.length - 2, bytes, n);
}

uint8_t *fixture_json_hex_any(struct fixture_json value, size_t *n)
{
    if (value.text == NULL || *value.text != '"')
        fail_msg("fixture: not a hex string");
    *n = (value.length - 2) / 2;
    uint8_t *bytes = malloc(*n + 1);
    hex_slice(value.text + 1, value.length - 2, bytes, *n);
    return bytes;
}
