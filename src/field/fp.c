#include "field/fp.h"

#include <string.h>

void cuzk_fp_pow(const struct cuzk_fp *base, const uint64_t *exponent, size_t limbs, struct cuzk_fp *out)
{
    const struct cuzk_fp b = *base;
    struct cuzk_fp acc;

    cuzk_fp_one(&acc);
    for (size_t i = limbs * 64; i-- > 0;) {
        cuzk_fp_sqr(&acc, &acc);
        if (exponent[i / 64] >> (i % 64) & 1)
            cuzk_fp_mul(&acc, &b, &acc);
    }
    *out = acc;
}

void cuzk_fp_inverse(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    /* Fermat: the exponent is the modulus minus two */
    uint64_t e[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    e[0] -= 2;
    cuzk_fp_pow(a, e, CUZK_FP_LIMBS, out);
}

void cuzk_fp_batch_inverse(struct cuzk_fp *elements, size_t n, struct cuzk_fp *scratch)
{
    struct cuzk_fp acc;

    cuzk_fp_one(&acc);
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cuzk_fp_is_zero(&elements[i]))
            cuzk_fp_mul(&acc, &elements[i], &acc);
    }
    cuzk_fp_inverse(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (cuzk_fp_is_zero(&elements[i]))
            continue;
        struct cuzk_fp inverse;
        cuzk_fp_mul(&acc, &scratch[i], &inverse);
        cuzk_fp_mul(&acc, &elements[i], &acc);
        elements[i] = inverse;
    }
}

bool cuzk_fp_sqrt(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    /* p = 3 mod 4: a^((p+1)/4) is a root if there is one */
    static const uint64_t exponent[CUZK_FP_LIMBS] = {
        UINT64_C(0xee7fbfffffffeaab), UINT64_C(0x07aaffffac54ffff), UINT64_C(0xd9cc34a83dac3d89),
        UINT64_C(0xd91dd2e13ce144af), UINT64_C(0x92c6e9ed90d2eb35), UINT64_C(0x0680447a8e5ff9a6)};
    struct cuzk_fp root, square;

    cuzk_fp_pow(a, exponent, CUZK_FP_LIMBS, &root);
    cuzk_fp_sqr(&root, &square);
    if (!cuzk_fp_equal(&square, a))
        return false;
    *out = root;
    return true;
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
