#include "groth16/decimal.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

void cuzk_decimal_encode(const uint64_t limbs[CUZK_DECIMAL_LIMBS], char text[CUZK_DECIMAL_DIGITS])
{
    uint64_t left[CUZK_DECIMAL_LIMBS];
    char reversed[CUZK_DECIMAL_DIGITS];
    size_t n = 0;
    uint64_t any;

    memcpy(left, limbs, sizeof left);
    do {
        uint64_t rest = 0;
        any = 0;
        for (int k = CUZK_DECIMAL_LIMBS; k-- > 0;) {
            const wide t = (wide)rest << 64 | left[k];
            left[k] = (uint64_t)(t / 10);
            rest = (uint64_t)(t % 10);
            any |= left[k];
        }
        reversed[n++] = (char)('0' + rest);
    } while (any != 0);
    for (size_t k = 0; k < n; k++)
        text[k] = reversed[n - 1 - k];
    text[n] = 0;
}

bool cuzk_decimal_decode(const char *text, size_t length, uint64_t limbs[CUZK_DECIMAL_LIMBS])
{
    memset(limbs, 0, CUZK_DECIMAL_LIMBS * sizeof *limbs);
    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        uint64_t carry = (uint64_t)(text[i] - '0');
        for (int k = 0; k < CUZK_DECIMAL_LIMBS; k++) {
            const wide t = (wide)limbs[k] * 10 + carry;
            limbs[k] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        if (carry != 0)
            return false;
    }
    return true;
}
