#include "groth16/qap.h"

#include "base/mem.h"

enum { LAGRANGE_CHUNK = 1 << 10 };

enum cuzk_status cuzk_qap_log_domain(const struct cuzk_r1cs *r1cs, unsigned *out, struct cuzk_error *err)
{
    const uint64_t rows = (uint64_t)r1cs->constraints + r1cs->inputs;

    *out = 0;
    while (UINT64_C(1) << *out < rows)
        ++*out;
    if (*out > 31)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "%llu rows, more than 2^31", (unsigned long long)rows);
    return CUZK_OK;
}

/* L_k(tau) = (tau^n - 1) / n * w^k / (tau - w^k) */
struct lagrange {
    const struct cuzk_fr *tau;
    struct cuzk_fr root, scale; /* w and (tau^n - 1) / n */
    size_t n;
    struct cuzk_fr *out;
};

static void lagrange_chunk(void *context, size_t index, unsigned worker)
{
    const struct lagrange *job = context;
    const size_t begin = index * LAGRANGE_CHUNK;
    const size_t n = job->n - begin < LAGRANGE_CHUNK ? job->n - begin : LAGRANGE_CHUNK;
    struct cuzk_fr power, scratch[LAGRANGE_CHUNK], *out = job->out + begin;

    (void)worker;
    cuzk_fr_pow_u64(&job->root, begin, &power);
    const struct cuzk_fr first = power;
    for (size_t k = 0; k < n; k++) {
        cuzk_fr_sub(job->tau, &power, &out[k]);
        cuzk_fr_mul(&power, &job->root, &power);
    }
    cuzk_fr_batch_inverse(out, n, scratch);
    cuzk_fr_mul(&first, &job->scale, &power);
    for (size_t k = 0; k < n; k++) {
        cuzk_fr_mul(&out[k], &power, &out[k]);
        cuzk_fr_mul(&power, &job->root, &power);
    }
}

struct columns {
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_fr *lagrange;
    struct cuzk_fr *out[CUZK_MATRICES];
};

static void columns_of(void *context, size_t m, unsigned worker)
{
    const struct columns *job = context;
    const struct cuzk_r1cs *r1cs = job->r1cs;
    const struct cuzk_matrix *matrix = &r1cs->matrix[m];

    struct cuzk_r1cs_place at = {0};

    (void)worker;
    for (uint32_t row = 0; row < r1cs->constraints; row++, cuzk_r1cs_advance(r1cs, &at)) {
        const struct cuzk_fr *value = &job->lagrange[row];
        for (uint32_t k = matrix->row_start[at.stored]; k < matrix->row_start[at.stored + 1]; k++) {
            const cuzk_variable variable = cuzk_r1cs_variable(r1cs, matrix->variables[k], at.part);
            const uint32_t index = cuzk_variable_index(variable);
            struct cuzk_fr *sum = &job->out[m][cuzk_variable_is_aux(variable) ? r1cs->inputs + index : index];
            struct cuzk_fr product;
            if (matrix->coefficients[k] == CUZK_COEFFICIENT_ONE) {
                cuzk_fr_add(sum, value, sum);
            } else if (matrix->coefficients[k] == CUZK_COEFFICIENT_MINUS_ONE) {
                cuzk_fr_sub(sum, value, sum);
            } else {
                cuzk_fr_mul(value, &r1cs->pool[matrix->coefficients[k]], &product);
                cuzk_fr_add(sum, &product, sum);
            }
        }
    }
    if (m == CUZK_MATRIX_A) {
        for (uint32_t k = 0; k < r1cs->inputs; k++)
            cuzk_fr_add(&job->out[m][k], &job->lagrange[r1cs->constraints + k], &job->out[m][k]);
    }
}

/* Takes out of each L_k its term w^k / n X^(n-1). */
struct cut {
    struct cuzk_fr root, top; /* w and x^(n-1) / n */
    size_t n;
    struct cuzk_fr *out;
};

static void cut_chunk(void *context, size_t index, unsigned worker)
{
    const struct cut *job = context;
    const size_t begin = index * LAGRANGE_CHUNK;
    const size_t end = job->n - begin < LAGRANGE_CHUNK ? job->n : begin + LAGRANGE_CHUNK;
    struct cuzk_fr term;

    (void)worker;
    cuzk_fr_pow_u64(&job->root, begin, &term);
    cuzk_fr_mul(&term, &job->top, &term);
    for (size_t k = begin; k < end; k++) {
        cuzk_fr_sub(&job->out[k], &term, &job->out[k]);
        cuzk_fr_mul(&term, &job->root, &term);
    }
}

static size_t chunks_of(size_t n)
{
    return (n + LAGRANGE_CHUNK - 1) / LAGRANGE_CHUNK;
}

enum cuzk_status cuzk_qap_cut_basis(unsigned log_n, const struct cuzk_fr *x, struct cuzk_pool *pool,
                                    struct cuzk_fr *out, struct cuzk_error *err)
{
    const size_t n = (size_t)1 << log_n;
    struct lagrange job = {.tau = x, .n = n, .out = out};
    struct cut cut = {.n = n, .out = out};
    struct cuzk_fr one, inverse;

