/* Messages byte by byte, well made or not, and cut into parts. */
#ifndef CUZK_TESTS_SERVER_MESSAGE_MAKER_H
#define CUZK_TESTS_SERVER_MESSAGE_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/request.h"
#include "support/random.h"

enum { MESSAGE_ROOM = 1 << 18, MESSAGE_PARTS = 256 };

struct message_maker {
    uint8_t bytes[MESSAGE_ROOM];
    size_t length;
    struct cuzk_request_part parts[MESSAGE_PARTS];
    size_t count;
};

void message_raw(struct message_maker *maker, const void *bytes, size_t n);
void message_varint(struct message_maker *maker, uint64_t value);
void message_number(struct message_maker *maker, uint32_t field, uint64_t value);
void message_bytes(struct message_maker *maker, uint32_t field, const void *bytes, size_t n);

/* In one piece; or in pieces of random lengths, some of them empty. */
void message_whole(struct message_maker *maker);
void message_cut(struct message_maker *maker, struct test_random *random);

#endif
