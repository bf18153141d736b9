/*
 * The optimal ate pairing of BLS12-381.
 *
 * cuzk_miller_loop gives a product of Miller functions over several pairs of points;
 * cuzk_final_exponentiation takes it to the power 3 (p^12 - 1) / r, so e(P, Q) here is the cube of the
 * reduced pairing (as is usual for this curve): bilinear, non-degenerate, of order r. Infinity on either side
 * contributes one. Points must lie in their subgroups of order r. Variable time. Thread-safe.
 *
 * Sources: Vercauteren, "Optimal pairings" (IACR 2008/096); Aranha et al., "Faster explicit formulas for
 * computing pairings over ordinary curves" (IACR 2010/526); Hayashida, Hayasaka, Teruya, "Efficient final
 * exponentiation via cyclotomic structure" (IACR 2020/875).
 */
#ifndef CUZK_PAIRING_PAIRING_H
#define CUZK_PAIRING_PAIRING_H

#include "curve/g1.h"
#include "curve/g2.h"
#include "field/fp12.h"

/* steps of the loop over |x| = 0xd201000000010000: 63 doublings and 5 additions */
enum { CUZK_PAIRING_LINES = 68 };

/* The line y - slope x + constant = 0 through a multiple of Q, constant = slope x_T - y_T. */
struct cuzk_pairing_line {
    struct cuzk_fp2 slope, constant;
};

/* What the Miller loop needs of a G2 point that many pairings share. */
struct cuzk_g2_prepared {
    bool infinity;
    struct cuzk_pairing_line lines[CUZK_PAIRING_LINES];
};

/* A pair of points; q is used where prepared is NULL. */
struct cuzk_pairing_term {
    const struct cuzk_g1_affine *p;
    const struct cuzk_g2_affine *q;
    const struct cuzk_g2_prepared *prepared;
};

#ifdef __cplusplus
extern "C" {
#endif

void cuzk_g2_prepare(const struct cuzk_g2_affine *q, struct cuzk_g2_prepared *out);

/* The product over n terms; one for n = 0. Terms share the squarings. */
void cuzk_miller_loop(const struct cuzk_pairing_term *terms, size_t n, struct cuzk_fp12 *out);

/* f^(3 (p^12 - 1) / r); f is not zero. */
void cuzk_final_exponentiation(const struct cuzk_fp12 *f, struct cuzk_fp12 *out);

/* e(p, q). */
void cuzk_pairing(const struct cuzk_g1_affine *p, const struct cuzk_g2_affine *q, struct cuzk_fp12 *out);

#ifdef __cplusplus
}
#endif

#endif
