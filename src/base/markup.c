#include "base/markup.h"

#include <string.h>

const char *cuzk_markup_escape(const char *text, char *room, size_t size)
{
    size_t used = 0;

    for (; *text != '\0' && used + 8 < size; text++) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                             : *text == '"' ? "&quot;"
                                            : NULL;

        if (entity != NULL) {
            memcpy(room + used, entity, strlen(entity));
            used += strlen(entity);
        } else {
            room[used++] = (unsigned char)*text < 0x20 ? ' ' : *text;
        }
    }
    room[used] = '\0';
    return room;
}
