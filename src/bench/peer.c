/*
 * bench_peer: our arithmetic beside blst's, in one process on one thread, sample by sample in turn.
 *
 * Figures are minima of processor time, the least disturbed runs of both. Every MSM is compared as a point.
 * Exits with 1 if a result differs, 2 if something could not run. Built only with CUZK_BLST_DIR.
 */
#include <stdio.h>
#include <stdlib.h>

#include <blst.h>
#include <blst_aux.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "bench/field_loops.h"
#include "bench/msm.h"
#include "msm/msm.h"

enum { ROUNDS = 64, FIELD_SAMPLES = 400, LOG_LEAST = 16, LOG_MOST = 20, LOG_G2 = 16 };

_Static_assert(sizeof(blst_fp) == sizeof(struct cuzk_fp) &&
                   sizeof(blst_p1_affine) == sizeof(struct cuzk_g1_affine) &&
                   sizeof(blst_p2_affine) == sizeof(struct cuzk_g2_affine) &&
                   sizeof(blst_p1) == sizeof(struct cuzk_g1) && sizeof(blst_p2) == sizeof(struct cuzk_g2),
               "both keep Montgomery form for 2^384 in the same words");

static int differences;

static void blst_fp_loop(struct cuzk_fp *operands, size_t n, size_t rounds)
{
    blst_fp *a = (blst_fp *)operands;

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < n; i++)
            blst_fp_mul(&a[i], &a[i], &a[i + 1 < n ? i + 1 : 0]);
}

static void blst_fr_loop(struct cuzk_fr *operands, size_t n, size_t rounds)
{
    blst_fr *a = (blst_fr *)operands;

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < n; i++)
            blst_fr_mul(&a[i], &a[i], &a[i + 1 < n ? i + 1 : 0]);
}

static void blst_fp_chain(struct cuzk_fp *operands, size_t products)
{
    blst_fp *a = (blst_fp *)operands;

    for (size_t i = 0; i < products; i++)
        blst_fp_mul(&a[0], &a[0], &a[1]);
}

struct loop {
    const char *name;
    enum cuzk_cpu_level level;
    void (*fp)(struct cuzk_fp *operands, size_t n, size_t rounds);
    void (*chain)(struct cuzk_fp *operands, size_t products);
    void (*fr)(struct cuzk_fr *operands, size_t n, size_t rounds);
};

/* The first loop of each kind is blst's. */
static const struct loop loops[] = {
    {.name = "Fp multiply: blst", .fp = blst_fp_loop},
    {.name = "Fp multiply: portable C", .fp = cuzk_bench_fp_mul_portable},
    {.name = "Fp multiply: ADX", .level = CUZK_CPU_ADX, .fp = cuzk_bench_fp_mul_adx},
    {.name = "Fp multiply: 8 lanes IFMA", .level = CUZK_CPU_IFMA, .fp = cuzk_bench_fp_mul_ifma},
    {.name = "Fp multiply, one chain: blst", .chain = blst_fp_chain},
    {.name = "Fp multiply, one chain: portable C", .chain = cuzk_bench_fp_chain_portable},
    {.name = "Fp multiply, one chain: ADX", .level = CUZK_CPU_ADX, .chain = cuzk_bench_fp_chain_adx},
    {.name = "Fr multiply: blst", .fr = blst_fr_loop},
    {.name = "Fr multiply: portable C", .fr = cuzk_bench_fr_mul_portable},
    {.name = "Fr multiply: 8 lanes IFMA", .level = CUZK_CPU_IFMA, .fr = cuzk_bench_fr_mul_ifma},
};

enum { LOOPS = sizeof loops / sizeof loops[0] };

static void run_loop(const struct loop *loop, struct cuzk_fp *fp, struct cuzk_fr *fr, size_t rounds)
{
    if (loop->fp != NULL)
        loop->fp(fp, CUZK_BENCH_OPERANDS, rounds);
    if (loop->chain != NULL)
        loop->chain(fp, CUZK_BENCH_OPERANDS * rounds);
    if (loop->fr != NULL)
        loop->fr(fr, CUZK_BENCH_OPERANDS, rounds);
}

