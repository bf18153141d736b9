#include "server/message.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

static void *allocate(void *context, size_t size)
{
    void *block;

    (void)context;
    return cuzk_mem_alloc(1, size, "message", &block, NULL) == CUZK_OK ? block : NULL;
}

static void release(void *context, void *block)
{
    (void)context;
    cuzk_mem_free(block);
}

static ProtobufCAllocator allocator = {allocate, release, NULL};

ProtobufCMessage *cuzk_message_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                                      size_t n)
{
    return protobuf_c_message_unpack(descriptor, &allocator, n, bytes);
}

void cuzk_message_free(ProtobufCMessage *message)
{
    if (message != NULL)
        protobuf_c_message_free_unpacked(message, &allocator);
}

static enum cuzk_protowire_type wire_type(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return CUZK_WIRE_BYTES;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return CUZK_WIRE_FIXED64;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return CUZK_WIRE_FIXED32;
    default:
        return CUZK_WIRE_VARINT;
    }
}

static enum cuzk_status check_text(const char *what, const ProtobufCFieldDescriptor *field,
                                   const struct cuzk_protowire_field *given, struct cuzk_error *err)
{
    char *text;

    if (given->value > CUZK_MESSAGE_SMALL_MOST)
        return cuzk_protowire_fail(what, field->name, given->offset, err,
                                   "%" PRIu64 " bytes, at most %d are expected", given->value,
                                   CUZK_MESSAGE_SMALL_MOST);
    CUZK_TRY(CUZK_NEW(&text, (size_t)given->value + 1, "text of a message", err));
    cuzk_protowire_copy(given, text);
    const bool good = cuzk_protowire_is_text(text, (size_t)given->value);

    cuzk_mem_free(text);
    if (!good)
        return cuzk_protowire_fail(what, field->name, given->offset, err, "no UTF-8 text without zero bytes");
    return CUZK_OK;
}

static enum cuzk_status check_field(const char *what, const ProtobufCFieldDescriptor *field,
                                    const struct cuzk_protowire_field *given, struct cuzk_error *err)
{
    if (wire_type(field->type) != given->type)
        return cuzk_protowire_fail(what, field->name, given->offset, err, "wire type %u where %u is expected",
                                   (unsigned)given->type, (unsigned)wire_type(field->type));
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        return check_text(what, field, given, err);
    case PROTOBUF_C_TYPE_UINT32:
        if (given->value > UINT32_MAX)
            return cuzk_protowire_fail(what, field->name, given->offset, err,
                                       "%" PRIu64 " is more than 32 bits can hold", given->value);
        return CUZK_OK;
    case PROTOBUF_C_TYPE_ENUM:
        if (given->value > INT32_MAX ||
            protobuf_c_enum_descriptor_get_value(field->descriptor, (int)given->value) == NULL)
            return cuzk_protowire_fail(what, field->name, given->offset, err,
                                       "%" PRIu64 " is none of its values", given->value);
        return CUZK_OK;
    case PROTOBUF_C_TYPE_BOOL:
        if (given->value > 1)
            return cuzk_protowire_fail(what, field->name, given->offset, err,
                                       "%" PRIu64 " is neither 0 nor 1", given->value);
        return CUZK_OK;
    default:
        return CUZK_OK;
    }
}

struct reading {
    const ProtobufCMessageDescriptor *descriptor;
    const struct cuzk_message_taker *taker;
    const char *what;
    uint8_t *small; /* NULL in the first pass, which checks and measures */
    uint64_t length;
};

static enum cuzk_status read_field(struct reading *reading, const struct cuzk_protowire *before,
                                   const struct cuzk_protowire *after,
                                   const struct cuzk_protowire_field *given, struct cuzk_error *err)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(reading->descriptor, given->number);

    if (field == NULL)
        return CUZK_OK;
    const bool taken = reading->taker != NULL && field->type == PROTOBUF_C_TYPE_BYTES;

    if (reading->small == NULL) {
        CUZK_TRY(check_field(reading->what, field, given, err));
        if (taken)
            CUZK_TRY(reading->taker->take(reading->taker->context, field, given, err));
    }
    if (taken)
        return CUZK_OK;
    struct cuzk_protowire_field whole = {.content = *before};

    whole.content.end = after->offset;
    if (reading->small != NULL)
        cuzk_protowire_copy(&whole, reading->small + reading->length);
    reading->length += after->offset - before->offset;
    if (reading->length > CUZK_MESSAGE_SMALL_MOST)
        return cuzk_protowire_fail(reading->what, field->name, given->offset, err,
                                   "fields of more than %d bytes together", CUZK_MESSAGE_SMALL_MOST);
    return CUZK_OK;
}

static enum cuzk_status pass(struct reading *reading, struct cuzk_protowire wire, struct cuzk_error *err)
{
    struct cuzk_protowire_field given;
    bool more;

    reading->length = 0;
    for (;;) {
        const struct cuzk_protowire before = wire;

        CUZK_TRY(cuzk_protowire_next(&wire, &given, &more, err));
        if (!more)
            return CUZK_OK;
        CUZK_TRY(read_field(reading, &before, &wire, &given, err));
    }
}

enum cuzk_status cuzk_message_read(const ProtobufCMessageDescriptor *descriptor,
                                   const struct cuzk_protowire *wire, const struct cuzk_message_taker *taker,
                                   ProtobufCMessage **out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct reading reading = {descriptor, taker, wire->what, NULL, 0};
    uint8_t *small = NULL;

    *out = NULL;
    CUZK_TRY_OUT(pass(&reading, *wire, err));
    CUZK_TRY_OUT(CUZK_NEW(&small, (size_t)reading.length + 1, "fields of a message", err));
    reading.small = small;
    CUZK_TRY_OUT(pass(&reading, *wire, err));
    *out = protobuf_c_message_unpack(descriptor, &allocator, (size_t)reading.length, small);
    if (*out == NULL) /* a nested message, or no memory */
        status = cuzk_error_set(err, CUZK_INPUT, "%s: malformed", wire->what);
out:
    cuzk_mem_free(small);
    return status;
}