    cuzk_fr_one(&one);
    cuzk_fr_from_u64(n, &inverse);
    cuzk_fr_inverse(&inverse, &inverse);
    cuzk_fr_pow_u64(x, n - 1, &cut.top);
    cuzk_fr_mul(&cut.top, x, &job.scale);
    cuzk_fr_sub(&job.scale, &one, &job.scale);
    if (cuzk_fr_is_zero(&job.scale))
        return cuzk_error_set(err, CUZK_ARGUMENT, "tau lies in the domain or its coset");
    cuzk_fr_mul(&job.scale, &inverse, &job.scale);
    cuzk_fr_mul(&cut.top, &inverse, &cut.top);
    cuzk_fr_root_of_unity(log_n, &job.root);
    cut.root = job.root;
    cuzk_pool_run(pool, chunks_of(n), lagrange_chunk, &job);
    cuzk_pool_run(pool, chunks_of(n), cut_chunk, &cut);
    cuzk_mem_wipe(&job.scale, sizeof job.scale);
    cuzk_mem_wipe(&cut.top, sizeof cut.top);
    return CUZK_OK;
}

enum cuzk_status cuzk_qap_cut_c(const struct cuzk_r1cs *r1cs, const struct cuzk_fr *tau,
                                struct cuzk_pool *pool, struct cuzk_fr **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_fr *basis = NULL;
    unsigned log_domain;

    *out = NULL;
    CUZK_TRY_OUT(cuzk_qap_log_domain(r1cs, &log_domain, err));
    CUZK_TRY_OUT(CUZK_NEW(&basis, (size_t)1 << log_domain, "Lagrange basis", err));
    CUZK_TRY_OUT(cuzk_qap_cut_basis(log_domain, tau, pool, basis, err));
    CUZK_TRY_OUT(CUZK_NEW(out, (size_t)r1cs->inputs + r1cs->aux, "columns of C", err));
    struct columns columns = {r1cs, basis, {NULL, NULL, *out}};
    columns_of(&columns, CUZK_MATRIX_C, 0);
out:
    cuzk_mem_free_wiped(basis);
    return status;
}

enum cuzk_status cuzk_qap_evaluate(const struct cuzk_r1cs *r1cs, const struct cuzk_fr *tau, uint64_t row_step,
                                   struct cuzk_pool *pool, struct cuzk_qap *out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const size_t variables = (size_t)r1cs->inputs + r1cs->aux;
    struct cuzk_fr *lagrange = NULL, one, size;

    *out = (struct cuzk_qap){0};
    CUZK_TRY_OUT(cuzk_qap_log_domain(r1cs, &out->log_domain, err));
    const size_t domain = (size_t)1 << out->log_domain;
    cuzk_fr_one(&one);
    cuzk_fr_pow_u64(tau, domain, &out->vanishing);
    cuzk_fr_sub(&out->vanishing, &one, &out->vanishing);
    if (cuzk_fr_is_zero(&out->vanishing)) {
        status = cuzk_error_set(err, CUZK_ARGUMENT, "tau is a root of unity of the domain");
        goto out;
    }
    CUZK_TRY_OUT(CUZK_NEW(&lagrange, domain, "Lagrange basis", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->u, variables, "columns of A", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->v, variables, "columns of B", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->w, variables, "columns of C", err));

    struct lagrange job = {.tau = tau, .n = domain, .out = lagrange};
    cuzk_fr_root_of_unity(out->log_domain, &job.root);
    cuzk_fr_pow_u64(&job.root, row_step, &job.root);
    cuzk_fr_from_u64(domain, &size);
    cuzk_fr_inverse(&size, &size);
    cuzk_fr_mul(&out->vanishing, &size, &job.scale);
    cuzk_pool_run(pool, chunks_of(domain), lagrange_chunk, &job);

    struct columns columns = {r1cs, lagrange, {out->u, out->v, out->w}};
    cuzk_pool_run(pool, CUZK_MATRICES, columns_of, &columns);
out:
    cuzk_mem_free_wiped(lagrange);
    if (status != CUZK_OK)
        cuzk_qap_destroy(out);
    return status;
}

void cuzk_qap_combine(const struct cuzk_qap *qap, const struct cuzk_fr *alpha, const struct cuzk_fr *beta,
                      size_t i, const struct cuzk_fr *factor, struct cuzk_fr *out)
{
    struct cuzk_fr t;

    cuzk_fr_mul(&qap->u[i], beta, out);
    cuzk_fr_mul(&qap->v[i], alpha, &t);
    cuzk_fr_add(out, &t, out);
    cuzk_fr_add(out, &qap->w[i], out);
    cuzk_fr_mul(out, factor, out);
    cuzk_mem_wipe(&t, sizeof t);
}

void cuzk_qap_destroy(struct cuzk_qap *qap)
{
    cuzk_mem_free_wiped(qap->u);
    cuzk_mem_free_wiped(qap->v);
    cuzk_mem_free_wiped(qap->w);
    *qap = (struct cuzk_qap){0};
}
