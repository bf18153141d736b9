/* A growing text in memory behind a sink. One thread at a time. */
#ifndef CUZK_SERVER_TEXT_BUFFER_H
#define CUZK_SERVER_TEXT_BUFFER_H

#include <stddef.h>

#include "base/sink.h"

struct cuzk_text_buffer {
    char *text; /* of base/mem.h, not terminated; NULL while empty */
    size_t length, room;
};

/* Appends; MEMORY where it cannot grow. The buffer must stay where it is while the sink is used. */
struct cuzk_sink cuzk_text_buffer_sink(struct cuzk_text_buffer *buffer);

/* Frees the text and empties the buffer; a zeroed one is fine. */
void cuzk_text_buffer_clear(struct cuzk_text_buffer *buffer);

#endif
