/* Fr32 bit padding: after every 254 bits of data two zero bits, so that each 32 bytes are a field element
 * (little-endian). 127 bytes become 128. Nothing here fails. */
#ifndef CUZK_FILECOIN_FR32_H
#define CUZK_FILECOIN_FR32_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that n bytes become: whole blocks of 32. */
size_t cuzk_fr32_padded_length(size_t n);

/* Pads n bytes; out holds cuzk_fr32_padded_length(n) and must not overlap in. A last block that the data do
 * not fill ends in zeros. */
void cuzk_fr32_pad(const uint8_t *in, size_t n, uint8_t *out);

/* The first n bytes of what was padded; in holds cuzk_fr32_padded_length(n) bytes. */
void cuzk_fr32_unpad(const uint8_t *in, size_t n, uint8_t *out);

#endif
