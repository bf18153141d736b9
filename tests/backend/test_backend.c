/*
 * Every operation of the backend table, on every backend, against slow twins: points are known multiples of
 * the generator, so a sum of points is one multiplication by a sum of scalars.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/cuda.h"
#include "backends.h"
#include "base/mem.h"
#include "curve/encoding.h"
#include "poly/ntt.h"
#include "random_circuit.h"

static struct test_backend backends[TEST_BACKENDS];

/* ---- what the results should be ---- */

enum kind { SUM_INPUTS, SUM_WIDE, SUM_BITS };

/* Logarithm of the sum over a query of the variables of one kind. */
static void expected_sum(const struct test_circuit *circuit, enum cuzk_query q, enum kind want,
                         struct cuzk_fr *out)
{
    size_t point = 0;

    cuzk_fr_zero(out);
    for (uint32_t k = 0; k < INPUTS + AUX; k++) {
        const bool is_input = k < INPUTS;
        const uint32_t aux = k - INPUTS;
        struct cuzk_fr value;
        if (!(is_input ? circuit->inputs_map[q] >> k & 1 : circuit->aux_map[q][aux / 64] >> (aux % 64) & 1))
            continue;
        const struct cuzk_fr *logarithm = &circuit->logarithms[q][point++];
        const bool is_bit = !is_input && cuzk_witness_is_bit(&circuit->layout, aux);
        if (want != (is_input ? SUM_INPUTS : is_bit ? SUM_BITS : SUM_WIDE))
            continue;
        cuzk_witness_value(&circuit->layout, &circuit->witness,
                           is_input ? cuzk_variable_input(k) : cuzk_variable_aux(aux), &value);
        cuzk_fr_mul(&value, logarithm, &value);
        cuzk_fr_add(out, &value, out);
    }
}

static void check_values(const struct test_circuit *circuit, int matrix, const struct cuzk_fr values[DOMAIN])
{
    const struct cuzk_matrix *m = &circuit->r1cs->matrix[matrix];
    bool seen[DOMAIN] = {false};

    for (size_t row = 0; row < DOMAIN; row++) {
        const size_t place = (size_t)(circuit->plan.row_step * row) % DOMAIN;
        struct cuzk_fr sum;
        cuzk_fr_zero(&sum);
        if (row < CONSTRAINTS) {
            for (uint32_t k = m->row_start[row]; k < m->row_start[row + 1]; k++) {
                struct cuzk_fr value;
                cuzk_witness_value(&circuit->layout, &circuit->witness, m->variables[k], &value);
                cuzk_fr_mul(&value, &circuit->r1cs->pool[m->coefficients[k]], &value);
                cuzk_fr_add(&sum, &value, &sum);
            }
        } else if (row < CONSTRAINTS + INPUTS && matrix == CUZK_MATRIX_A) {
            sum = circuit->witness.inputs[row - CONSTRAINTS];
        }
        assert_true(cuzk_fr_equal(&values[place], &sum));
        assert_false(seen[place]);
        seen[place] = true;
    }
}

