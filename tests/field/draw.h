/* Elements of Fp for tests: any, and one in eight within a step or two of 0 or p. */
#ifndef CUZK_TESTS_FIELD_DRAW_H
#define CUZK_TESTS_FIELD_DRAW_H

#include <string.h>

#include "field/fp.h"
#include "support/random.h"

static inline void test_draw_fp(struct test_random *random, struct cuzk_fp *out)
{
    static const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;

    if (test_random_below(random, 8) == 0) { /* near zero or p */
        memset(out, 0, sizeof *out);
        out->l[0] = test_random_below(random, 3);
        if (test_random_u64(random) & 1)
            for (int i = 0; i < CUZK_FP_LIMBS; i++)
                out->l[i] = m[i] - (i == 0 ? 1 + out->l[0] : 0);
        return;
    }
    do {
        test_random_bytes(random, out->l, sizeof out->l);
        out->l[5] &= UINT64_MAX >> 3;
    } while (!cuzk_fp_words_are_reduced(out->l));
}

#endif
