#include "backend/cpu/job.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "curve/encoding.h"
#include "msm/msm.h"
#include "poly/quotient.h"

enum { ROWS_GRAIN = 1 << 12 };

/* Bases of the h query converted at once: most of what the evaluations held is free by then. */
#define QUOTIENT_CHUNK ((size_t)1 << 20)

/* ---- key and job ---- */

enum cuzk_status cpu_key_create(struct cuzk_backend *backend, const struct cuzk_backend_plan *plan,
                                struct cuzk_backend_key **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cpu_key *key = NULL;

    *out = NULL;
    CUZK_TRY(cuzk_backend_plan_check(plan, err));
    CUZK_TRY(CUZK_NEW(&key, 1, "key", err));
    key->base.backend = backend;
    key->plan = *plan;
    CUZK_TRY_OUT(cuzk_ntt_create(plan->log_domain, &key->ntt, err));
    *out = &key->base;
    key = NULL;
out:
    if (key != NULL)
        cpu_key_destroy(&key->base);
    return status;
}

void cpu_key_destroy(struct cuzk_backend_key *base)
{
    struct cpu_key *key = (struct cpu_key *)base;

    cuzk_ntt_destroy(key->ntt);
    cuzk_mem_free(key);
}

enum cuzk_status cpu_job_create(struct cuzk_backend_key *key, struct cuzk_backend_job **out,
                                struct cuzk_error *err)
{
    struct cpu_job *job;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&job, 1, "proof job", err));
    job->base.key = key;
    *out = &job->base;
    return CUZK_OK;
}

void cpu_job_destroy(struct cuzk_backend_job *base)
{
    struct cpu_job *job = (struct cpu_job *)base;

    cuzk_mem_free_wiped(job->a);
    cuzk_mem_free_wiped(job->b);
    cuzk_mem_free_wiped(job->quotient);
    cuzk_mem_free(job);
}

static const struct cpu_key *key_of(const struct cpu_job *job)
{
    return (const struct cpu_key *)job->base.key;
}

static struct cuzk_pool *pool_of(const struct cpu_job *job)
{
    return ((const struct cpu_backend *)job->base.key->backend)->pool;
}

enum cuzk_status cpu_job_upload(struct cuzk_backend_job *base, const struct cuzk_witness *witness,
                                struct cuzk_error *err)
{
    (void)err;
    ((struct cpu_job *)base)->witness = witness;
    return CUZK_OK;
}

enum cuzk_status cpu_job_wait(struct cuzk_backend_job *base, struct cuzk_error *err)
{
    (void)base;
    (void)err;
    return CUZK_OK;
}

void cpu_job_times(const struct cuzk_backend_job *base, struct cuzk_backend_times *out)
{
    *out = ((const struct cpu_job *)base)->times;
}

/* ---- values on the domain ---- */

struct rows {
    const struct cuzk_backend_plan *plan;
    const struct cuzk_witness *witness;
    struct cuzk_fr *a, *b;
};

static void evaluate_rows(void *context, size_t begin, size_t end, unsigned worker)
{
    enum { STEP = 32 };
    const struct rows *rows = context;
    const struct cuzk_backend_plan *plan = rows->plan;
    const size_t mask = ((size_t)1 << plan->log_domain) - 1;

    (void)worker;
    if (plan->row_step != 1) {
        for (size_t row = begin; row < end; row += STEP) {
            const size_t stop = row + STEP < end ? row + STEP : end;
            struct cuzk_fr a[STEP], b[STEP];
            cuzk_r1cs_evaluate_rows(plan->r1cs, CUZK_MATRIX_A, plan->layout, rows->witness, (uint32_t)row,
                                    (uint32_t)stop, a);
            cuzk_r1cs_evaluate_rows(plan->r1cs, CUZK_MATRIX_B, plan->layout, rows->witness, (uint32_t)row,
                                    (uint32_t)stop, b);
            for (size_t k = row; k < stop; k++) {
                rows->a[(size_t)(plan->row_step * k) & mask] = a[k - row];
                rows->b[(size_t)(plan->row_step * k) & mask] = b[k - row];
            }
        }
        return;
    }
    cuzk_r1cs_evaluate_rows(plan->r1cs, CUZK_MATRIX_A, plan->layout, rows->witness, (uint32_t)begin,
                            (uint32_t)end, rows->a + begin);
    cuzk_r1cs_evaluate_rows(plan->r1cs, CUZK_MATRIX_B, plan->layout, rows->witness, (uint32_t)begin,
                            (uint32_t)end, rows->b + begin);
}