/* The identity A B = C + (x^n - 1) H at a random point, where C interpolates the products. */
static void check_quotient(const struct cuzk_fr a[DOMAIN], const struct cuzk_fr b[DOMAIN],
                           const struct cuzk_fr h_words[DOMAIN])
{
    struct cuzk_fr poly[3][DOMAIN], at[3], x, h, z, one, t;
    struct cuzk_ntt *ntt;

    memcpy(poly[0], a, sizeof poly[0]);
    memcpy(poly[1], b, sizeof poly[1]);
    for (int k = 0; k < DOMAIN; k++)
        cuzk_fr_mul(&a[k], &b[k], &poly[2][k]);
    assert_int_equal(cuzk_ntt_create(LOG_DOMAIN, &ntt, NULL), CUZK_OK);
    test_circuit_draw(&x);
    for (int p = 0; p < 3; p++) {
        assert_int_equal(cuzk_ntt_transform(ntt, NULL, CUZK_NTT_INVERSE, 0, poly[p], NULL), CUZK_OK);
        cuzk_fr_zero(&at[p]);
        for (int k = DOMAIN; k-- > 0;) {
            cuzk_fr_mul(&at[p], &x, &at[p]);
            cuzk_fr_add(&at[p], &poly[p][k], &at[p]);
        }
    }
    cuzk_fr_zero(&h);
    for (int k = DOMAIN; k-- > 0;) {
        cuzk_fr_from_words(h_words[k].l, &t);
        cuzk_fr_mul(&h, &x, &h);
        cuzk_fr_add(&h, &t, &h);
    }
    cuzk_fr_one(&one);
    cuzk_fr_pow_u64(&x, DOMAIN, &z);
    cuzk_fr_sub(&z, &one, &z);
    cuzk_fr_mul(&h, &z, &h);
    cuzk_fr_add(&h, &at[2], &h);
    cuzk_fr_mul(&at[0], &at[1], &t);
    assert_true(cuzk_fr_equal(&h, &t));
    cuzk_ntt_destroy(ntt);
}

/* ---- proving ---- */

static void check_job(struct cuzk_backend *backend, struct test_circuit *circuit)
{
    enum { AUX_SET = CUZK_QUERY_SET_L | CUZK_QUERY_SET_A | CUZK_QUERY_SET_B };
    const struct cuzk_backend_ops *ops = backend->ops;
    union cuzk_backend_point wide[CUZK_QUERIES], bits[CUZK_QUERIES], inputs[CUZK_QUERIES],
        quotient[CUZK_QUERIES];
    struct cuzk_fr a[DOMAIN], b[DOMAIN], h[DOMAIN], sum, t;
    struct cuzk_backend_key *key;
    struct cuzk_backend_job *job;
    struct cuzk_backend_times times;
    struct cuzk_error err;

    assert_int_equal(ops->key_create(backend, &circuit->plan, &key, &err), CUZK_OK);
    assert_int_equal(ops->job_create(key, &job, &err), CUZK_OK);
    for (int turn = 0; turn < 2; turn++) { /* a job may prove again */
        assert_int_equal(ops->upload(job, &circuit->witness, &err), CUZK_OK);
        assert_int_equal(ops->eval_ab(job, &err), CUZK_OK);
        assert_int_equal(ops->download(job, CUZK_DATA_A, 0, DOMAIN, a, &err), CUZK_OK);
        assert_int_equal(ops->download(job, CUZK_DATA_B, 0, DOMAIN, b, &err), CUZK_OK);
        check_values(circuit, CUZK_MATRIX_A, a);
        check_values(circuit, CUZK_MATRIX_B, b);
        assert_int_equal(ops->quotient(job, &err), CUZK_OK);
        assert_int_equal(ops->download(job, CUZK_DATA_QUOTIENT, 0, DOMAIN, h, &err), CUZK_OK);
        if (circuit->plan.h_basis == CUZK_H_MONOMIAL)
            check_quotient(a, b, h);
        assert_int_equal(ops->msm_group(job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_H, quotient, &err),
                         CUZK_OK);
        assert_int_equal(ops->msm_group(job, CUZK_SCALARS_WIDE, AUX_SET, wide, &err), CUZK_OK);
        assert_int_equal(ops->sum_bits(job, AUX_SET, bits, &err), CUZK_OK);
        assert_int_equal(
            ops->msm_group(job, CUZK_SCALARS_INPUTS, CUZK_QUERY_SET_A | CUZK_QUERY_SET_B, inputs, &err),
            CUZK_OK);
        assert_int_equal(ops->wait(job, &err), CUZK_OK);
        cuzk_fr_zero(&sum);
        for (uint32_t k = 0; k < circuit->plan.query[CUZK_QUERY_H].count; k++) {
            cuzk_fr_from_words(h[k].l, &t);
            cuzk_fr_mul(&t, &circuit->logarithms[CUZK_QUERY_H][k], &t);
            cuzk_fr_add(&sum, &t, &sum);
        }
        assert_true(test_circuit_point_equals(false, &quotient[CUZK_QUERY_H], &sum));
        for (int q = CUZK_QUERY_L; q < CUZK_QUERIES; q++) {
            const bool g2 = cuzk_query_is_g2((enum cuzk_query)q);
            expected_sum(circuit, (enum cuzk_query)q, SUM_WIDE, &sum);
            assert_true(test_circuit_point_equals(g2, &wide[q], &sum));
            expected_sum(circuit, (enum cuzk_query)q, SUM_BITS, &sum);
            assert_true(test_circuit_point_equals(g2, &bits[q], &sum));
            expected_sum(circuit, (enum cuzk_query)q, SUM_INPUTS, &sum);
            if (q != CUZK_QUERY_L)
                assert_true(test_circuit_point_equals(g2, &inputs[q], &sum));
        }
    }
    ops->times(job, &times);
    assert_true(times.msm[CUZK_QUERY_H] > 0 && times.quotient > 0);
    cuzk_backend_job_destroy(job);
    cuzk_backend_key_destroy(key);
}

