/* Bytes in memory that grow behind a sink. One thread at a time. */
#ifndef CUZK_BASE_BUFFER_H
#define CUZK_BASE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/sink.h"

struct cuzk_buffer {
    uint8_t *bytes; /* [length], of base/mem.h, and a zero behind them; NULL before the first write */
    size_t length, room;
};

/* Appends; MEMORY where it cannot grow. The buffer must stay where it is while the sink is used. */
struct cuzk_sink cuzk_buffer_sink(struct cuzk_buffer *buffer);

/* The bytes as a terminated text, which lives as long as they do; "" before the first write. */
char *cuzk_buffer_text(const struct cuzk_buffer *buffer);

/* Frees the bytes and empties the buffer; a zeroed one is fine. */
void cuzk_buffer_clear(struct cuzk_buffer *buffer);

#endif