enum cuzk_status cpu_job_eval_ab(struct cuzk_backend_job *base, struct cuzk_error *err)
{
    struct cpu_job *job = (struct cpu_job *)base;
    const struct cuzk_backend_plan *plan = &key_of(job)->plan;
    const size_t domain = (size_t)1 << plan->log_domain;
    const uint64_t start = cuzk_clock_ns();

    if (job->witness == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "no witness was uploaded");
    cuzk_mem_free_wiped(job->a);
    cuzk_mem_free_wiped(job->b);
    job->a = job->b = NULL;
    CUZK_TRY(CUZK_NEW(&job->a, domain, "values of A", err)); /* zeroed: the rows beyond the last stay so */
    CUZK_TRY(CUZK_NEW(&job->b, domain, "values of B", err));
    struct rows rows = {plan, job->witness, job->a, job->b};
    cuzk_pool_range(pool_of(job), plan->r1cs->constraints, ROWS_GRAIN, evaluate_rows, &rows);
    for (size_t k = 0; k < plan->r1cs->inputs; k++)
        job->a[(size_t)(plan->row_step * (plan->r1cs->constraints + k)) & (domain - 1)] =
            job->witness->inputs[k];
    job->times.eval += cuzk_clock_ns() - start;
    return CUZK_OK;
}

enum cuzk_status cpu_job_quotient(struct cuzk_backend_job *base, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cpu_job *job = (struct cpu_job *)base;
    const struct cpu_key *key = key_of(job);
    struct cuzk_fr *product = NULL;
    const uint64_t start = cuzk_clock_ns();

    if (job->a == NULL || job->b == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "no values of A and B to take the quotient of");
    if (key->plan.h_basis != CUZK_H_COSET)
        CUZK_TRY_OUT(CUZK_NEW(&product, cuzk_ntt_size(key->ntt), "values of the product", err));
    switch (key->plan.h_basis) {
    case CUZK_H_MONOMIAL:
        CUZK_TRY_OUT(cuzk_quotient(key->ntt, pool_of(job), job->a, job->b, product, err));
        break;
    case CUZK_H_ODD_COSET:
        CUZK_TRY_OUT(
            cuzk_odd_coset_values(key->ntt, pool_of(job), key->plan.row_step, job->a, job->b, product, err));
        break;
    case CUZK_H_COSET:
        CUZK_TRY_OUT(cuzk_coset_products(key->ntt, pool_of(job), job->a, job->b, err));
        break;
    }
    cuzk_mem_free_wiped(job->quotient);
    job->quotient = job->a;
    job->a = NULL;
out:
    cuzk_mem_free_wiped(product);
    cuzk_mem_free_wiped(job->a);
    cuzk_mem_free_wiped(job->b);
    job->a = job->b = NULL;
    job->times.quotient += cuzk_clock_ns() - start;
    return status;
}

enum cuzk_status cpu_job_download(struct cuzk_backend_job *base, enum cuzk_backend_data what, size_t first,
                                  size_t n, struct cuzk_fr *out, struct cuzk_error *err)
{
    const struct cpu_job *job = (const struct cpu_job *)base;
    const struct cuzk_fr *from = what == CUZK_DATA_A ? job->a : what == CUZK_DATA_B ? job->b : job->quotient;
    const size_t domain = (size_t)1 << key_of(job)->plan.log_domain;

    if (from == NULL || first > domain || n > domain - first)
        return cuzk_error_set(err, CUZK_ARGUMENT, "nothing to download at [%zu, %zu)", first, first + n);
    memcpy(out, from + first, n * sizeof *out);
    return CUZK_OK;
}