static void compare_fields(void)
{
    static struct cuzk_fp fp[CUZK_BENCH_OPERANDS];
    static struct cuzk_fr fr[CUZK_BENCH_OPERANDS];
    double least[LOOPS], peer = 0;

    cuzk_fp_from_u64(3, &fp[0]);
    cuzk_fr_from_u64(3, &fr[0]);
    for (int i = 1; i < CUZK_BENCH_OPERANDS; i++) {
        cuzk_fp_sqr(&fp[i - 1], &fp[i]);
        cuzk_fr_sqr(&fr[i - 1], &fr[i]);
    }
    for (int i = 0; i < LOOPS; i++)
        least[i] = 1e18;
    for (int sample = 0; sample < FIELD_SAMPLES; sample++) {
        for (int i = 0; i < LOOPS; i++) {
            if (loops[i].level > cuzk_cpu_level())
                continue;
            const uint64_t start = cuzk_clock_cpu_ns();
            run_loop(&loops[i], fp, fr, ROUNDS);
            const double ns = (double)(cuzk_clock_cpu_ns() - start) / (ROUNDS * CUZK_BENCH_OPERANDS);
            if (ns < least[i])
                least[i] = ns;
        }
    }
    for (int i = 0; i < LOOPS; i++) {
        if (loops[i].level > cuzk_cpu_level())
            continue;
        if (loops[i].fp == blst_fp_loop || loops[i].chain == blst_fp_chain || loops[i].fr == blst_fr_loop)
            peer = least[i];
        printf("%-40s %8.2f ns %9.2f x\n", loops[i].name, least[i], peer / least[i]);
    }
}

struct msm_case {
    size_t n;
    const uint64_t (*scalars)[4];
    const struct cuzk_g1_affine *g1; /* one of the two */
    const struct cuzk_g2_affine *g2;
    struct cuzk_g1 sum_g1, peer_g1;
    struct cuzk_g2 sum_g2, peer_g2;
};

static enum cuzk_status run_peer(struct msm_case *c)
{
    const byte *scalars[2] = {(const byte *)c->scalars, NULL};
    limb_t *scratch = NULL;
    struct cuzk_error err;

    const size_t bytes = c->g1 != NULL ? blst_p1s_mult_pippenger_scratch_sizeof(c->n)
                                       : blst_p2s_mult_pippenger_scratch_sizeof(c->n);
    CUZK_TRY(cuzk_mem_alloc(bytes, 1, "blst's scratch", (void **)&scratch, &err));
    if (c->g1 != NULL) {
        const blst_p1_affine *points[2] = {(const blst_p1_affine *)c->g1, NULL};
        blst_p1s_mult_pippenger((blst_p1 *)&c->peer_g1, points, c->n, scalars, 255, scratch);
    } else {
        const blst_p2_affine *points[2] = {(const blst_p2_affine *)c->g2, NULL};
        blst_p2s_mult_pippenger((blst_p2 *)&c->peer_g2, points, c->n, scalars, 255, scratch);
    }
    cuzk_mem_free(scratch);
    return CUZK_OK;
}

static enum cuzk_status run_ours(struct msm_case *c)
{
    return c->g1 != NULL ? cuzk_msm_g1(NULL, c->g1, c->scalars, c->n, &c->sum_g1, NULL)
                         : cuzk_msm_g2(NULL, c->g2, c->scalars, c->n, &c->sum_g2, NULL);
}

/* Both in turn at every level that this processor has. */
static enum cuzk_status compare_msm(struct msm_case *c, unsigned log_n)
{
    static const enum cuzk_cpu_level levels[] = {CUZK_CPU_PORTABLE, CUZK_CPU_ADX, CUZK_CPU_IFMA};
    const enum cuzk_cpu_level best = cuzk_cpu_level();
    const unsigned samples = log_n <= 16 ? 5 : 3;
    double least[CUZK_CPU_IFMA + 1], peer = 1e18;

