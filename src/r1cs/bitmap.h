/* Stretches of bitmaps: bit k is bit k % 64 of word k / 64. */
#ifndef CUZK_R1CS_BITMAP_H
#define CUZK_R1CS_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets in `to`, from to_begin on, what is set in the n bits of `from` that begin at from_begin; what was set
 * stays. The two do not overlap. */
void cuzk_bitmap_join(const uint64_t *from, size_t from_begin, uint64_t *to, size_t to_begin, size_t n);

/* Whether two stretches of n bits are the same; they may overlap. */
bool cuzk_bitmap_equal(const uint64_t *a, size_t a_begin, const uint64_t *b, size_t b_begin, size_t n);

#ifdef __cplusplus
}
#endif

#endif