static void transforms(struct cuzk_backend *backend);

static void jobs(struct cuzk_backend *backend)
{
    for (int bits = 0; bits < 3; bits++) {
        struct test_circuit circuit;
        test_circuit_make(&circuit, bits);
        check_job(backend, &circuit);
        circuit.plan.row_step = 2 * test_random_below(&test_circuit_rng, DOMAIN) + 1;
        check_job(backend, &circuit);
        test_circuit_free(&circuit);
    }
}

/* The least limit of device memory under which a key of this circuit goes in chunks. */
static uint64_t least_limit(struct cuzk_backend *backend, const struct test_circuit *circuit)
{
    struct cuzk_backend_shape shape;
    struct cuzk_backend_needs needs;

    cuzk_backend_plan_shape(&circuit->plan, &shape);
    assert_int_equal(backend->ops->needs(backend, &shape, &needs, NULL), CUZK_OK);
    uint64_t low = 1, high = needs.key + needs.work + needs.job - 1;
    while (low < high) {
        backend->memory_limit = low + (high - low) / 2;
        if (backend->ops->needs(backend, &shape, &needs, NULL) == CUZK_OK)
            high = backend->memory_limit;
        else
            low = backend->memory_limit + 1;
    }
    backend->memory_limit = 0;
    return high;
}

/* Under limits of device memory from the least that will do to one byte too few for the whole key: the key
 * then comes in many chunks, in few, or in chunks that all stay. */
static void limited_jobs(struct cuzk_backend *backend)
{
    const struct cuzk_backend_ops *ops = backend->ops;
    struct cuzk_backend_shape shape;
    struct cuzk_backend_needs whole, needs;
    struct cuzk_backend_facts facts;
    struct cuzk_backend_key *key;
    struct cuzk_error err;

    ops->facts(backend, &facts);
    if (facts.total_bytes == 0)
        return; /* it has no memory of its own */
    for (int bits = 0; bits < 3; bits++) {
        struct test_circuit circuit;
        test_circuit_make(&circuit, bits);
        cuzk_backend_plan_shape(&circuit.plan, &shape);
        backend->memory_limit = 0; /* the last circuit's, which may be too little for this one */
        assert_int_equal(ops->needs(backend, &shape, &whole, &err), CUZK_OK);
        const uint64_t most = whole.key + whole.work + whole.job;
        const uint64_t high = least_limit(backend, &circuit);
        unsigned streamed = 0;
        for (uint64_t limit = high; limit < most; limit += 1 + (limit - high) * 2 + (64 << 10)) {
            backend->memory_limit = limit;
            assert_int_equal(ops->needs(backend, &shape, &needs, &err), CUZK_OK);
            assert_true(needs.key + needs.work + needs.job <= limit);
            streamed += needs.streamed;
            check_job(backend, &circuit);
        }
        assert_true(streamed > 0);
        backend->memory_limit = most - 1;
        check_job(backend, &circuit);
        circuit.plan.row_step = 2 * test_random_below(&test_circuit_rng, DOMAIN) + 1;
        check_job(backend, &circuit);
        backend->memory_limit = high - 1;
        assert_int_equal(ops->key_create(backend, &circuit.plan, &key, &err), CUZK_MEMORY);
        assert_non_null(strstr(err.message, "at least"));
        test_circuit_free(&circuit);
    }
    backend->memory_limit = 1 << 30; /* transforms with small tables */
    transforms(backend);
    backend->memory_limit = 0;
}

