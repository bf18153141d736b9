#include "bench/field.h"

#include "base/cpu.h"
#include "base/mem.h"
#include "bench/field_loops.h"

/* Enough operations that a sample takes a few milliseconds, over few enough operands to stay in the first
 * cache. */
enum { OPERANDS = CUZK_BENCH_OPERANDS, ROUNDS = 512, INVERSIONS = 64 };

struct operands {
    struct cuzk_fp fp[OPERANDS];
    struct cuzk_fr fr[OPERANDS];
};

/* A case by its loop: over many independent operands of Fp or Fr, or one chain. */
struct loop {
    const char *name;
    enum cuzk_cpu_level level; /* that it needs */
    void (*fp)(struct cuzk_fp *operands, size_t n, size_t rounds);
    void (*fr)(struct cuzk_fr *operands, size_t n, size_t rounds);
    void (*chain)(struct cuzk_fp *operands, size_t products);
};

struct work {
    const struct loop *loop;
    struct operands *set;
};

static enum cuzk_status run_loop(void *context, struct cuzk_error *err)
{
    const struct work *work = context;

    (void)err;
    if (work->loop->fp != NULL)
        work->loop->fp(work->set->fp, OPERANDS, ROUNDS);
    if (work->loop->fr != NULL)
        work->loop->fr(work->set->fr, OPERANDS, ROUNDS);
    if (work->loop->chain != NULL)
        work->loop->chain(work->set->fp, (size_t)OPERANDS * ROUNDS);
    return CUZK_OK;
}

static enum cuzk_status run_fp_inverse(void *context, struct cuzk_error *err)
{
    struct operands *set = context;

    (void)err;
    for (int i = 0; i < INVERSIONS; i++)
        cuzk_fp_inverse(&set->fp[i], &set->fp[i]);
    return CUZK_OK;
}

static enum cuzk_status run_fr_inverse(void *context, struct cuzk_error *err)
{
    struct operands *set = context;

    (void)err;
    for (int i = 0; i < INVERSIONS; i++)
        cuzk_fr_inverse(&set->fr[i], &set->fr[i]);
    return CUZK_OK;
}

enum cuzk_status cuzk_bench_field(const struct cuzk_progress *progress,
                                  struct cuzk_bench_result results[CUZK_BENCH_FIELD_CASES], size_t *count,
                                  struct cuzk_error *err)
{
    static const struct loop loops[] = {
        {"fp multiply, portable", CUZK_CPU_PORTABLE, .fp = cuzk_bench_fp_mul_portable},
        {"fp multiply, adx", CUZK_CPU_ADX, .fp = cuzk_bench_fp_mul_adx},
        {"fp multiply, 8 lanes", CUZK_CPU_IFMA, .fp = cuzk_bench_fp_mul_ifma},
        {"fp square, 8 lanes", CUZK_CPU_IFMA, .fp = cuzk_bench_fp_sqr_ifma},
        {"fp multiply latency, portable", CUZK_CPU_PORTABLE, .chain = cuzk_bench_fp_chain_portable},
        {"fp multiply latency, adx", CUZK_CPU_ADX, .chain = cuzk_bench_fp_chain_adx},
        {"fr multiply, portable", CUZK_CPU_PORTABLE, .fr = cuzk_bench_fr_mul_portable},
        {"fr multiply, 8 lanes", CUZK_CPU_IFMA, .fr = cuzk_bench_fr_mul_ifma},
    };
    static const struct {
        const char *name;
        enum cuzk_status (*run)(void *context, struct cuzk_error *err);
    } inversions[] = {{"fp inverse", run_fp_inverse}, {"fr inverse", run_fr_inverse}};
    enum cuzk_status status = CUZK_OK;
    struct operands *set;

    *count = 0;
    CUZK_TRY(CUZK_NEW(&set, 1, "field operands", err));
    cuzk_fp_one(&set->fp[0]);
    cuzk_fr_one(&set->fr[0]);
    cuzk_fp_double(&set->fp[0], &set->fp[0]);
    cuzk_fr_double(&set->fr[0], &set->fr[0]);
    for (int i = 1; i < OPERANDS; i++) { /* 2^(2^i) */
        cuzk_fp_sqr(&set->fp[i - 1], &set->fp[i]);
        cuzk_fr_sqr(&set->fr[i - 1], &set->fr[i]);
    }
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        struct work work = {&loops[i], set};
        const struct cuzk_bench_case what = {loops[i].name, "multiplication", (uint64_t)ROUNDS * OPERANDS,
                                             run_loop, &work};

        if (loops[i].level <= cuzk_cpu_level()) {
            CUZK_TRY_OUT(cuzk_bench_measure(&what, &cuzk_bench_default, progress, &results[*count], err));
            ++*count;
        }
    }
    for (size_t i = 0; i < sizeof inversions / sizeof inversions[0]; i++) {
        const struct cuzk_bench_case what = {inversions[i].name, "inversion", INVERSIONS, inversions[i].run,
                                             set};

        CUZK_TRY_OUT(cuzk_bench_measure(&what, &cuzk_bench_default, progress, &results[*count], err));
        ++*count;
    }
out:
    cuzk_mem_free(set);
    return status;
}
