#include "server/text_buffer.h"

#include <string.h>

#include "base/mem.h"

enum { FIRST_ROOM = 8192 };

static enum cuzk_status append(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct cuzk_text_buffer *buffer = context;

    if (n > buffer->room - buffer->length) {
        size_t room = buffer->room == 0 ? FIRST_ROOM : 2 * buffer->room;
        char *larger;

        while (room - buffer->length < n)
            room *= 2;
        CUZK_TRY(CUZK_NEW(&larger, room, "text", err));
        if (buffer->length > 0)
            memcpy(larger, buffer->text, buffer->length);
        cuzk_mem_free(buffer->text);
        buffer->text = larger;
        buffer->room = room;
    }
    if (n > 0)
        memcpy(buffer->text + buffer->length, bytes, n);
    buffer->length += n;
    return CUZK_OK;
}

struct cuzk_sink cuzk_text_buffer_sink(struct cuzk_text_buffer *buffer)
{
    return (struct cuzk_sink){append, buffer};
}

void cuzk_text_buffer_clear(struct cuzk_text_buffer *buffer)
{
    cuzk_mem_free(buffer->text);
    *buffer = (struct cuzk_text_buffer){0};
}
