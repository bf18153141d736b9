/* Two registers hold the eight state words as ABEF and CDGH; each sha256rnds2 does two rounds and four
 * message words are scheduled at a time (sha256msg1, sha256msg2), as in Intel's description of the
 * instructions. */
#include "hash/sha256_shani.h"

#include <immintrin.h>

#include "hash/sha256.h"

struct halves {
    __m128i abef, cdgh;
};

static inline __attribute__((always_inline)) struct halves load_state(const uint32_t state[8])
{
    const __m128i abcd = _mm_loadu_si128((const __m128i *)&state[0]);
    const __m128i efgh = _mm_loadu_si128((const __m128i *)&state[4]);
    const __m128i cdab = _mm_shuffle_epi32(abcd, 0xb1);
    const __m128i hgfe = _mm_shuffle_epi32(efgh, 0x1b);
    return (struct halves){_mm_alignr_epi8(cdab, hgfe, 8), _mm_blend_epi16(hgfe, cdab, 0xf0)};
}

static inline __attribute__((always_inline)) void store_state(struct halves h, uint32_t state[8])
{
    const __m128i feba = _mm_shuffle_epi32(h.abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(h.cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)&state[0], _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)&state[4], _mm_alignr_epi8(dchg, feba, 8));
}

/* four rounds with four words of message plus constant */
static inline __attribute__((always_inline)) void four_rounds(struct halves *h, __m128i wk)
{
    h->cdgh = _mm_sha256rnds2_epu32(h->cdgh, h->abef, wk);
    h->abef = _mm_sha256rnds2_epu32(h->abef, h->cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

void cuzk_sha256_compress_shani(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i *k = (const __m128i *)cuzk_sha256_round_constants;
    struct halves h = load_state(state);

    for (; count > 0; count--, blocks += CUZK_SHA256_BLOCK) {
        const struct halves before = h;
        __m128i w[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * i)), swap);
            four_rounds(&h, _mm_add_epi32(w[i], _mm_loadu_si128(k + i)));
        }
#pragma GCC unroll 12
        for (int i = 4; i < 16; i++) {
            const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]),
                                              _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
            w[i & 3] = _mm_sha256msg2_epu32(sum, w[(i + 3) & 3]);
            four_rounds(&h, _mm_add_epi32(w[i & 3], _mm_loadu_si128(k + i)));
        }
        h.abef = _mm_add_epi32(h.abef, before.abef);
        h.cdgh = _mm_add_epi32(h.cdgh, before.cdgh);
    }
    store_state(h, state);
}

void cuzk_sha256_compress_shani_scheduled(uint32_t state[8], const uint32_t words_plus_constants[64])
{
    struct halves h = load_state(state);
    const struct halves before = h;

#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        four_rounds(&h, _mm_loadu_si128((const __m128i *)words_plus_constants + i));
    h.abef = _mm_add_epi32(h.abef, before.abef);
    h.cdgh = _mm_add_epi32(h.cdgh, before.cdgh);
    store_state(h, state);
}
