#include "server/text_buffer.h"

#include <string.h>

#include "base/mem.h"

static enum cuzk_status append(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct cuzk_text_buffer *buffer = context;

    CUZK_TRY(CUZK_GROW(&buffer->text, buffer->length + n, buffer->length, &buffer->room, "text", err));
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