    for (int level = 0; level <= CUZK_CPU_IFMA; level++)
        least[level] = 1e18;
    for (unsigned sample = 0; sample < samples; sample++) {
        uint64_t start = cuzk_clock_cpu_ns();
        CUZK_TRY(run_peer(c));
        double seconds = (double)(cuzk_clock_cpu_ns() - start) * 1e-9;
        if (seconds < peer)
            peer = seconds;
        for (int level = (int)best; level >= CUZK_CPU_PORTABLE; level--) {
            if (level != (int)best && sample > 0 && log_n > 18)
                continue; /* the slower levels once */
            (void)cuzk_cpu_set_level(levels[level]);
            start = cuzk_clock_cpu_ns();
            const enum cuzk_status status = run_ours(c);
            seconds = (double)(cuzk_clock_cpu_ns() - start) * 1e-9;
            (void)cuzk_cpu_set_level(best);
            CUZK_TRY(status);
            if (seconds < least[level])
                least[level] = seconds;
            const bool equal = c->g1 != NULL ? cuzk_g1_equal(&c->sum_g1, &c->peer_g1)
                                             : cuzk_g2_equal(&c->sum_g2, &c->peer_g2);
            if (!equal) {
                differences++;
                printf("MSM of 2^%u at level %s: the sums differ\n", log_n,
                       cuzk_cpu_level_name(levels[level]));
            }
        }
    }
    const char *group = c->g1 != NULL ? "G1" : "G2";
    printf("%s MSM 2^%u: %-28s %8.4f s %9.2f x\n", group, log_n, "blst", peer, 1.0);
    for (int level = CUZK_CPU_PORTABLE; level <= (int)best; level++)
        printf("%s MSM 2^%u: %-28s %8.4f s %9.2f x\n", group, log_n, cuzk_cpu_level_name(levels[level]),
               least[level], peer / least[level]);
    fflush(stdout);
    return CUZK_OK;
}

int main(void)
{
    const size_t n = (size_t)1 << LOG_MOST, n2 = (size_t)1 << LOG_G2;
    struct cuzk_g1_affine *g1 = NULL;
    struct cuzk_g2_affine *g2 = NULL;
    uint64_t(*scalars)[4] = NULL;
    struct cuzk_error err = {0};
    enum cuzk_status status;

    printf("%s, level %s, one thread; minima of processor time; x: times as fast as blst\n", cuzk_cpu_name(),
           cuzk_cpu_level_name(cuzk_cpu_level()));
    compare_fields();
    CUZK_TRY_OUT(CUZK_NEW(&g1, n, "bases", &err));
    CUZK_TRY_OUT(CUZK_NEW(&g2, n2, "bases", &err));
    CUZK_TRY_OUT(CUZK_NEW(&scalars, n, "scalars", &err));
    CUZK_TRY_OUT(cuzk_bench_msm_bases(NULL, n, g1, NULL, &err));
    CUZK_TRY_OUT(cuzk_bench_msm_bases(NULL, n2, NULL, g2, &err));
    cuzk_bench_msm_scalars(2, n, scalars);
    for (unsigned log_n = LOG_LEAST; log_n <= LOG_MOST; log_n += 2) {
        struct msm_case c = {.n = (size_t)1 << log_n, .scalars = (const uint64_t(*)[4])scalars, .g1 = g1};
        CUZK_TRY_OUT(compare_msm(&c, log_n));
    }
    struct msm_case c = {.n = n2, .scalars = (const uint64_t(*)[4])scalars, .g2 = g2};
    CUZK_TRY_OUT(compare_msm(&c, LOG_G2));
out:
    cuzk_mem_free(g1);
    cuzk_mem_free(g2);
    cuzk_mem_free(scalars);
    if (status != CUZK_OK) {
        fprintf(stderr, "bench_peer: %s\n", err.message[0] != '\0' ? err.message : cuzk_status_text(status));
        return 2;
    }
    return differences != 0;
}
