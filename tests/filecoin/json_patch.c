#include "filecoin/json_patch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct buffer {
    uint8_t *bytes;
    size_t used, room;
};

static void put(struct buffer *b, const void *bytes, size_t n)
{
    if (n > SIZE_MAX / 4)
        abort();
    if (b->used + n + 1 > b->room) {
        b->room = 2 * (b->used + n + 1);
        uint8_t *more = realloc(b->bytes, b->room);
        assert_non_null(more);
        b->bytes = more;
    }
    if (n > 0)
        memcpy(b->bytes + b->used, bytes, n);
    b->used += n;
    b->bytes[b->used] = 0;
}

static void put_text(struct buffer *b, const char *text)
{
    put(b, text, strlen(text));
}

/* text with [from, to) replaced */
static struct buffer splice(const uint8_t *text, size_t length, const char *from, const char *to,
                            const void *with, size_t n)
{
    struct buffer b = {0};
    const size_t begin = (size_t)((const uint8_t *)from - text), end = (size_t)((const uint8_t *)to - text);

    put(&b, text, begin);
    put(&b, with, n);
    put(&b, text + end, length - end);
    return b;
}

static struct fixture_json walk(struct fixture_json value, struct fixture_json path)
{
    struct fixture_json step = {0};

    while (fixture_json_next(path, &step)) {
        if (*step.text == '"') {
            char *name = fixture_json_string(step);
            value = fixture_json_get(value, name);
            free(name);
        } else {
            value = fixture_json_at(value, (size_t)fixture_json_u64(step));
        }
        if (value.text == NULL)
            fail_msg("malformed: no such path");
    }
    return value;
}

static struct fixture_json last_of(struct fixture_json array, size_t *count)
{
    struct fixture_json element = {0}, last = {0};

    *count = 0;
    while (fixture_json_next(array, &element)) {
        last = element;
        (*count)++;
    }
    return last;
}

/* Python's json.dumps(indent=2) of a compact value */
static void pretty(struct buffer *b, const char **at, int depth)
{
    const char open = **at;

    if (open != '{' && open != '[') {
        const struct fixture_json scalar = fixture_json_parse(*at);
        put(b, scalar.text, scalar.length);
        *at += scalar.length;
        return;
    }
    const char close = open == '{' ? '}' : ']';
    put(b, (*at)++, 1);
    if (**at == close) {
        put(b, (*at)++, 1);
        return;
    }
    for (;;) {
        put_text(b, "\n");
        for (int i = 0; i < depth + 1; i++)
            put_text(b, "  ");
        if (open == '{') {
            const struct fixture_json key = fixture_json_parse(*at);
            put(b, key.text, key.length);
            put_text(b, ": ");
            *at += key.length + 1;
        }
        pretty(b, at, depth + 1);
        if (*(*at)++ == close)
            break;
        put_text(b, ",");
    }
    put_text(b, "\n");
    for (int i = 0; i < depth; i++)
        put_text(b, "  ");
    put(b, &close, 1);
}

static void reverse_keys(struct buffer *b, const char *text)
{
    const char *starts[32], *ends[32];
    size_t n = 0;

    for (const char *at = text + 1; at[-1] != '}';) {
        const struct fixture_json key = fixture_json_parse(at);
        const struct fixture_json value = fixture_json_parse(key.text + key.length + 1);
        starts[n] = key.text;
        ends[n++] = value.text + value.length;
        at = value.text + value.length + 1;
    }
    put_text(b, "{");
    while (n-- > 0) {
        put(b, starts[n], (size_t)(ends[n] - starts[n]));
        put_text(b, n > 0 ? "," : "}");
    }
}

static int is(struct fixture_json op, const char *name)
{
    char *kind = fixture_json_string(fixture_json_get(op, "op"));
    const int same = strcmp(kind, name) == 0;

    free(kind);
    return same;
}

static struct buffer bytes_op(const uint8_t *text, size_t length, struct fixture_json op)
{
    struct buffer b = {0};
    const struct fixture_json offset = fixture_json_get(op, "offset");
    const size_t at = offset.text != NULL ? (size_t)fixture_json_u64(offset) : 0;
    size_t n = 0;
    uint8_t *hex = NULL;

    if (fixture_json_get(op, "hex").text != NULL)
        hex = fixture_json_hex_any(fixture_json_get(op, "hex"), &n);
    if (is(op, "prepend")) {
        const struct fixture_json times = fixture_json_get(op, "times");
        for (uint64_t i = times.text != NULL ? fixture_json_u64(times) : 1; i > 0; i--)
            put(&b, hex, n);
    }
    put(&b, text, is(op, "truncate") ? (size_t)fixture_json_u64(fixture_json_get(op, "length")) : length);
    if (is(op, "append"))
        put(&b, hex, n);
    if (is(op, "set-byte"))
        b.bytes[at] = (uint8_t)fixture_json_u64(fixture_json_get(op, "value"));
    if (is(op, "xor-byte"))
        b.bytes[at] ^= (uint8_t)fixture_json_u64(fixture_json_get(op, "value"));
    if (is(op, "set-bytes"))
        memcpy(b.bytes + at, hex, n);
    free(hex);
    return b;
}

