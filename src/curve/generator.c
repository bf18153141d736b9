#include "curve/generator.h"

#include "base/mem.h"

void cuzk_g1_generator_multiple(const struct cuzk_fr *scalar, struct cuzk_g1_affine *out)
{
    uint64_t words[4];
    struct cuzk_g1 point;

    cuzk_fr_to_words(scalar, words);
    cuzk_g1_from_affine(&cuzk_g1_generator, &point);
    cuzk_g1_mul(&point, words, &point);
    cuzk_g1_to_affine(&point, out);
    cuzk_mem_wipe(words, sizeof words);
}

void cuzk_g2_generator_multiple(const struct cuzk_fr *scalar, struct cuzk_g2_affine *out)
{
    uint64_t words[4];
    struct cuzk_g2 point;

    cuzk_fr_to_words(scalar, words);
    cuzk_g2_from_affine(&cuzk_g2_generator, &point);
    cuzk_g2_mul(&point, words, &point);
    cuzk_g2_to_affine(&point, out);
    cuzk_mem_wipe(words, sizeof words);
}