static void test_job__is_the_same_under_limits_of_memory(void **state)
{
    (void)state;
    test_backends_each(backends, limited_jobs);
}

static void test_job__operations_equal_slow_twins(void **state)
{
    (void)state;
    test_backends_each(backends, jobs);
}

static void compact_jobs(struct cuzk_backend *backend)
{
    struct test_circuit circuit;

    test_circuit_make_compact(&circuit);
    check_job(backend, &circuit);
    circuit.plan.row_step = 2 * test_random_below(&test_circuit_rng, DOMAIN) + 1;
    check_job(backend, &circuit);
    test_circuit_free(&circuit);
}

static void test_job__copies_equal_rows_written_out(void **state)
{
    (void)state;
    test_backends_each(backends, compact_jobs);
}

static void refusals(struct cuzk_backend *backend)
{
    const struct cuzk_backend_ops *ops = backend->ops;
    union cuzk_backend_point out[CUZK_QUERIES];
    struct test_circuit circuit;
    struct cuzk_backend_key *key;
    struct cuzk_backend_job *job;
    struct cuzk_error err;
    struct cuzk_fr value;

    test_circuit_make(&circuit, 1);
    for (int q = 0; q < CUZK_QUERIES; q++) { /* one point too many or too few */
        circuit.plan.query[q].count--;
        assert_int_equal(ops->key_create(backend, &circuit.plan, &key, &err), CUZK_ARGUMENT);
        assert_null(key);
        assert_non_null(strstr(err.message, circuit.plan.query[q].name));
        circuit.plan.query[q].count++;
    }
    circuit.plan.log_domain--;
    assert_int_equal(ops->key_create(backend, &circuit.plan, &key, &err), CUZK_ARGUMENT);
    circuit.plan.log_domain++;
    circuit.plan.row_step = 2;
    assert_int_equal(ops->key_create(backend, &circuit.plan, &key, &err), CUZK_ARGUMENT);
    circuit.plan.row_step = 1;
    assert_int_equal(ops->key_create(backend, &circuit.plan, &key, &err), CUZK_OK);
    assert_int_equal(ops->job_create(key, &job, &err), CUZK_OK);
    assert_int_equal(ops->eval_ab(job, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->quotient(job, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->sum_bits(job, CUZK_QUERY_SET_L, out, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->msm_group(job, CUZK_SCALARS_WIDE, CUZK_QUERY_SET_L, out, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->download(job, CUZK_DATA_A, 0, 1, &value, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->upload(job, &circuit.witness, &err), CUZK_OK);
    assert_int_equal(ops->msm_group(job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_H, out, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->msm_group(job, CUZK_SCALARS_WIDE, CUZK_QUERY_SET_H, out, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->sum_bits(job, CUZK_QUERY_SET_H, out, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->eval_ab(job, &err), CUZK_OK);
    assert_int_equal(ops->quotient(job, &err), CUZK_OK);
    assert_int_equal(ops->msm_group(job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_L, out, &err), CUZK_ARGUMENT);
    assert_int_equal(ops->download(job, CUZK_DATA_QUOTIENT, DOMAIN, 1, &value, &err), CUZK_ARGUMENT);
    cuzk_backend_job_destroy(job);
    cuzk_backend_key_destroy(key);
    /* a point off the curve, and infinity: refused when the key is made resident, or else when it is summed
     */
    for (int damage = 0; damage < 2; damage++) {
        uint8_t *point = circuit.bytes[CUZK_QUERY_H];
        if (damage == 0) {
            point[95] ^= 1;
        } else {
            memset(point, 0, CUZK_G1_RAW_BYTES);
            point[0] = 0x40;
        }
        enum cuzk_status status = ops->key_create(backend, &circuit.plan, &key, &err);
        if (status == CUZK_OK) {
            assert_int_equal(ops->job_create(key, &job, &err), CUZK_OK);
            assert_int_equal(ops->upload(job, &circuit.witness, &err), CUZK_OK);
            assert_int_equal(ops->eval_ab(job, &err), CUZK_OK);
            assert_int_equal(ops->quotient(job, &err), CUZK_OK);
            status = ops->msm_group(job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_H, out, &err);
            cuzk_backend_job_destroy(job);
            cuzk_backend_key_destroy(key);
        }
        assert_int_equal(status, CUZK_INPUT);
        assert_non_null(strstr(err.message, "h, point 0 of 255: "));
        assert_non_null(strstr(err.message, damage == 0 ? "not on the curve" : "infinity"));
    }
    test_circuit_free(&circuit);
}

static void test_table__refuses_what_does_not_fit(void **state)
{
    (void)state;
    test_backends_each(backends, refusals);
}

/* ---- single operations ---- */

static void lone_operations(struct cuzk_backend *backend)
{
    const struct cuzk_backend_ops *ops = backend->ops;
    enum { MOST = 70 };
    struct cuzk_fr logarithms[MOST];
    uint64_t scalars[MOST][4];
    struct cuzk_error err;

    for (int group = 0; group < 2; group++) {
        const bool g2 = group == CUZK_GROUP_G2;
        const size_t size = g2 ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES;
        for (size_t n = 0; n <= MOST; n += n < 3 ? 1 : 17) {
            uint8_t *bytes = test_circuit_points(g2, n, logarithms), *made = malloc(n * size + 1);
            union cuzk_backend_point out;
            union cuzk_backend_affine base;
            struct cuzk_backend_table *table;
            struct cuzk_fr sum;
            cuzk_fr_zero(&sum);
            for (size_t k = 0; k < n; k++) {
                struct cuzk_fr scalar;
                test_circuit_draw(&scalar);
                cuzk_fr_to_words(&scalar, scalars[k]);
                cuzk_fr_mul(&scalar, &logarithms[k], &scalar);
                cuzk_fr_add(&sum, &scalar, &sum);
            }
            assert_int_equal(ops->msm(backend, (enum cuzk_group)group, bytes, n,
                                      (const uint64_t(*)[4])scalars, &out, &err),
                             CUZK_OK);
            assert_true(test_circuit_point_equals(g2, &out, &sum));
            /* the same points from their logarithms */
            if (g2)
                base.g2 = cuzk_g2_generator;
            else
                base.g1 = cuzk_g1_generator;
            for (size_t k = 0; k < n; k++)
                cuzk_fr_to_words(&logarithms[k], scalars[k]);
            assert_int_equal(ops->table_create(backend, (enum cuzk_group)group, &base, n, &table, &err),
                             CUZK_OK);
            assert_int_equal(ops->setup_points(table, (const uint64_t(*)[4])scalars, n, made, &err), CUZK_OK);
            assert_memory_equal(made, bytes, n * size);
            cuzk_backend_table_destroy(table);
            free(bytes);
            free(made);
        }
    }
}

static void test_msm_and_setup_points__agree(void **state)
{
    (void)state;
    test_backends_each(backends, lone_operations);
}

static void transforms(struct cuzk_backend *backend)
{
    for (unsigned log_n = 0; log_n <= 9; log_n++) {
        const size_t n = (size_t)1 << log_n;
        for (int kind = 0; kind < 4; kind++) {
            const bool inverse = kind & 1, coset = kind & 2;
            struct cuzk_fr x[512], y[512], root;
            for (size_t k = 0; k < n; k++)
                test_circuit_draw(&x[k]);
            memcpy(y, x, n * sizeof *x);
            assert_int_equal(backend->ops->ntt(backend, log_n, inverse, coset, y, NULL), CUZK_OK);
            /* the polynomial with coefficients `from` takes the values `to` */
            const struct cuzk_fr *from = inverse ? y : x, *to = inverse ? x : y;
            cuzk_fr_root_of_unity(log_n, &root);
            for (size_t k = 0; k < n; k += 1 + n / 16) {
                struct cuzk_fr point, value;
                cuzk_fr_pow_u64(&root, k, &point);
                if (coset)
                    cuzk_fr_mul(&point, &cuzk_fr_generator, &point);
                cuzk_fr_zero(&value);
                for (size_t j = n; j-- > 0;) {
                    cuzk_fr_mul(&value, &point, &value);
                    cuzk_fr_add(&value, &from[j], &value);
                }
                assert_true(cuzk_fr_equal(&value, &to[k]));
            }
        }
    }
}

static void test_ntt__equals_the_sum(void **state)
{
    (void)state;
    test_backends_each(backends, transforms);
}

static bool always(void *context)
{
    (void)context;
    return true;
}

static void cancelling(struct cuzk_backend *backend)
{
    const struct cuzk_backend_ops *ops = backend->ops;
    const struct cuzk_progress stop = {.cancelled = always};
    union cuzk_backend_point out[CUZK_QUERIES];
    struct test_circuit circuit;
    struct cuzk_backend_key *key;
    struct cuzk_backend_job *job;

    test_circuit_make(&circuit, 1);
    assert_int_equal(ops->key_create(backend, &circuit.plan, &key, NULL), CUZK_OK);
    assert_int_equal(ops->job_create(key, &job, NULL), CUZK_OK);
    assert_null(job->progress);
    assert_int_equal(ops->upload(job, &circuit.witness, NULL), CUZK_OK);
    assert_int_equal(ops->eval_ab(job, NULL), CUZK_OK);
    assert_int_equal(ops->quotient(job, NULL), CUZK_OK);
    job->progress = &stop;
    assert_int_equal(ops->msm_group(job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_H, out, NULL), CUZK_CANCELLED);
    job->progress = NULL;
    assert_int_equal(ops->msm_group(job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_H, out, NULL), CUZK_OK);
    cuzk_backend_job_destroy(job);
    cuzk_backend_key_destroy(key);
    test_circuit_free(&circuit);
}

static void test_job__stops_when_asked(void **state)
{
    (void)state;
    test_backends_each(backends, cancelling);
}

/* The operations of a proof; whatever was made is destroyed. */
static enum cuzk_status prove_once(struct cuzk_backend *backend, const struct test_circuit *circuit)
{
    const struct cuzk_backend_ops *ops = backend->ops;
    union cuzk_backend_point out[CUZK_QUERIES];
    struct cuzk_backend_key *key = NULL;
    struct cuzk_backend_job *job = NULL;
    enum cuzk_status status = ops->key_create(backend, &circuit->plan, &key, NULL);

    if (status == CUZK_OK)
        status = ops->job_create(key, &job, NULL);
    if (status == CUZK_OK)
        status = ops->upload(job, &circuit->witness, NULL);
    if (status == CUZK_OK)
        status = ops->eval_ab(job, NULL);
    if (status == CUZK_OK)
        status = ops->quotient(job, NULL);
    if (status == CUZK_OK)
        status = ops->msm_group(job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_H, out, NULL);
    if (status == CUZK_OK)
        status = ops->msm_group(job, CUZK_SCALARS_WIDE, CUZK_QUERY_SET_L | CUZK_QUERY_SET_B, out, NULL);
    if (status == CUZK_OK)
        status = ops->sum_bits(job, CUZK_QUERY_SET_L | CUZK_QUERY_SET_B, out, NULL);
    if (status == CUZK_OK)
        status = ops->wait(job, NULL);
    cuzk_backend_job_destroy(job);
    cuzk_backend_key_destroy(key);
    return status;
}

static void fail_each(struct cuzk_backend *backend, const struct test_circuit *circuit)
{
    enum cuzk_status status;
    size_t failures = 0;
    const size_t before = cuzk_mem_in_use();

    do {
        cuzk_mem_fail_after(failures++, 0);
        status = prove_once(backend, circuit);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_true(status == CUZK_OK || status == CUZK_MEMORY);
        assert_int_equal(cuzk_mem_in_use(), before);
        assert_true(failures < 10000); /* it fails by itself */
    } while (status != CUZK_OK);
    assert_true(failures > 15);
}

static void failing(struct cuzk_backend *backend)
{
    struct cuzk_backend_facts facts;
    struct test_circuit circuit;

    test_circuit_make(&circuit, 1);
    fail_each(backend, &circuit);
    backend->ops->facts(backend, &facts);
    if (facts.total_bytes != 0) { /* in chunks too */
        backend->memory_limit = least_limit(backend, &circuit);
        fail_each(backend, &circuit);
        backend->memory_limit = 0;
    }
    test_circuit_free(&circuit);
}

static void test_job__survives_failing_allocations(void **state)
{
    (void)state;
    test_backends_each(backends, failing);
}

/* Every CUDA call of a key and a proof fails once, with an error that is the call's own (out of resources) or
 * the device's end (launch failure). */
static void lose_each(struct cuzk_backend *backend, struct test_circuit *circuit)
{
    static const struct {
        int error;
        enum cuzk_status status;
    } faults[] = {{701, CUZK_DEVICE}, {719, CUZK_DEVICE_LOST}};
    struct cuzk_backend_facts before, after;
    size_t n = 0;

    assert_int_equal(prove_once(backend, circuit), CUZK_OK);
    const size_t in_use = cuzk_mem_in_use();
    backend->ops->facts(backend, &before);
    for (enum cuzk_status status = CUZK_DEVICE; status != CUZK_OK; n++) {
        cuzk_cuda_fail_after(n, faults[n % 2].error);
        status = prove_once(backend, circuit);
        cuzk_cuda_fail_after(SIZE_MAX, 0);
        assert_true(status == CUZK_OK || status == faults[n % 2].status);
        assert_int_equal(cuzk_mem_in_use(), in_use);
    }
    backend->ops->facts(backend, &after);
    assert_int_equal(after.free_bytes, before.free_bytes);
    assert_true(n > 100);
    check_job(backend, circuit);
}

static void losing(struct cuzk_backend *backend)
{
    struct test_circuit circuit;

    if (strcmp(backend->ops->name, "cuda") != 0)
        return;
    test_circuit_make(&circuit, 1);
    lose_each(backend, &circuit);
    backend->memory_limit = least_limit(backend, &circuit);
    lose_each(backend, &circuit);
    backend->memory_limit = 0;
    test_circuit_free(&circuit);
}

static void test_job__survives_failing_calls_of_cuda(void **state)
{
    (void)state;
    test_backends_each(backends, losing);
}

/* A pattern chooses among the tests. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job__operations_equal_slow_twins),
        cmocka_unit_test(test_job__copies_equal_rows_written_out),
        cmocka_unit_test(test_job__is_the_same_under_limits_of_memory),
        cmocka_unit_test(test_table__refuses_what_does_not_fit),
        cmocka_unit_test(test_msm_and_setup_points__agree),
        cmocka_unit_test(test_ntt__equals_the_sum),
        cmocka_unit_test(test_job__stops_when_asked),
        cmocka_unit_test(test_job__survives_failing_allocations),
        cmocka_unit_test(test_job__survives_failing_calls_of_cuda),
    };
    struct cuzk_pool *pool;

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    test_random_init(&test_circuit_rng);
    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK)
        return 1;
    test_backends_open(pool, backends);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_backends_close(backends);
    cuzk_pool_destroy(pool);
    return failed;
}
