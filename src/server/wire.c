#include "server/wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cuzk_protowire_init(struct cuzk_protowire *wire, const char *what, const struct cuzk_request_part *parts,
                         size_t count)
{
    *wire = (struct cuzk_protowire){.what = what, .part = parts};
    for (size_t i = 0; i < count; i++)
        wire->end += parts[i].length;
}

enum cuzk_status cuzk_protowire_fail(const char *what, const char *name, uint64_t offset,
                                     struct cuzk_error *err, const char *format, ...)
{
    char reason[256];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return cuzk_error_set(err, CUZK_INPUT, "%s: %s: %s (offset %" PRIu64 ")", what, name, reason, offset);
}

/* The next byte; the caller has seen that there is one. */
static uint8_t take(struct cuzk_protowire *wire)
{
    while (wire->at == wire->part->length) {
        wire->part++;
        wire->at = 0;
    }
    wire->offset++;
    return wire->part->data[wire->at++];
}

static void skip(struct cuzk_protowire *wire, uint64_t n)
{
    wire->offset += n;
    while (n > 0) {
        const size_t left = wire->part->length - wire->at;

        if (n < left) {
            wire->at += (size_t)n;
            return;
        }
        n -= left;
        wire->at = left + wire->at;
        if (n > 0) {
            wire->part++;
            wire->at = 0;
        }
    }
}

static enum cuzk_status take_varint(struct cuzk_protowire *wire, const char *name, uint64_t *out,
                                    struct cuzk_error *err)
{
    const uint64_t begin = wire->offset;
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (wire->offset == wire->end)
            return cuzk_protowire_fail(wire->what, name, begin, err, "the message ends inside a number");
        const uint8_t byte = take(wire);

        if (shift == 63 && byte > 1)
            return cuzk_protowire_fail(wire->what, name, begin, err, "a number of more than 64 bits");
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *out = value;
            return CUZK_OK;
        }
    }
    return cuzk_protowire_fail(wire->what, name, begin, err, "a number of more than ten bytes");
}

static enum cuzk_status take_fixed(struct cuzk_protowire *wire, const char *name, unsigned bytes,
                                   uint64_t *out, struct cuzk_error *err)
{
    if (wire->end - wire->offset < bytes)
        return cuzk_protowire_fail(wire->what, name, wire->offset, err, "the message ends inside a number");
    *out = 0;
    for (unsigned i = 0; i < bytes; i++)
        *out |= (uint64_t)take(wire) << (8 * i);
    return CUZK_OK;
}

static enum cuzk_status take_bytes(struct cuzk_protowire *wire, const char *name,
                                   struct cuzk_protowire_field *field, struct cuzk_error *err)
{
    CUZK_TRY(take_varint(wire, name, &field->value, err));
    if (field->value > wire->end - wire->offset)
        return cuzk_protowire_fail(wire->what, name, field->offset, err,
                                   "it says to be %" PRIu64 " bytes long, %" PRIu64 " are left", field->value,
                                   wire->end - wire->offset);
    field->content = *wire;
    field->content.end = wire->offset + field->value;
    skip(wire, field->value);
    return CUZK_OK;
}

enum cuzk_status cuzk_protowire_next(struct cuzk_protowire *wire, struct cuzk_protowire_field *field,
                                     bool *more, struct cuzk_error *err)
{
    char name[32];
    uint64_t tag = 0;

    *more = wire->offset < wire->end;
    if (!*more)
        return CUZK_OK;
    *field = (struct cuzk_protowire_field){.offset = wire->offset};
    CUZK_TRY(take_varint(wire, "tag", &tag, err));
    if (tag >> 3 == 0 || tag >> 3 >= UINT64_C(1) << 29)
        return cuzk_protowire_fail(wire->what, "tag", field->offset, err, "%" PRIu64 " is no field number",
                                   tag >> 3);
    field->number = (uint32_t)(tag >> 3);
    snprintf(name, sizeof name, "field %" PRIu32, field->number);
    switch (tag & 7) {
    case CUZK_WIRE_VARINT:
        field->type = CUZK_WIRE_VARINT;
        return take_varint(wire, name, &field->value, err);
    case CUZK_WIRE_FIXED64:
        field->type = CUZK_WIRE_FIXED64;
        return take_fixed(wire, name, 8, &field->value, err);
    case CUZK_WIRE_FIXED32:
        field->type = CUZK_WIRE_FIXED32;
        return take_fixed(wire, name, 4, &field->value, err);
    case CUZK_WIRE_BYTES:
        field->type = CUZK_WIRE_BYTES;
        return take_bytes(wire, name, field, err);
    default:
        return cuzk_protowire_fail(wire->what, name, field->offset, err, "wire type %u is not used by proto3",
                                   (unsigned)(tag & 7));
    }
}

enum cuzk_status cuzk_protowire_blob(const struct cuzk_protowire_field *field,
                                     struct cuzk_request_part *parts, size_t room, size_t *used,
                                     struct cuzk_error *err)
{
    struct cuzk_protowire wire = field->content;

    *used = 0;
    while (wire.offset < wire.end) {
        const size_t left = wire.part->length - wire.at;
        const size_t n = wire.end - wire.offset < left ? (size_t)(wire.end - wire.offset) : left;

        if (n > 0) {
            if (*used == room)
                return cuzk_error_set(err, CUZK_MEMORY, "%s: more parts than the %zu there is room for",
                                      wire.what, room);
            parts[(*used)++] = (struct cuzk_request_part){wire.part->data + wire.at, n};
        }
        wire.offset += n;
        wire.part++;
        wire.at = 0;
    }
    return CUZK_OK;
}

void cuzk_protowire_copy(const struct cuzk_protowire_field *field, void *out)
{
    struct cuzk_protowire wire = field->content;
    uint8_t *to = out;

    while (wire.offset < wire.end) {
        const size_t left = wire.part->length - wire.at;
        const size_t n = wire.end - wire.offset < left ? (size_t)(wire.end - wire.offset) : left;

        if (n > 0)
            memcpy(to, wire.part->data + wire.at, n);
        to += n;
        wire.offset += n;
        wire.part++;
        wire.at = 0;
    }
}

/* The number of continuation bytes after a first byte, and the least code point that may use so many; -1
 * where it begins nothing. */
static int continuation(uint8_t first, uint32_t *least, uint32_t *bits)
{
    if (first < 0x80) {
        *least = 1; /* no zero bytes */
        *bits = first;
        return 0;
    }
    if (first >= 0xc2 && first < 0xe0) {
        *least = 0x80;
        *bits = first & 0x1f;
        return 1;
    }
    if (first >= 0xe0 && first < 0xf0) {
        *least = 0x800;
        *bits = first & 0x0f;
        return 2;
    }
    if (first >= 0xf0 && first < 0xf5) {
        *least = 0x10000;
        *bits = first & 0x07;
        return 3;
    }
    return -1;
}

bool cuzk_protowire_is_text(const char *bytes, size_t n)
{
    const uint8_t *at = (const uint8_t *)bytes;

    for (size_t i = 0; i < n;) {
        uint32_t least, point;
        const int more = continuation(at[i++], &least, &point);

        if (more < 0 || (size_t)more > n - i)
            return false;
        for (int k = 0; k < more; k++, i++) {
            if ((at[i] & 0xc0) != 0x80)
                return false;
            point = point << 6 | (at[i] & 0x3f);
        }
        if (point < least || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
            return false;
    }
    return true;
}
