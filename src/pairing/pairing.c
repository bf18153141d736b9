#include "pairing/pairing.h"

#include "base/cpu.h"
#include "pairing/kernel.h"

static const struct cuzk_pairing_kernel *kernel(void)
{
    return cuzk_cpu_level() >= CUZK_CPU_ADX ? &cuzk_pairing_kernel_adx : &cuzk_pairing_kernel_portable;
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
