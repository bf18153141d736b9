#include "server/message_maker.h"

#include <string.h>

void message_raw(struct message_maker *maker, const void *bytes, size_t n)
{
    if (n > MESSAGE_ROOM - maker->length)
        n = MESSAGE_ROOM - maker->length;
    if (n > 0)
        memcpy(maker->bytes + maker->length, bytes, n);
    maker->length += n;
}

void message_varint(struct message_maker *maker, uint64_t value)
{
    uint8_t byte;

    for (; value >= 0x80; value >>= 7) {
        byte = (uint8_t)(value | 0x80);
        message_raw(maker, &byte, 1);
    }
    byte = (uint8_t)value;
    message_raw(maker, &byte, 1);
}

void message_number(struct message_maker *maker, uint32_t field, uint64_t value)
{
    message_varint(maker, (uint64_t)field << 3);
    message_varint(maker, value);
}

void message_bytes(struct message_maker *maker, uint32_t field, const void *bytes, size_t n)
{
    message_varint(maker, (uint64_t)field << 3 | 2);
    message_varint(maker, n);
    message_raw(maker, bytes, n);
}

void message_whole(struct message_maker *maker)
{
    maker->parts[0] = (struct cuzk_request_part){maker->bytes, maker->length};
    maker->count = 1;
}

void message_cut(struct message_maker *maker, struct test_random *random)
{
    const size_t longest = 2 * maker->length / (MESSAGE_PARTS - 2) + 2;
    size_t at = 0;

    maker->count = 0;
    while (at < maker->length && maker->count < MESSAGE_PARTS - 1) {
        size_t n = test_random_below(random, 4) == 0 ? 0 : test_random_below(random, longest + 1);

        n = n < maker->length - at ? n : maker->length - at;
        maker->parts[maker->count++] = (struct cuzk_request_part){maker->bytes + at, n};
        at += n;
    }
    maker->parts[maker->count++] = (struct cuzk_request_part){maker->bytes + at, maker->length - at};
}
