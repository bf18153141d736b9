/* Feeds a JSON reader with the decoded text of a base64 string (RFC 4648, standard alphabet, padded, no line
 * breaks), a piece at a time. Errors: INPUT (a character, the length or the padding is wrong), with the
 * position in the base64 text. */
#ifndef CUZK_FILECOIN_BASE64_SOURCE_H
#define CUZK_FILECOIN_BASE64_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "filecoin/json_stream.h"

enum { CUZK_BASE64_WINDOW = 1 << 16 };

struct cuzk_base64_source {
    const uint8_t *text, *end; /* what is left to decode */
    const uint8_t *begin;
    const char *document; /* for messages */
    uint64_t offset;      /* of the string's first character in the outer document */
    uint8_t window[CUZK_BASE64_WINDOW];
};

/* text stays the caller's. The reader's positions count decoded bytes. */
enum cuzk_status cuzk_base64_open(struct cuzk_base64_source *source, const char *document, uint64_t offset,
                                  const uint8_t *text, size_t length, struct cuzk_json_stream *reader,
                                  const struct cuzk_json_warnings *warnings, struct cuzk_error *err);

#endif