/* ---- sums over the key ---- */

/* Who hears of every chunk of a sum: the query's own listener, and whoever may want the job to stop. */
struct audience {
    const struct cuzk_backend_query *query;
    const struct cuzk_progress *progress;
};

static enum cuzk_status chunk_done(void *context, size_t begin, size_t end, struct cuzk_error *err)
{
    const struct audience *audience = context;
    const struct cuzk_backend_query *query = audience->query;

    if (query->consumed != NULL)
        CUZK_TRY(query->consumed(query->context, begin, end, err));
    return cuzk_progress_check(audience->progress, err);
}

static struct cuzk_msm_raw raw_of(struct audience *audience, size_t chunk)
{
    return (struct cuzk_msm_raw){.bytes = audience->query->bytes,
                                 .n = audience->query->count,
                                 .name = audience->query->name,
                                 .chunk = chunk,
                                 .consumed = chunk_done,
                                 .context = audience};
}

static enum cuzk_status run_msm(struct cuzk_pool *pool, bool g2, const struct cuzk_msm_raw *bases,
                                const uint64_t (*scalars)[4], union cuzk_backend_point *out,
                                struct cuzk_error *err)
{
    return g2 ? cuzk_msm_g2_raw(pool, bases, scalars, &out->g2, err)
              : cuzk_msm_g1_raw(pool, bases, scalars, &out->g1, err);
}

/* How many bits of a bitmap are set in [0, n). */
static uint32_t selected(const uint64_t *bitmap, uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t k = 0; bitmap != NULL && k < n; k += 64) {
        const uint64_t mask = n - k >= 64 ? UINT64_MAX : (UINT64_C(1) << (n - k)) - 1;
        count += (uint32_t)__builtin_popcountll(bitmap[k / 64] & mask);
    }
    return count;
}

/* Some of a query's points beside their scalars, both copied out. */
struct gathered {
    size_t point_bytes, count, capacity;
    uint8_t *points;
    uint64_t (*scalars)[4];
};

static enum cuzk_status gather_create(bool g2, size_t capacity, struct gathered *out, struct cuzk_error *err)
{
    *out = (struct gathered){.point_bytes = g2 ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES, .capacity = capacity};
    CUZK_TRY(
        cuzk_mem_alloc(capacity, out->point_bytes, "points of wide variables", (void **)&out->points, err));
    return CUZK_NEW(&out->scalars, capacity, "values of wide variables", err);
}

static void gather_destroy(struct gathered *gathered)
{
    cuzk_mem_free(gathered->points);
    cuzk_mem_free_wiped(gathered->scalars);
}

static void gather_add(struct gathered *gathered, const struct cuzk_backend_query *query, size_t point,
                       const struct cuzk_fr *value)
{
    memcpy(gathered->points + gathered->count * gathered->point_bytes,
           query->bytes + point * gathered->point_bytes, gathered->point_bytes);
    cuzk_fr_to_words(value, gathered->scalars[gathered->count]);
    gathered->count++;
}

static void gather_inputs(const struct cuzk_backend_plan *plan, const struct cuzk_backend_query *query,
                          const struct cuzk_witness *witness, struct gathered *out)
{
    size_t point = 0;

    for (uint32_t k = 0; query->inputs != NULL && k < plan->r1cs->inputs; k++) {
        if (query->inputs[k / 64] >> (k % 64) & 1)
            gather_add(out, query, point++, &witness->inputs[k]);
    }
}

