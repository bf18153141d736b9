#include "r1cs/bitmap.h"

/* Up to 64 bits from any position on. */
static uint64_t take(const uint64_t *map, size_t begin, unsigned n)
{
    const unsigned shift = begin % 64;
    uint64_t word = map[begin / 64] >> shift;

    if (shift + n > 64)
        word |= map[begin / 64 + 1] << (64 - shift);
    return n == 64 ? word : word & ((UINT64_C(1) << n) - 1);
}

static void put(uint64_t *map, size_t begin, uint64_t word, unsigned n)
{
    const unsigned shift = begin % 64;

    map[begin / 64] |= word << shift;
    if (shift + n > 64)
        map[begin / 64 + 1] |= word >> (64 - shift);
}

void cuzk_bitmap_join(const uint64_t *from, size_t from_begin, uint64_t *to, size_t to_begin, size_t n)
{
    for (size_t i = 0; i < n; i += 64) {
        const unsigned count = n - i < 64 ? (unsigned)(n - i) : 64;

        put(to, to_begin + i, take(from, from_begin + i, count), count);
    }
}

bool cuzk_bitmap_equal(const uint64_t *a, size_t a_begin, const uint64_t *b, size_t b_begin, size_t n)
{
    for (size_t i = 0; i < n; i += 64) {
        const unsigned count = n - i < 64 ? (unsigned)(n - i) : 64;

        if (take(a, a_begin + i, count) != take(b, b_begin + i, count))
            return false;
    }
    return true;
}
