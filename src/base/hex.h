/* Bytes and hexadecimal digits, two a byte, lower case out, either case in. Thread-safe. */
#ifndef CUZK_BASE_HEX_H
#define CUZK_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Writes 2 * n digits and a terminating zero to text. */
void cuzk_hex_encode(const uint8_t *bytes, size_t n, char *text);

/* Decodes exactly 2 * n digits (`length` of them are there) to n bytes. `field` names the value in the
 * error. Errors: INPUT (another length, a character that is no digit; bytes are then undefined). */
enum cuzk_status cuzk_hex_decode(const char *field, const char *text, size_t length, uint8_t *bytes, size_t n,
                                 struct cuzk_error *err);

#endif