/* A string member with its \" and \\ escapes (and \u005c) decoded. */
static char *plain(struct fixture_json value)
{
    char *out = malloc(value.length + 1);
    size_t n = 0;

    for (size_t i = 1; i + 1 < value.length; i++) {
        if (value.text[i] == '\\')
            i++;
        out[n++] = value.text[i];
    }
    out[n] = '\0';
    return out;
}

static struct buffer text_op(const uint8_t *text, size_t length, struct fixture_json op)
{
    struct buffer b = {0};

    if (is(op, "replace-string")) {
        char *find = plain(fixture_json_get(op, "find")), *with = plain(fixture_json_get(op, "with"));
        char *found = strstr((const char *)text, find);
        assert_non_null(found);
        b = splice(text, length, found, found + strlen(find), with, strlen(with));
        free(find);
        free(with);
    } else if (is(op, "insert-key-nested")) {
        const uint64_t depth = fixture_json_u64(fixture_json_get(op, "depth"));
        const size_t brace = (size_t)((const uint8_t *)strchr((const char *)text, '{') - text) + 1;
        put(&b, text, brace);
        put_text(&b, "\"x\":");
        for (uint64_t i = 0; i < depth; i++)
            put_text(&b, "[");
        for (uint64_t i = 0; i < depth; i++)
            put_text(&b, "]");
        put_text(&b, ",");
        put(&b, text + brace, length - brace);
    } else if (is(op, "pretty")) {
        const char *at = (const char *)text;
        pretty(&b, &at, 0);
    } else {
        reverse_keys(&b, (const char *)text);
    }
    return b;
}

static struct buffer swap(const uint8_t *text, size_t length, struct fixture_json a, struct fixture_json b)
{
    struct buffer out = {0};

    if (a.text > b.text) {
        const struct fixture_json t = a;
        a = b;
        b = t;
    }
    const char *begin = (const char *)text;
    put(&out, begin, (size_t)(a.text - begin));
    put(&out, b.text, b.length);
    put(&out, a.text + a.length, (size_t)(b.text - a.text) - a.length);
    put(&out, a.text, a.length);
    put(&out, b.text + b.length, length - (size_t)(b.text + b.length - begin));
    return out;
}

static struct buffer json_op(const uint8_t *text, size_t length, struct fixture_json op)
{
    const struct fixture_json root = fixture_json_parse((const char *)text);
    const struct fixture_json at = walk(root, fixture_json_get(op, "path"));
    const struct fixture_json value = fixture_json_get(op, "value");

    if (is(op, "set"))
        return splice(text, length, at.text, at.text + at.length, value.text, value.length);
    if (is(op, "xor")) {
        char number[32];
        snprintf(number, sizeof number, "%llu",
                 (unsigned long long)(fixture_json_u64(at) ^ fixture_json_u64(value)));
        return splice(text, length, at.text, at.text + at.length, number, strlen(number));
    }
    if (is(op, "delete")) { /* from behind the comma or brace before its name to behind its comma */
        const char *begin = at.text - 2, *end = at.text + at.length;
        while (begin[-1] != '"')
            begin--;
        begin--;
        if (*end == ',')
            end++;
        else if (begin[-1] == ',')
            begin--;
        return splice(text, length, begin, end, "", 0);
    }
    if (is(op, "swap"))
        return swap(text, length, at, walk(root, fixture_json_get(op, "path2")));
    if (is(op, "copy")) {
        const struct fixture_json from = walk(root, fixture_json_get(op, "from"));
        return splice(text, length, at.text, at.text + at.length, from.text, from.length);
    }
    size_t count;
    const struct fixture_json last = last_of(at, &count);
    assert_true(count > 0);
    if (is(op, "pop"))
        return splice(text, length, last.text - (count > 1), last.text + last.length, "", 0);
    assert_true(is(op, "append-copy"));
    struct buffer twice = {0};
    put_text(&twice, ",");
    put(&twice, last.text, last.length);
    struct buffer out =
        splice(text, length, last.text + last.length, last.text + last.length, twice.bytes, twice.used);
    free(twice.bytes);
    return out;
}

uint8_t *json_patch(const uint8_t *text, size_t length, struct fixture_json op, size_t *patched)
{
    static const char *const bytes_ops[] = {"none",     "set-byte", "xor-byte", "set-bytes",
                                            "truncate", "append",   "prepend"};
    static const char *const text_ops[] = {"replace-string", "insert-key-nested", "pretty", "reverse-keys"};
    struct buffer b = {0};
    int done = 0;

    if (is(op, "empty")) {
        put(&b, "", 0);
        done = 1;
    }
    for (size_t i = 0; i < sizeof bytes_ops / sizeof bytes_ops[0] && !done; i++)
        if ((done = is(op, bytes_ops[i])))
            b = bytes_op(text, length, op);
    for (size_t i = 0; i < sizeof text_ops / sizeof text_ops[0] && !done; i++)
        if ((done = is(op, text_ops[i])))
            b = text_op(text, length, op);
    if (!done)
        b = json_op(text, length, op);
    *patched = b.used;
    return b.bytes;
}
