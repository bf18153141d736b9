#include "pairing/pairing.h"

#include "base/cpu.h"
#include "pairing/kernel.h"
#include "pairing/kernel_ifma.h"

static const struct cuzk_pairing_kernel *kernel(void)
{
    return cuzk_cpu_level() >= CUZK_CPU_ADX ? &cuzk_pairing_kernel_adx : &cuzk_pairing_kernel_portable;
}

void cuzk_g2_prepare(const struct cuzk_g2_affine *q, struct cuzk_g2_prepared *out)
{
    kernel()->prepare(q, out);
}

/* whether a term contributes one */
static bool is_trivial(const struct cuzk_pairing_term *term)
{
    return cuzk_g1_affine_is_identity(term->p) ||
           (term->prepared != NULL ? term->prepared->infinity : cuzk_g2_affine_is_identity(term->q));
}

/* Terms are gathered into groups, so that prepared ones and those of infinity may stand anywhere: whole
 * eights of unprepared ones go to the lanes, all others to the kernel. */
static void miller_loop_lanes(const struct cuzk_pairing_term *terms, size_t n, struct cuzk_fp12 *out)
{
    enum { GROUP = 32 };
    struct cuzk_pairing_term group[GROUP], rest[GROUP];
    struct cuzk_fp12 lanes[CUZK_PAIRING_LANES], f;
    struct cuzk_pairing_kernel const *k = kernel();

    cuzk_fp12_one(out);
    for (size_t i = 0; i < n;) {
        size_t m = 0, others = 0;
        for (; i < n && m < GROUP && others < GROUP; i++) {
            if (is_trivial(&terms[i]))
                continue;
            if (terms[i].prepared != NULL)
                rest[others++] = terms[i];
            else
                group[m++] = terms[i];
        }
        const size_t done = cuzk_pairing_ifma_lanes(group, m, lanes);
        if (done > 0) {
            for (size_t lane = 1; lane < CUZK_PAIRING_LANES; lane++)
                cuzk_fp12_mul(&lanes[0], &lanes[lane], &lanes[0]);
            cuzk_fp12_conjugate(&lanes[0], &lanes[0]);
            cuzk_fp12_mul(out, &lanes[0], out);
        }
        if (done < m) {
            k->miller_loop(group + done, m - done, &f);
            cuzk_fp12_mul(out, &f, out);
        }
        if (others > 0) {
            k->miller_loop(rest, others, &f);
            cuzk_fp12_mul(out, &f, out);
        }
    }
}

void cuzk_miller_loop(const struct cuzk_pairing_term *terms, size_t n, struct cuzk_fp12 *out)
{
    if (n >= CUZK_PAIRING_LANES && cuzk_cpu_level() >= CUZK_CPU_IFMA)
        miller_loop_lanes(terms, n, out);
    else
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