static void gather_wide(const struct cuzk_backend_plan *plan, const struct cuzk_backend_query *query,
                        const struct cuzk_witness *witness, struct gathered *out)
{
    const struct cuzk_witness_layout *layout = plan->layout;
    size_t point = selected(query->inputs, plan->r1cs->inputs);

    for (uint32_t w = 0; query->aux != NULL && w < (layout->aux + 63) / 64; w++) {
        uint64_t chosen = query->aux[w];
        if (w == layout->aux / 64)
            chosen &= (UINT64_C(1) << (layout->aux % 64)) - 1;
        for (uint64_t left = chosen & ~layout->is_bit[w]; left != 0; left &= left - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            const uint64_t below = (UINT64_C(1) << bit) - 1;
            gather_add(out, query, point + (size_t)__builtin_popcountll(chosen & below),
                       &witness->wide[cuzk_witness_wide_rank(layout, w * 64 + bit)]);
        }
        point += (size_t)__builtin_popcountll(chosen);
    }
}

/* The sum over the part of a query that a set of scalars, not the quotient, meets. */
static enum cuzk_status msm_gathered(const struct cpu_job *job, enum cuzk_scalar_set scalars,
                                     enum cuzk_query which, union cuzk_backend_point *out,
                                     struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const struct cuzk_backend_plan *plan = &key_of(job)->plan;
    const struct cuzk_backend_query *query = &plan->query[which];
    const bool g2 = cuzk_query_is_g2(which);
    struct gathered gathered;
    const size_t capacity =
        scalars == CUZK_SCALARS_INPUTS ? plan->r1cs->inputs : plan->layout->aux - plan->layout->bits;

    CUZK_TRY_OUT(gather_create(g2, capacity, &gathered, err));
    if (scalars == CUZK_SCALARS_INPUTS)
        gather_inputs(plan, query, job->witness, &gathered);
    else
        gather_wide(plan, query, job->witness, &gathered);
    const struct cuzk_msm_raw bases = {.bytes = gathered.points, .n = gathered.count, .name = query->name};
    CUZK_TRY_OUT(run_msm(pool_of(job), g2, &bases, (const uint64_t(*)[4])gathered.scalars, out, err));
    if (query->consumed != NULL)
        CUZK_TRY_OUT(query->consumed(query->context, 0, query->count, err));
out:
    gather_destroy(&gathered);
    return status;
}

enum cuzk_status cpu_job_msm_group(struct cuzk_backend_job *base, enum cuzk_scalar_set scalars,
                                   unsigned queries, union cuzk_backend_point out[CUZK_QUERIES],
                                   struct cuzk_error *err)
{
    struct cpu_job *job = (struct cpu_job *)base;
    const struct cuzk_backend_plan *plan = &key_of(job)->plan;
    const bool quotient = scalars == CUZK_SCALARS_QUOTIENT;

    if (quotient ? job->quotient == NULL : job->witness == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "the scalars of this sum were not made yet");
    for (int q = 0; q < CUZK_QUERIES; q++) {
        const uint64_t start = cuzk_clock_ns();
        if (!(queries >> q & 1))
            continue;
        if (quotient != (q == CUZK_QUERY_H))
            return cuzk_error_set(err, CUZK_ARGUMENT, "query %s has no such scalars", plan->query[q].name);
        if (quotient) {
            struct audience audience = {&plan->query[q], base->progress};
            const struct cuzk_msm_raw bases = raw_of(&audience, QUOTIENT_CHUNK);
            CUZK_TRY(run_msm(pool_of(job), false, &bases, (const uint64_t(*)[4])job->quotient, &out[q], err));
        } else {
            CUZK_TRY(msm_gathered(job, scalars, (enum cuzk_query)q, &out[q], err));
        }
        job->times.msm[q] += cuzk_clock_ns() - start;
    }
    return CUZK_OK;
}

/* ---- bits ---- */

