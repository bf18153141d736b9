#include "r1cs/fingerprint.h"

#include <sodium.h>

#include "base/bytes.h"

static void add_words(crypto_generichash_state *hash, const uint32_t *words, size_t n)
{
    enum { BLOCK = 1 << 12 };
    uint8_t bytes[4 * BLOCK];

    for (size_t k = 0; k < n; k += BLOCK) {
        const size_t count = n - k < BLOCK ? n - k : BLOCK;
        for (size_t i = 0; i < count; i++)
            cuzk_store_u32le(words[k + i], bytes + 4 * i);
        crypto_generichash_update(hash, bytes, 4 * count);
    }
}

void cuzk_r1cs_fingerprint(const struct cuzk_r1cs *r1cs, uint8_t out[CUZK_FINGERPRINT_BYTES])
{
    const uint32_t numbers[] = {
        r1cs->inputs,           r1cs->aux,          r1cs->constraints,      r1cs->stored,      r1cs->parts,
        r1cs->head.inputs,      r1cs->head.aux,     r1cs->head.constraints, r1cs->part.inputs, r1cs->part.aux,
        r1cs->part.constraints, r1cs->window.first, r1cs->window.count,     r1cs->pool_count};
    crypto_generichash_state hash;

    crypto_generichash_init(&hash, NULL, 0, CUZK_FINGERPRINT_BYTES);
    add_words(&hash, numbers, sizeof numbers / sizeof *numbers);
    if (r1cs->window.count > 0)
        add_words(&hash, r1cs->window.shift, r1cs->parts);
    for (uint32_t k = 0; k < r1cs->pool_count; k++) {
        uint8_t bytes[CUZK_FR_BYTES];
        cuzk_fr_to_bytes(&r1cs->pool[k], bytes);
        crypto_generichash_update(&hash, bytes, sizeof bytes);
    }
    for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B; m++) {
        const struct cuzk_matrix *matrix = &r1cs->matrix[m];
        const uint32_t terms = matrix->row_start[r1cs->stored];
        add_words(&hash, matrix->row_start, (size_t)r1cs->stored + 1);
        add_words(&hash, matrix->variables, terms);
        add_words(&hash, matrix->coefficients, terms);
    }
    crypto_generichash_final(&hash, out, CUZK_FINGERPRINT_BYTES);
}
