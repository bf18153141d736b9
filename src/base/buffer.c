#include "base/buffer.h"

#include <string.h>

#include "base/mem.h"

static enum cuzk_status append(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct cuzk_buffer *buffer = context;

    CUZK_TRY(CUZK_GROW(&buffer->bytes, buffer->length + n + 1, buffer->length, &buffer->room, "output", err));
    if (n > 0)
        memcpy(buffer->bytes + buffer->length, bytes, n);
    buffer->length += n;
    buffer->bytes[buffer->length] = 0;
    return CUZK_OK;
}

struct cuzk_sink cuzk_buffer_sink(struct cuzk_buffer *buffer)
{
    return (struct cuzk_sink){append, buffer};
}

char *cuzk_buffer_text(const struct cuzk_buffer *buffer)
{
    static char empty[1];

    return buffer->bytes != NULL ? (char *)buffer->bytes : empty;
}

void cuzk_buffer_clear(struct cuzk_buffer *buffer)
{
    cuzk_mem_free(buffer->bytes);
    *buffer = (struct cuzk_buffer){0};
}