/* Appends the low n bits of word to a bitmap that holds `at` bits. */
static void append_bits(uint64_t *bitmap, size_t at, uint64_t word, unsigned n)
{
    const unsigned shift = at % 64;

    bitmap[at / 64] |= word << shift;
    if (shift != 0 && shift + n > 64)
        bitmap[at / 64 + 1] |= word >> (64 - shift);
}

/* One word of aux variables: the bits of it that are boolean and 1, from the packed bits that start at rank.
 */
static uint64_t deposit(uint64_t is_bit, const uint64_t *bits, uint32_t rank)
{
    const unsigned n = (unsigned)__builtin_popcountll(is_bit), shift = rank % 64;
    uint64_t packed, out = 0;

    if (n == 0)
        return 0;
    packed = bits[rank / 64] >> shift;
    if (shift != 0 && shift + n > 64)
        packed |= bits[rank / 64 + 1] << (64 - shift);
    if (is_bit == UINT64_MAX)
        return packed;
    for (; is_bit != 0; is_bit &= is_bit - 1, packed >>= 1)
        out |= (packed & 1) << __builtin_ctzll(is_bit);
    return out;
}

/* The bits of word at the places set in mask, packed. */
static uint64_t extract(uint64_t word, uint64_t mask)
{
    uint64_t out = 0;

    if (mask == UINT64_MAX)
        return word;
    for (unsigned k = 0; mask != 0; mask &= mask - 1, k++)
        out |= (word >> __builtin_ctzll(mask) & 1) << k;
    return out;
}

enum cuzk_status cpu_job_sum_bits(struct cuzk_backend_job *base, unsigned queries,
                                  union cuzk_backend_point out[CUZK_QUERIES], struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cpu_job *job = (struct cpu_job *)base;
    const struct cuzk_backend_plan *plan = &key_of(job)->plan;
    const struct cuzk_witness_layout *layout = plan->layout;
    uint64_t *chosen = NULL;

    if (job->witness == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "no witness was uploaded");
    for (int q = 0; q < CUZK_QUERIES; q++) {
        const struct cuzk_backend_query *query = &plan->query[q];
        const uint64_t start = cuzk_clock_ns();
        if (!(queries >> q & 1))
            continue;
        if (q == CUZK_QUERY_H) {
            status = cuzk_error_set(err, CUZK_ARGUMENT, "query h belongs to no variables");
            goto out;
        }
        if (layout->bits == 0) {
            if (cuzk_query_is_g2((enum cuzk_query)q))
                cuzk_g2_identity(&out[q].g2);
            else
                cuzk_g1_identity(&out[q].g1);
            continue;
        }
        CUZK_TRY_OUT(CUZK_NEW(&chosen, (size_t)query->count / 64 + 2, "choice of points", err));
        size_t point = selected(query->inputs, plan->r1cs->inputs);
        for (uint32_t w = 0; query->aux != NULL && w < (layout->aux + 63) / 64; w++) {
            uint64_t mask = query->aux[w];
            if (w == layout->aux / 64)
                mask &= (UINT64_C(1) << (layout->aux % 64)) - 1;
            const uint64_t ones = deposit(layout->is_bit[w], job->witness->bits, layout->rank[w]);
            const unsigned n = (unsigned)__builtin_popcountll(mask);
            append_bits(chosen, point, extract(ones, mask), n);
            point += n;
        }
        struct audience audience = {query, base->progress};
        const struct cuzk_msm_raw bases = raw_of(&audience, 0);
        CUZK_TRY_OUT(cuzk_query_is_g2((enum cuzk_query)q)
                         ? cuzk_msm_g2_raw_sum_bits(pool_of(job), &bases, chosen, &out[q].g2, err)
                         : cuzk_msm_g1_raw_sum_bits(pool_of(job), &bases, chosen, &out[q].g1, err));
        cuzk_mem_free_wiped(chosen);
        chosen = NULL;
        job->times.msm[q] += cuzk_clock_ns() - start;
    }
out:
    cuzk_mem_free_wiped(chosen);
    return status;
}
