/* Points as a .zkey holds them: x then y, each Fp (or c0, c1 of Fp2) as 48 little-endian bytes of the
 * Montgomery form, R = 2^384; infinity is all zero. Private to src/groth16. */
#ifndef CUZK_GROTH16_ZKEY_POINT_H
#define CUZK_GROTH16_ZKEY_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "curve/g1.h"
#include "curve/g2.h"

enum { CUZK_ZKEY_G1_BYTES = 96, CUZK_ZKEY_G2_BYTES = 192 };

/* false if a coordinate is not below p. The curve is not checked. */
bool cuzk_zkey_g1_decode(const uint8_t bytes[CUZK_ZKEY_G1_BYTES], struct cuzk_g1_affine *out);
bool cuzk_zkey_g2_decode(const uint8_t bytes[CUZK_ZKEY_G2_BYTES], struct cuzk_g2_affine *out);
void cuzk_zkey_g1_encode(const struct cuzk_g1_affine *point, uint8_t bytes[CUZK_ZKEY_G1_BYTES]);
void cuzk_zkey_g2_encode(const struct cuzk_g2_affine *point, uint8_t bytes[CUZK_ZKEY_G2_BYTES]);

#endif
