/* What is free in synthetic inputs: a pseudo-random function of a few numbers. Internal to synth. */
#ifndef CUZK_FILECOIN_SYNTH_VALUE_H
#define CUZK_FILECOIN_SYNTH_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

enum { CUZK_SYNTH_NUMBERS_MOST = 8 };

/* SHA-256(tag || the numbers as u64 little-endian), the top two bits of the last byte cleared, so that it is
 * a field element. At most CUZK_SYNTH_NUMBERS_MOST numbers. Thread-safe. */
void cuzk_synth_bytes(const char *tag, const uint64_t *numbers, size_t count, uint8_t out[CUZK_FR_BYTES]);

/* The same as a field element. */
void cuzk_synth_element(const char *tag, const uint64_t *numbers, size_t count, struct cuzk_fr *out);

#endif
