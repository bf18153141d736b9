#include "bench/field.h"

#include "base/mem.h"
#include "field/fp.h"
#include "field/fr.h"

/* Enough operations that a sample takes a few milliseconds, over few enough operands to stay in the first
 * cache. */
enum { OPERANDS = 128, ROUNDS = 512, INVERSIONS = 64 };

struct operands {
    struct cuzk_fp fp[OPERANDS];
    struct cuzk_fr fr[OPERANDS];
};

/* Independent chains: the throughput that loops over vectors see. */
static enum cuzk_status run_fp_mul(void *context, struct cuzk_error *err)
{
    struct operands *set = context;

    (void)err;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < OPERANDS; i++)
            cuzk_fp_mul(&set->fp[i], &set->fp[(i + 1) % OPERANDS], &set->fp[i]);
    return CUZK_OK;
}

/* One chain: each product waits for the one before. */
static enum cuzk_status run_fp_latency(void *context, struct cuzk_error *err)
{
    struct operands *set = context;

    (void)err;
    for (int i = 0; i < ROUNDS * OPERANDS; i++)
        cuzk_fp_mul(&set->fp[0], &set->fp[1], &set->fp[0]);
    return CUZK_OK;
}

static enum cuzk_status run_fr_mul(void *context, struct cuzk_error *err)
{
    struct operands *set = context;

    (void)err;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < OPERANDS; i++)
            cuzk_fr_mul(&set->fr[i], &set->fr[(i + 1) % OPERANDS], &set->fr[i]);
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

enum cuzk_status cuzk_bench_field(const struct cuzk_progress *progress,
                                  struct cuzk_bench_result results[CUZK_BENCH_FIELD_CASES], size_t *count,
                                  struct cuzk_error *err)
{
    static const struct {
        const char *name, *unit;
        uint64_t units;
        enum cuzk_status (*run)(void *context, struct cuzk_error *err);
    } cases[] = {
        {"fp multiply", "multiplication", (uint64_t)ROUNDS * OPERANDS, run_fp_mul},
        {"fp multiply latency", "multiplication", (uint64_t)ROUNDS * OPERANDS, run_fp_latency},
        {"fr multiply", "multiplication", (uint64_t)ROUNDS * OPERANDS, run_fr_mul},
        {"fp inverse", "inversion", INVERSIONS, run_fp_inverse},
    };
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct cuzk_bench_case what = {cases[i].name, cases[i].unit, cases[i].units, cases[i].run, set};

        CUZK_TRY_OUT(cuzk_bench_measure(&what, &cuzk_bench_default, progress, &results[*count], err));
        ++*count;
    }
out:
    cuzk_mem_free(set);
    return status;
}
