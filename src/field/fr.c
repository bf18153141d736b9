#include "field/fr.h"

#include <string.h>

#include "field/inverse.h"

const struct cuzk_fr cuzk_fr_generator = {{UINT64_C(0x0000000efffffff1), UINT64_C(0x17e363d300189c0f),
                                           UINT64_C(0xff9c57876f8457b0), UINT64_C(0x351332208fc5a8c4)}};
const struct cuzk_fr cuzk_fr_root_2_32 = {{UINT64_C(0xb9b58d8c5f0e466a), UINT64_C(0x5b1b4c801819d7ec),
                                           UINT64_C(0x0af53ae352a31e64), UINT64_C(0x5bf3adda19e9b27b)}};

void cuzk_fr_pow(const struct cuzk_fr *base, const uint64_t *exponent, size_t limbs, struct cuzk_fr *out)
{
    const struct cuzk_fr b = *base;
    struct cuzk_fr acc;

    cuzk_fr_one(&acc);
    for (size_t i = limbs * 64; i-- > 0;) {
        cuzk_fr_sqr(&acc, &acc);
        if (exponent[i / 64] >> (i % 64) & 1)
            cuzk_fr_mul(&acc, &b, &acc);
    }
    *out = acc;
}

void cuzk_fr_inverse(const struct cuzk_fr *a, struct cuzk_fr *out)
{
    /* (x R)^-1 R^2 = x^-1 R */
    const uint64_t m[CUZK_FR_LIMBS] = CUZK_FR_MODULUS, r2[CUZK_FR_LIMBS] = CUZK_FR_R2;
    *out = *a;
    inverse_mod(out->l, r2, m, UINT64_C(0x100000001), CUZK_FR_LIMBS, 5);
}

void cuzk_fr_batch_inverse(struct cuzk_fr *elements, size_t n, struct cuzk_fr *scratch)
{
    struct cuzk_fr acc;

    cuzk_fr_one(&acc);
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cuzk_fr_is_zero(&elements[i]))
            cuzk_fr_mul(&acc, &elements[i], &acc);
    }
    cuzk_fr_inverse(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (cuzk_fr_is_zero(&elements[i]))
            continue;
        struct cuzk_fr inverse;
        cuzk_fr_mul(&acc, &scratch[i], &inverse);
        cuzk_fr_mul(&acc, &elements[i], &acc);
        elements[i] = inverse;
    }
}

void cuzk_fr_pow_u64(const struct cuzk_fr *base, uint64_t exponent, struct cuzk_fr *out)
{
    cuzk_fr_pow(base, &exponent, 1, out);
}

void cuzk_fr_root_of_unity(unsigned log_n, struct cuzk_fr *out)
{
    *out = cuzk_fr_root_2_32;
    for (unsigned i = log_n; i < 32; i++)
        cuzk_fr_sqr(out, out);
}

bool cuzk_fr_from_bytes(const uint8_t bytes[CUZK_FR_BYTES], struct cuzk_fr *out)
{
    uint64_t words[CUZK_FR_LIMBS];

    memcpy(words, bytes, sizeof words); /* little-endian hosts only: base/cpu.c needs x86-64 anyway */
    if (!cuzk_fr_words_are_reduced(words)) {
        cuzk_fr_zero(out);
        return false;
    }
    cuzk_fr_from_words(words, out);
    return true;
}

void cuzk_fr_to_bytes(const struct cuzk_fr *a, uint8_t bytes[CUZK_FR_BYTES])
{
    uint64_t words[CUZK_FR_LIMBS];

    cuzk_fr_to_words(a, words);
    memcpy(bytes, words, sizeof words);
}

void cuzk_fr_from_wide_bytes(const uint8_t bytes[2 * CUZK_FR_BYTES], struct cuzk_fr *out)
{
    /* low + high * 2^256: Montgomery multiplication by R2 and R3 reduces each half, whatever its size below
     * 2^256 */
    const struct cuzk_fr r2 = {CUZK_FR_R2};
    const struct cuzk_fr r3 = {{UINT64_C(0xc62c1807439b73af), UINT64_C(0x1b3e0d188cf06990),
                                UINT64_C(0x73d13c71c7b5f418), UINT64_C(0x6e2a5bb9c8db33e9)}};
    struct cuzk_fr low, high;

    memcpy(low.l, bytes, sizeof low.l);
    memcpy(high.l, bytes + CUZK_FR_BYTES, sizeof high.l);
    cuzk_fr_mul(&r2, &low, &low);
    cuzk_fr_mul(&r3, &high, &high);
    cuzk_fr_add(&low, &high, out);
}
