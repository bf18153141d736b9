/* Numbers as decimal digits, as snarkjs' JSON has them. */
#ifndef CUZK_GROTH16_DECIMAL_H
#define CUZK_GROTH16_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUZK_DECIMAL_LIMBS = 6, CUZK_DECIMAL_DIGITS = 120 }; /* 384 bits are 116 digits */

/* Writes the number in limbs (least significant first) as digits and a terminating zero. */
void cuzk_decimal_encode(const uint64_t limbs[CUZK_DECIMAL_LIMBS], char text[CUZK_DECIMAL_DIGITS]);

/* Reads digits only; false for none, for anything else and for 2^384 or more. */
bool cuzk_decimal_decode(const char *text, size_t length, uint64_t limbs[CUZK_DECIMAL_LIMBS]);

#endif
