#include "filecoin/base64_source.h"

#include <pthread.h>
#include <string.h>

enum { BAD = 0xff };

/* The value of every character, BAD where it is not of the alphabet. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint8_t values[256];

static void make_values(void)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    memset(values, BAD, sizeof values);
    for (int i = 0; i < 64; i++)
        values[(uint8_t)alphabet[i]] = (uint8_t)i;
}

static enum cuzk_status bad(const struct cuzk_base64_source *source, const uint8_t *at, const char *why,
                            struct cuzk_error *err)
{
    const unsigned long long position = source->offset + (uint64_t)(at - source->begin);

    return cuzk_error_set(err, CUZK_INPUT, "base64: %s (%s offset %llu)", why, source->document, position);
}

/* The common case: whole groups without padding, up to the first that is unusual. Returns the bytes written.
 */
static size_t decode_plain(struct cuzk_base64_source *source, uint8_t *out, size_t room)
{
    size_t groups = (size_t)(source->end - source->text) / 4, n = 0;

    if (groups > 0)
        groups--; /* the last may be padded */
    for (; groups > 0 && room - n >= 4; groups--, n += 3, source->text += 4) {
        const uint8_t *p = source->text;
        const uint8_t a = values[p[0]], b = values[p[1]], c = values[p[2]], d = values[p[3]];
        if ((a | b | c | d) >= 64)
            break;
        const uint32_t group =
            __builtin_bswap32((uint32_t)a << 26 | (uint32_t)b << 20 | (uint32_t)c << 14 | (uint32_t)d << 8);
        memcpy(out + n, &group, sizeof group);
    }
    return n;
}

/* Decodes groups of four characters while `room` bytes hold three more. */
static enum cuzk_status decode(struct cuzk_base64_source *source, uint8_t *out, size_t room, size_t *written,
                               struct cuzk_error *err)
{
    size_t n = decode_plain(source, out, room);

    while (source->text < source->end && room - n >= 3) {
        const uint8_t *p = source->text;
        unsigned padding = 0;
        uint32_t group = 0;
        if (source->end - p == 4)
            padding = p[3] != '=' ? 0 : p[2] != '=' ? 1 : 2;
        for (unsigned i = 0; i < 4; i++) {
            const uint8_t v = i < 4 - padding ? values[p[i]] : 0;
            if (v == BAD)
                return bad(source, p + i, "a character that is not of the alphabet", err);
            group = group << 6 | v;
        }
        if (padding > 0 && (group & ((UINT32_C(1) << 8 * padding) - 1)) != 0)
            return bad(source, p, "bits in the padding", err);
        out[n] = (uint8_t)(group >> 16);
        out[n + 1] = (uint8_t)(group >> 8);
        out[n + 2] = (uint8_t)group;
        n += 3 - padding;
        source->text += 4;
    }
    *written = n;
    return CUZK_OK;
}

static enum cuzk_status refill(void *context, struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    struct cuzk_base64_source *source = context;
    const size_t rest = (size_t)(reader->end - reader->at);
    size_t more = 0;

    if (source->text == source->end)
        return CUZK_OK;
    const uint64_t offset = cuzk_json_stream_offset(reader);
    memmove(source->window, reader->at, rest);
    CUZK_TRY(decode(source, source->window + rest, sizeof source->window - rest, &more, err));
    reader->offset = offset;
    reader->start = reader->at = source->window;
    reader->end = source->window + rest + more;
    return CUZK_OK;
}

enum cuzk_status cuzk_base64_open(struct cuzk_base64_source *source, const char *document, uint64_t offset,
                                  const uint8_t *text, size_t length, struct cuzk_json_stream *reader,
                                  const struct cuzk_json_warnings *warnings, struct cuzk_error *err)
{
    pthread_once(&once, make_values);
    source->begin = source->text = text;
    source->end = text + length;
    source->document = document;
    source->offset = offset;
    if (length % 4 != 0)
        return bad(source, source->end, "the length is not a multiple of four", err);
    cuzk_json_stream_open(reader, "Phase1Out", source->window, 0, warnings);
    reader->refill = refill;
    reader->context = source;
    return CUZK_OK;
}
