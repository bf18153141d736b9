#include "base/hex.h"

void cuzk_hex_encode(const uint8_t *bytes, size_t n, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = '\0';
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

enum cuzk_status cuzk_hex_decode(const char *field, const char *text, size_t length, uint8_t *bytes, size_t n,
                                 struct cuzk_error *err)
{
    if (length != 2 * n)
        return cuzk_error_set(err, CUZK_INPUT, "%s: expected %zu hex digits, found %zu characters", field,
                              2 * n, length);
    for (size_t i = 0; i < n; i++) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0) {
            const size_t at = high < 0 ? 2 * i : 2 * i + 1;

            return cuzk_error_set(err, CUZK_INPUT, "%s: character %zu (byte 0x%02x) is not a hex digit",
                                  field, at, (unsigned char)text[at]);
        }
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return CUZK_OK;
}
