#include "field/fp.h"

#include <string.h>

#include "field/kernel.h"

void cuzk_fp_pow(const struct cuzk_fp *base, const uint64_t *exponent, size_t limbs, struct cuzk_fp *out)
{
    cuzk_field_kernel()->fp_pow(base, exponent, limbs, out);
}

void cuzk_fp_inverse(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    cuzk_field_kernel()->fp_inverse(a, out);
}

void cuzk_fp_batch_inverse(struct cuzk_fp *elements, size_t n, struct cuzk_fp *scratch)
{
    cuzk_field_kernel()->fp_batch_inverse(elements, n, scratch);
}

bool cuzk_fp_sqrt(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    return cuzk_field_kernel()->fp_sqrt(a, out);
}

bool cuzk_fp_from_bytes(const uint8_t bytes[CUZK_FP_BYTES], struct cuzk_fp *out)
{
    uint64_t words[CUZK_FP_LIMBS];

    for (int i = 0; i < CUZK_FP_LIMBS; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * (CUZK_FP_LIMBS - 1 - i), sizeof word);
        words[i] = __builtin_bswap64(word);
    }
    if (!cuzk_fp_words_are_reduced(words)) {
        cuzk_fp_zero(out);
        return false;
    }
    cuzk_fp_from_words(words, out);
    return true;
}

void cuzk_fp_to_bytes(const struct cuzk_fp *a, uint8_t bytes[CUZK_FP_BYTES])
{
    uint64_t words[CUZK_FP_LIMBS];

    cuzk_fp_to_words(a, words);
    for (int i = 0; i < CUZK_FP_LIMBS; i++) {
        const uint64_t word = __builtin_bswap64(words[CUZK_FP_LIMBS - 1 - i]);
        memcpy(bytes + 8 * i, &word, sizeof word);
    }
}

bool cuzk_fp_is_larger_root(const struct cuzk_fp *a)
{
    static const uint64_t half[CUZK_FP_LIMBS] = {UINT64_C(0xdcff7fffffffd555), UINT64_C(0x0f55ffff58a9ffff),
                                                 UINT64_C(0xb39869507b587b12), UINT64_C(0xb23ba5c279c2895f),
                                                 UINT64_C(0x258dd3db21a5d66b), UINT64_C(0x0d0088f51cbff34d)};
    uint64_t words[CUZK_FP_LIMBS], borrow = 0;

    cuzk_fp_to_words(a, words);
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        (void)cuzk_limb_sbb(half[i], words[i], &borrow);
    return borrow != 0;
}
