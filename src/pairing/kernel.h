/* The pairing's functions, compiled once for each arithmetic level and chosen at run time (base/cpu.h). */
#ifndef CUZK_PAIRING_KERNEL_H
#define CUZK_PAIRING_KERNEL_H

#include "pairing/pairing.h"

struct cuzk_pairing_kernel {
    void (*prepare)(const struct cuzk_g2_affine *q, struct cuzk_g2_prepared *out);
    void (*miller_loop)(const struct cuzk_pairing_term *terms, size_t n, struct cuzk_fp12 *out);
    void (*final_exponentiation)(const struct cuzk_fp12 *f, struct cuzk_fp12 *out);
};

extern const struct cuzk_pairing_kernel cuzk_pairing_kernel_portable; /* kernel_portable.c */
extern const struct cuzk_pairing_kernel cuzk_pairing_kernel_adx;      /* kernel_adx.c */
extern const struct cuzk_pairing_kernel cuzk_pairing_kernel_ifma;     /* kernel_ifma.c */

#endif
