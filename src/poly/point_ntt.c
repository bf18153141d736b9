#include "poly/point_ntt.h"

#include "curve/split.h"
#include "poly/ntt_strip.h"

enum { GRAIN = 1 << 4, ROUND = 1 << 14 };

struct transform {
    struct cuzk_g1 *points;
    unsigned log_n, level;
    struct cuzk_ntt_twist twist;
    struct cuzk_fr root; /* of order 2^(level + 1), inverse */
    size_t first;        /* of this round */
};

/* Adds digit times the point of the table, or of its image under x^2. */
static void add_digit(const struct cuzk_g1 table[CUZK_SPLIT_LARGEST + 1], int digit, bool image,
                      struct cuzk_g1 *sum)
{
    struct cuzk_g1 t;

    if (digit == 0)
        return;
    t = table[digit < 0 ? -digit : digit];
    if (image)
        cuzk_split_times_beta(&t.x);
    if ((digit < 0) != image)
        cuzk_g1_neg(&t, &t);
    cuzk_g1_add(sum, &t, sum);
}

static void times(const struct cuzk_g1 *point, const struct cuzk_fr *scalar, struct cuzk_g1 *out)
{
    struct cuzk_g1 table[CUZK_SPLIT_LARGEST + 1], sum;
    struct cuzk_split split;
    uint64_t words[4];

    cuzk_fr_to_words(scalar, words);
    cuzk_split_scalar(words, &split);
    cuzk_g1_identity(&sum);
    table[1] = *point;
    for (int d = 2; d <= CUZK_SPLIT_LARGEST; d++) {
        if (d % 2 == 0)
            cuzk_g1_double(&table[d / 2], &table[d]);
        else
            cuzk_g1_add(&table[d - 1], point, &table[d]);
    }
    for (int i = CUZK_SPLIT_DIGITS - 1; i >= 0; i--) {
        for (int k = 0; k < CUZK_SPLIT_WINDOW && i < CUZK_SPLIT_DIGITS - 1; k++)
            cuzk_g1_double(&sum, &sum);
        add_digit(table, cuzk_split_digit(&split.low, i), false, &sum);
        add_digit(table, cuzk_split_digit(&split.high, i), true, &sum);
    }
    *out = sum;
}

static void scale_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct transform *job = context;
    struct cuzk_fr factor;

    (void)worker;
    cuzk_fr_pow_u64(&job->twist.ratio, job->first + begin, &factor);
    cuzk_fr_mul(&factor, &job->twist.first, &factor);
    for (size_t i = job->first + begin; i < job->first + end; i++) {
        times(&job->points[i], &factor, &job->points[i]);
        cuzk_fr_mul(&factor, &job->twist.ratio, &factor);
    }
}

/* Butterflies of a level: pairs 2^level apart whose lower member's index has that bit clear. */
static void butterfly_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct transform *job = context;
    const size_t half = (size_t)1 << job->level;
    struct cuzk_fr factor, one;

    (void)worker;
    cuzk_fr_one(&one);
    cuzk_fr_pow_u64(&job->root, (job->first + begin) & (half - 1), &factor);
    for (size_t b = job->first + begin; b < job->first + end; b++) {
        const size_t j = b & (half - 1);
        struct cuzk_g1 *lo = &job->points[(b - j) * 2 + j], *hi = lo + half, t;
        if (j == 0) {
            factor = one;
            t = *hi;
        } else {
            times(hi, &factor, &t);
        }
        cuzk_g1_neg(&t, hi);
        cuzk_g1_add(lo, hi, hi);
        cuzk_g1_add(lo, &t, lo);
        cuzk_fr_mul(&factor, &job->root, &factor);
    }
}

static void reverse(struct cuzk_g1 *points, unsigned log_n)
{
    for (size_t i = 0; i < (size_t)1 << log_n; i++) {
        const size_t k = cuzk_strip_reverse(i, log_n);
        if (i < k) {
            const struct cuzk_g1 t = points[i];
            points[i] = points[k];
            points[k] = t;
        }
    }
}

/* A pass over n elements in rounds, so that progress is told and asked for in between. */
static enum cuzk_status run_pass(struct cuzk_pool *pool, struct transform *job, size_t n,
                                 void (*task)(void *, size_t, size_t, unsigned),
                                 const struct cuzk_progress *progress, uint64_t *done, uint64_t total,
                                 struct cuzk_error *err)
{
    for (job->first = 0; job->first < n; job->first += ROUND) {
        const size_t count = n - job->first < ROUND ? n - job->first : ROUND;
        CUZK_TRY(cuzk_progress_check(progress, err));
        cuzk_pool_range(pool, count, GRAIN, task, job);
        *done += count;
        cuzk_progress_report(progress, "transform of the points of h", *done, total);
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_point_ntt_inverse(struct cuzk_pool *pool, unsigned log_n,
                                        const struct cuzk_ntt_twist *twist, struct cuzk_g1 *points,
                                        const struct cuzk_progress *progress, struct cuzk_error *err)
{
    const size_t n = (size_t)1 << log_n;
    const uint64_t total = n + n / 2 * log_n;
    struct transform job = {.points = points, .log_n = log_n, .twist = *twist};
    uint64_t done = 0;

    if (log_n > 31)
        return cuzk_error_set(err, CUZK_ARGUMENT, "transform of 2^%u points: at most 2^31 are supported",
                              log_n);
    CUZK_TRY(run_pass(pool, &job, n, scale_range, progress, &done, total, err));
    reverse(points, log_n);
    for (job.level = 0; job.level < log_n; job.level++) {
        cuzk_fr_root_of_unity(job.level + 1, &job.root);
        cuzk_fr_inverse(&job.root, &job.root);
        CUZK_TRY(run_pass(pool, &job, n / 2, butterfly_range, progress, &done, total, err));
    }
    return CUZK_OK;
}
