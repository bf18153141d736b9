#include "pairing/pairing.h"

#include "base/cpu.h"
#include "pairing/kernel.h"

static const struct cuzk_pairing_kernel *kernel(void)
{
    switch (cuzk_cpu_level()) {
    case CUZK_CPU_IFMA:
        return &cuzk_pairing_kernel_ifma;
    case CUZK_CPU_ADX:
        return &cuzk_pairing_kernel_adx;
    default:
        return &cuzk_pairing_kernel_portable;
    }
}

void cuzk_g2_prepare(const struct cuzk_g2_affine *q, struct cuzk_g2_prepared *out)
{
    kernel()->prepare(q, out);
}

void cuzk_miller_loop(const struct cuzk_pairing_term *terms, size_t n, struct cuzk_fp12 *out)
{
    kernel()->miller_loop(terms, n, out);
}

void cuzk_final_exponentiation(const struct cuzk_fp12 *f, struct cuzk_fp12 *out)
{
    kernel()->final_exponentiation(f, out);
}

void cuzk_pairing(const struct cuzk_g1_affine *p, const struct cuzk_g2_affine *q, struct cuzk_fp12 *out)
{
    const struct cuzk_pairing_term term = {.p = p, .q = q};
    struct cuzk_fp12 f;

    cuzk_miller_loop(&term, 1, &f);
    cuzk_final_exponentiation(&f, out);
}
