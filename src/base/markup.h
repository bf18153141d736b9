/* Text for XML and HTML. */
#ifndef CUZK_BASE_MARKUP_H
#define CUZK_BASE_MARKUP_H

#include <stddef.h>

/* The text with the reserved characters replaced and control characters as spaces, cut where `room` (of
 * `size` bytes, at least 8) is full; returns room. */
const char *cuzk_markup_escape(const char *text, char *room, size_t size);

#endif
