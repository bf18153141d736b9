/* Compiled with CUZK_IFMA_FLAGS and CUZK_FP_ADX. */
#include "pairing/kernel.h"

#include "pairing/miller_lanes.h"
#include "pairing/miller_spread.h"

enum { GROUP = CUZK_PAIRING_LANES * CUZK_PAIRING_VECTORS };

/* whether a term contributes one */
static bool is_trivial(const struct cuzk_pairing_term *term)
{
    return cuzk_g1_law_affine_is_identity(term->p) ||
           (term->prepared != NULL ? term->prepared->infinity : cuzk_g2_law_affine_is_identity(term->q));
}

/* Whole eights of pairs that are not prepared go to the lanes, all others are done one by one. */
static void miller_loop(const struct cuzk_pairing_term *terms, size_t n, struct cuzk_fp12 *out)
{
    struct cuzk_pairing_term plain[GROUP], rest[CUZK_PAIRING_SPREAD_TERMS];
    size_t plains = 0, rests = 0;
    struct cuzk_fp12 f;

    cuzk_fp12_one(out);
    for (size_t i = 0; i <= n; i++) {
        if (i < n && !is_trivial(&terms[i])) {
            if (terms[i].prepared != NULL)
                rest[rests++] = terms[i];
            else
                plain[plains++] = terms[i];
        }
        if (plains == GROUP || (i == n && plains >= CUZK_PAIRING_LANES)) {
            const size_t vectors = plains / CUZK_PAIRING_LANES, done = vectors * CUZK_PAIRING_LANES;
            cuzk_pairing_lanes_loop(plain, vectors, &f);
            cuzk_fp12_mul(out, &f, out);
            plains -= done;
            for (size_t k = 0; k < plains; k++)
                plain[k] = plain[done + k];
        }
        while (rests == CUZK_PAIRING_SPREAD_TERMS || (i == n && rests + plains > 0)) {
            while (i == n && plains > 0 && rests < CUZK_PAIRING_SPREAD_TERMS)
                rest[rests++] = plain[--plains];
            cuzk_pairing_spread_loop(rest, rests, &f);
            cuzk_fp12_mul(out, &f, out);
            rests = 0;
        }
    }
    cuzk_fp12_conjugate(out, out); /* x is negative */
}

const struct cuzk_pairing_kernel cuzk_pairing_kernel_ifma = {
    .prepare = cuzk_pairing_kernel_prepare,
    .miller_loop = miller_loop,
    .final_exponentiation = cuzk_pairing_spread_final_exponentiation,
};
