#include "backend/backend.h"

static uint64_t count_bits(const uint64_t *bitmap, uint32_t n)
{
    uint64_t count = 0;

    if (bitmap == NULL)
        return 0;
    for (uint32_t k = 0; k < n; k += 64) {
        const uint64_t mask = n - k >= 64 ? UINT64_MAX : (UINT64_C(1) << (n - k)) - 1;
        count += (uint64_t)__builtin_popcountll(bitmap[k / 64] & mask);
    }
    return count;
}

enum cuzk_status cuzk_backend_plan_check(const struct cuzk_backend_plan *plan, struct cuzk_error *err)
{
    const struct cuzk_r1cs *r1cs = plan->r1cs;
    const uint64_t rows = (uint64_t)r1cs->constraints + r1cs->inputs;

    CUZK_TRY(cuzk_r1cs_match_layout(r1cs, plan->layout, err));
    if (plan->log_domain > 31 || (UINT64_C(1) << plan->log_domain) < rows)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%llu rows do not fit a domain of 2^%u",
                              (unsigned long long)rows, plan->log_domain);
    const uint64_t domain = UINT64_C(1) << plan->log_domain;
    const uint64_t h_points = plan->h_basis == CUZK_H_MONOMIAL ? domain - 1 : domain;
    if (plan->row_step % 2 == 0 || (plan->h_basis == CUZK_H_COSET && plan->row_step != 1))
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "the step of rows through the domain must be odd, and 1 for a derived key: found %llu",
            (unsigned long long)plan->row_step);
    if (plan->query[CUZK_QUERY_H].count != h_points)
        return cuzk_error_set(err, CUZK_ARGUMENT, "query h has %u points, this circuit's domain needs %llu",
                              plan->query[CUZK_QUERY_H].count, (unsigned long long)h_points);
    for (int q = CUZK_QUERY_L; q < CUZK_QUERIES; q++) {
        const struct cuzk_backend_query *query = &plan->query[q];
        const uint64_t selected = count_bits(query->inputs, r1cs->inputs) + count_bits(query->aux, r1cs->aux);
        if (query->count != selected)
            return cuzk_error_set(err, CUZK_ARGUMENT, "query %s has %u points, this circuit needs %llu",
                                  query->name, query->count, (unsigned long long)selected);
    }
    return CUZK_OK;
}

void cuzk_backend_plan_shape(const struct cuzk_backend_plan *plan, struct cuzk_backend_shape *out)
{
    const struct cuzk_r1cs *r1cs = plan->r1cs;

    *out = (struct cuzk_backend_shape){.log_domain = plan->log_domain,
                                       .constraints = r1cs->constraints,
                                       .rows = r1cs->stored,
                                       .parts = r1cs->parts,
                                       .inputs = r1cs->inputs,
                                       .bits = plan->layout->bits,
                                       .wide = plan->layout->aux - plan->layout->bits,
                                       .coefficients = r1cs->pool_count};
    for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B; m++)
        out->terms[m] = r1cs->matrix[m].row_start[r1cs->stored];
    for (int q = 0; q < CUZK_QUERIES; q++)
        out->points[q] = plan->query[q].count;
}

void cuzk_backend_destroy(struct cuzk_backend *backend)
{
    if (backend != NULL)
        backend->ops->destroy(backend);
}

void cuzk_backend_key_destroy(struct cuzk_backend_key *key)
{
    if (key != NULL)
        key->backend->ops->key_destroy(key);
}

void cuzk_backend_job_destroy(struct cuzk_backend_job *job)
{
    if (job != NULL)
        job->key->backend->ops->job_destroy(job);
}

void cuzk_backend_table_destroy(struct cuzk_backend_table *table)
{
    if (table != NULL)
        table->backend->ops->table_destroy(table);
}
