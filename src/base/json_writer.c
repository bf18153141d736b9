#include "base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void cuzk_json_write_init(struct cuzk_json_writer *json, struct cuzk_sink sink, bool pretty,
                          struct cuzk_error *err)
{
    *json = (struct cuzk_json_writer){.sink = sink, .pretty = pretty, .err = err};
}

static void put(struct cuzk_json_writer *json, const char *text, size_t n)
{
    if (json->status == CUZK_OK)
        json->status = json->sink.write(json->sink.context, text, n, json->err);
}

static void fail(struct cuzk_json_writer *json, const char *why)
{
    if (json->status == CUZK_OK)
        json->status = cuzk_error_set(json->err, CUZK_INTERNAL, "JSON writer: %s", why);
}

static void new_line(struct cuzk_json_writer *json)
{
    static const char blanks[] = "                                ";

    if (!json->pretty)
        return;
    put(json, "\n", 1);
    for (unsigned left = 2 * json->depth; left > 0;) {
        const unsigned n = left < sizeof blanks - 1 ? left : (unsigned)sizeof blanks - 1;

        put(json, blanks, n);
        left -= n;
    }
}

/* What stands before a value or a key: nothing after a key, else a comma where one is due. */
static void before_element(struct cuzk_json_writer *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    if (json->filled[json->depth - 1])
        put(json, ",", 1);
    json->filled[json->depth - 1] = true;
    new_line(json);
}

static void open_container(struct cuzk_json_writer *json, const char *bracket)
{
    before_element(json);
    if (json->depth == CUZK_JSON_DEPTH) {
        fail(json, "nested too deeply");
        return;
    }
    put(json, bracket, 1);
    json->filled[json->depth++] = false;
}

static void close_container(struct cuzk_json_writer *json, const char *bracket)
{
    if (json->depth == 0) {
        fail(json, "closed more than was opened");
        return;
    }
    json->depth--;
    if (json->filled[json->depth])
        new_line(json);
    put(json, bracket, 1);
}

void cuzk_json_write_object_begin(struct cuzk_json_writer *json)
{
    open_container(json, "{");
}

void cuzk_json_write_object_end(struct cuzk_json_writer *json)
{
    close_container(json, "}");
}

void cuzk_json_write_array_begin(struct cuzk_json_writer *json)
{
    open_container(json, "[");
}

void cuzk_json_write_array_end(struct cuzk_json_writer *json)
{
    close_container(json, "]");
}

static void put_string(struct cuzk_json_writer *json, const char *text, size_t n)
{
    size_t clean = 0; /* start of what was not written yet */

    put(json, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        char escape[8];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        put(json, text + clean, i - clean);
        clean = i + 1;
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c == '\n')
            strcpy(escape, "\\n");
        else if (c == '\t')
            strcpy(escape, "\\t");
        else
            snprintf(escape, sizeof escape, "\\u%04x", c);
        put(json, escape, strlen(escape));
    }
    put(json, text + clean, n - clean);
    put(json, "\"", 1);
}

void cuzk_json_write_key(struct cuzk_json_writer *json, const char *key)
{
    before_element(json);
    put_string(json, key, strlen(key));
    put(json, json->pretty ? ": " : ":", json->pretty ? 2 : 1);
    json->after_key = true;
}

void cuzk_json_write_string_n(struct cuzk_json_writer *json, const char *text, size_t n)
{
    before_element(json);
    put_string(json, text, n);
}

void cuzk_json_write_string(struct cuzk_json_writer *json, const char *text)
{
    if (text == NULL)
        cuzk_json_write_null(json);
    else
        cuzk_json_write_string_n(json, text, strlen(text));
}

static void put_word(struct cuzk_json_writer *json, const char *word)
{
    before_element(json);
    put(json, word, strlen(word));
}

void cuzk_json_write_u64(struct cuzk_json_writer *json, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    put_word(json, text);
}

void cuzk_json_write_i64(struct cuzk_json_writer *json, int64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, value);
    put_word(json, text);
}

void cuzk_json_write_double(struct cuzk_json_writer *json, double value, int decimals)
{
    char text[400];

    if (!isfinite(value)) {
        cuzk_json_write_null(json);
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals < 17 ? decimals : 17, value);
    put_word(json, text);
}

void cuzk_json_write_bool(struct cuzk_json_writer *json, bool value)
{
    put_word(json, value ? "true" : "false");
}

void cuzk_json_write_null(struct cuzk_json_writer *json)
{
    put_word(json, "null");
}

void cuzk_json_write_hex(struct cuzk_json_writer *json, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char text[128];
    size_t used = 0;

    before_element(json);
    put(json, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        text[used++] = digits[bytes[i] >> 4];
        text[used++] = digits[bytes[i] & 15];
        if (used == sizeof text) {
            put(json, text, used);
            used = 0;
        }
    }
    put(json, text, used);
    put(json, "\"", 1);
}

void cuzk_json_write_bytes(struct cuzk_json_writer *json, const uint8_t *bytes, size_t n)
{
    char text[256];
    size_t used = 0;

    before_element(json);
    text[used++] = '[';
    for (size_t i = 0; i < n; i++) {
        if (used > sizeof text - 8) {
            put(json, text, used);
            used = 0;
        }
        if (i > 0)
            text[used++] = ',';
        if (bytes[i] >= 100)
            text[used++] = (char)('0' + bytes[i] / 100);
        if (bytes[i] >= 10)
            text[used++] = (char)('0' + bytes[i] / 10 % 10);
        text[used++] = (char)('0' + bytes[i] % 10);
    }
    text[used++] = ']';
    put(json, text, used);
}

void cuzk_json_write_member_string(struct cuzk_json_writer *json, const char *key, const char *text)
{
    cuzk_json_write_key(json, key);
    cuzk_json_write_string(json, text);
}

void cuzk_json_write_member_u64(struct cuzk_json_writer *json, const char *key, uint64_t value)
{
    cuzk_json_write_key(json, key);
    cuzk_json_write_u64(json, value);
}

void cuzk_json_write_member_double(struct cuzk_json_writer *json, const char *key, double value, int decimals)
{
    cuzk_json_write_key(json, key);
    cuzk_json_write_double(json, value, decimals);
}

void cuzk_json_write_member_bool(struct cuzk_json_writer *json, const char *key, bool value)
{
    cuzk_json_write_key(json, key);
    cuzk_json_write_bool(json, value);
}

void cuzk_json_write_member_hex(struct cuzk_json_writer *json, const char *key, const uint8_t *bytes,
                                size_t n)
{
    cuzk_json_write_key(json, key);
    cuzk_json_write_hex(json, bytes, n);
}

enum cuzk_status cuzk_json_write_finish(struct cuzk_json_writer *json)
{
    if (json->depth != 0 || json->after_key)
        fail(json, "the document is not complete");
    return json->status;
}
