/* Making a .zkey from toxic waste. */
#include "base/mem.h"
#include "groth16/qap.h"
#include "groth16/vk_setup.h"
#include "groth16/zkey.h"
#include "groth16/zkey_point.h"
#include "groth16/zkey_section.h"
#include "r1cs/circom_file.h"
#include "r1cs/circom_r1cs.h"

enum { CHUNK = 1 << 12 };

struct maker {
    struct cuzk_backend *backend;
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_toxic *toxic;
    struct cuzk_qap qap;
    struct cuzk_backend_table *g1, *g2;
    struct cuzk_sink sink;
    const struct cuzk_progress *progress;
    uint64_t done, total;
    struct cuzk_fr delta_inverse, gamma_inverse;
    uint64_t (*scalars)[4]; /* [CHUNK] */
    uint8_t *points;        /* [CHUNK] of G2 */
};

static enum cuzk_status points_of(const struct maker *maker, enum cuzk_group group, size_t n,
                                  struct cuzk_error *err)
{
    return maker->backend->ops->setup_points(group == CUZK_GROUP_G1 ? maker->g1 : maker->g2,
                                             (const uint64_t(*)[4])maker->scalars, n, maker->points, err);
}

/* ---- sections ---- */

static enum cuzk_status write_g1(const struct maker *maker, const struct cuzk_g1_affine *point,
                                 struct cuzk_error *err)
{
    uint8_t bytes[CUZK_ZKEY_G1_BYTES];

    cuzk_zkey_g1_encode(point, bytes);
    return maker->sink.write(maker->sink.context, bytes, sizeof bytes, err);
}

static enum cuzk_status write_g2(const struct maker *maker, const struct cuzk_g2_affine *point,
                                 struct cuzk_error *err)
{
    uint8_t bytes[CUZK_ZKEY_G2_BYTES];

    cuzk_zkey_g2_encode(point, bytes);
    return maker->sink.write(maker->sink.context, bytes, sizeof bytes, err);
}

static enum cuzk_status write_header(const struct maker *maker, const struct cuzk_vk *vk,
                                     struct cuzk_error *err)
{
    const uint64_t modulus[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    const uint64_t size =
        4 + CUZK_FP_BYTES + 4 + CUZK_FR_BYTES + 3 * 4 + 3 * CUZK_ZKEY_G1_BYTES + 3 * CUZK_ZKEY_G2_BYTES;

    CUZK_TRY(cuzk_circom_write_file_head(maker->sink, "zkey", 1, CUZK_ZKEY_SECTIONS, err));
    CUZK_TRY(cuzk_circom_write_section_head(maker->sink, CUZK_ZKEY_PROTOCOL, 4, err));
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, 1, err));
    CUZK_TRY(cuzk_circom_write_section_head(maker->sink, CUZK_ZKEY_HEADER, size, err));
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, CUZK_FP_BYTES, err));
    for (int k = 0; k < CUZK_FP_LIMBS; k++)
        CUZK_TRY(cuzk_circom_write_u64(maker->sink, modulus[k], err));
    CUZK_TRY(cuzk_circom_write_prime(maker->sink, err));
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, maker->r1cs->inputs + maker->r1cs->aux, err));
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, maker->r1cs->inputs - 1, err));
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, UINT32_C(1) << maker->qap.log_domain, err));
    CUZK_TRY(write_g1(maker, &vk->alpha_g1, err));
    CUZK_TRY(write_g1(maker, &vk->beta_g1, err));
    CUZK_TRY(write_g2(maker, &vk->beta_g2, err));
    CUZK_TRY(write_g2(maker, &vk->gamma_g2, err));
    CUZK_TRY(write_g1(maker, &vk->delta_g1, err));
    CUZK_TRY(write_g2(maker, &vk->delta_g2, err));
    CUZK_TRY(cuzk_circom_write_section_head(maker->sink, CUZK_ZKEY_IC,
                                            (uint64_t)vk->ic_count * CUZK_ZKEY_G1_BYTES, err));
    for (uint32_t k = 0; k < vk->ic_count; k++)
        CUZK_TRY(write_g1(maker, &vk->ic[k], err));
    return CUZK_OK;
}

static enum cuzk_status write_entry(const struct maker *maker, uint32_t matrix, uint32_t row, uint32_t signal,
                                    const struct cuzk_fr *coefficient, struct cuzk_error *err)
{
    struct cuzk_fr value;

    cuzk_fr_from_words(coefficient->l, &value); /* v R times R: v R^2 as a plain number */
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, matrix, err));
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, row, err));
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, signal, err));
    for (int k = 0; k < CUZK_FR_LIMBS; k++)
        CUZK_TRY(cuzk_circom_write_u64(maker->sink, value.l[k], err));
    return CUZK_OK;
}

static enum cuzk_status write_coefficients(const struct maker *maker, struct cuzk_error *err)
{
    const struct cuzk_r1cs *r1cs = maker->r1cs;
    const uint64_t count =
        cuzk_r1cs_terms(r1cs, CUZK_MATRIX_A) + cuzk_r1cs_terms(r1cs, CUZK_MATRIX_B) + r1cs->inputs;
    struct cuzk_r1cs_place at = {0};
    struct cuzk_fr one;

    if (count > UINT32_MAX)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "a .zkey holds at most 2^32 coefficients");
    CUZK_TRY(cuzk_circom_write_section_head(maker->sink, CUZK_ZKEY_COEFFICIENTS,
                                            4 + count * CUZK_ZKEY_ENTRY_BYTES, err));
    CUZK_TRY(cuzk_circom_write_u32(maker->sink, (uint32_t)count, err));
    for (uint32_t row = 0; row < r1cs->constraints; row++, cuzk_r1cs_advance(r1cs, &at)) {
        for (uint32_t m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B; m++) {
            const struct cuzk_matrix *matrix = &r1cs->matrix[m];
            for (uint32_t k = matrix->row_start[at.stored]; k < matrix->row_start[at.stored + 1]; k++) {
                const cuzk_variable variable = cuzk_r1cs_variable(r1cs, matrix->variables[k], at.part);
                CUZK_TRY(write_entry(maker, m, row, cuzk_circom_wire(variable, r1cs->inputs),
                                     &r1cs->pool[matrix->coefficients[k]], err));
            }
        }
    }
    cuzk_fr_one(&one);
    for (uint32_t k = 0; k < r1cs->inputs; k++)
        CUZK_TRY(write_entry(maker, CUZK_MATRIX_A, r1cs->constraints + k, k, &one, err));
    return CUZK_OK;
}

/* Multiples of the first n scalars as points of the file. */
static enum cuzk_status flush(struct maker *maker, enum cuzk_group group, size_t n, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_progress_check(maker->progress, err));
    CUZK_TRY(points_of(maker, group, n, err));
    for (size_t k = 0; k < n; k++) {
        if (group == CUZK_GROUP_G1) {
            struct cuzk_g1_affine point;
            CUZK_TRY(cuzk_g1_decode_raw_unchecked(maker->points + k * CUZK_G1_RAW_BYTES, &point, err));
            CUZK_TRY(write_g1(maker, &point, err));
        } else {
            struct cuzk_g2_affine point;
            CUZK_TRY(cuzk_g2_decode_raw_unchecked(maker->points + k * CUZK_G2_RAW_BYTES, &point, err));
            CUZK_TRY(write_g2(maker, &point, err));
        }
    }
    maker->done += n;
    cuzk_progress_report(maker->progress, "points of a .zkey", maker->done, maker->total);
    return CUZK_OK;
}

/* A section of the multiples of a column, or (NULL) of what l is made of. */
static enum cuzk_status write_column(struct maker *maker, uint32_t section, enum cuzk_group group,
                                     const struct cuzk_fr *column, size_t first, size_t end,
                                     struct cuzk_error *err)
{
    const size_t size = group == CUZK_GROUP_G1 ? CUZK_ZKEY_G1_BYTES : CUZK_ZKEY_G2_BYTES;

    CUZK_TRY(cuzk_circom_write_section_head(maker->sink, section, (end - first) * size, err));
    for (size_t begin = first; begin < end; begin += CHUNK) {
        const size_t n = end - begin < CHUNK ? end - begin : CHUNK;
        for (size_t k = 0; k < n; k++) {
            struct cuzk_fr scalar;
            if (column != NULL)
                scalar = column[begin + k];
            else
                cuzk_qap_combine(&maker->qap, &maker->toxic->alpha, &maker->toxic->beta, begin + k,
                                 &maker->delta_inverse, &scalar);
            cuzk_fr_to_words(&scalar, maker->scalars[k]);
        }
        CUZK_TRY(flush(maker, group, n, err));
    }
    return CUZK_OK;
}

/* (tau^2n - 1) / (2 n delta) * x / (tau - x), the Lagrange basis of the double domain at its odd points x. */
static enum cuzk_status write_h(struct maker *maker, struct cuzk_error *err)
{
    const size_t domain = (size_t)1 << maker->qap.log_domain;
    const struct cuzk_fr *tau = &maker->toxic->tau;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_fr point, step, scale, two_n, value[CHUNK / 8], scratch[CHUNK / 8], x[CHUNK / 8];

    cuzk_fr_root_of_unity(maker->qap.log_domain + 1, &point);
    cuzk_fr_pow_u64(&point, cuzk_zkey_row_step(), &point);
    cuzk_fr_sqr(&point, &step);
    cuzk_fr_one(&two_n);
    cuzk_fr_double(&two_n, &scale);
    cuzk_fr_add(&maker->qap.vanishing, &scale, &scale); /* tau^n + 1 */
    cuzk_fr_mul(&scale, &maker->qap.vanishing, &scale);
    cuzk_fr_from_u64(2 * (uint64_t)domain, &two_n);
    cuzk_fr_inverse(&two_n, &two_n);
    cuzk_fr_mul(&scale, &two_n, &scale);
    cuzk_fr_mul(&scale, &maker->delta_inverse, &scale);
    CUZK_TRY_OUT(cuzk_circom_write_section_head(maker->sink, CUZK_ZKEY_H, domain * CUZK_ZKEY_G1_BYTES, err));
    for (size_t begin = 0; begin < domain; begin += CHUNK / 8) {
        const size_t n = domain - begin < CHUNK / 8 ? domain - begin : CHUNK / 8;
        for (size_t k = 0; k < n; k++) {
            x[k] = point;
            cuzk_fr_sub(tau, &point, &value[k]);
            cuzk_fr_mul(&point, &step, &point);
        }
        cuzk_fr_batch_inverse(value, n, scratch);
        for (size_t k = 0; k < n; k++) {
            cuzk_fr_mul(&value[k], &x[k], &value[k]);
            cuzk_fr_mul(&value[k], &scale, &value[k]);
            cuzk_fr_to_words(&value[k], maker->scalars[k]);
        }
        CUZK_TRY_OUT(flush(maker, CUZK_GROUP_G1, n, err));
    }
out:
    cuzk_mem_wipe(&scale, sizeof scale); /* these give tau away */
    cuzk_mem_wipe(value, sizeof value);
    cuzk_mem_wipe(scratch, sizeof scratch);
    return status;
}

static enum cuzk_status write_contributions(const struct maker *maker, struct cuzk_error *err)
{
    static const uint8_t nothing[64 + 4]; /* circuit hash, number of contributions */

    CUZK_TRY(cuzk_circom_write_section_head(maker->sink, CUZK_ZKEY_CONTRIBUTIONS, sizeof nothing, err));
    return maker->sink.write(maker->sink.context, nothing, sizeof nothing, err);
}

/* ---- the whole ---- */

static enum cuzk_status prepare(struct maker *maker, struct cuzk_pool *pool, struct cuzk_error *err)
{
    const struct cuzk_toxic *toxic = maker->toxic;
    const size_t variables = (size_t)maker->r1cs->inputs + maker->r1cs->aux;
    union cuzk_backend_affine base;

    CUZK_TRY(cuzk_toxic_check(toxic, err));
    cuzk_fr_inverse(&toxic->delta, &maker->delta_inverse);
    cuzk_fr_inverse(&toxic->gamma, &maker->gamma_inverse);
    CUZK_TRY(cuzk_qap_evaluate(maker->r1cs, &toxic->tau, cuzk_zkey_row_step(), pool, &maker->qap, err));
    maker->total = ((uint64_t)1 << maker->qap.log_domain) + 3 * variables + maker->r1cs->aux;
    base.g1 = cuzk_g1_generator;
    CUZK_TRY(maker->backend->ops->table_create(maker->backend, CUZK_GROUP_G1, &base, maker->total, &maker->g1,
                                               err));
    base.g2 = cuzk_g2_generator;
    CUZK_TRY(
        maker->backend->ops->table_create(maker->backend, CUZK_GROUP_G2, &base, variables, &maker->g2, err));
    CUZK_TRY(CUZK_NEW(&maker->scalars, CHUNK, "scalars of a key", err));
    return CUZK_NEW(&maker->points, (size_t)CHUNK * CUZK_G2_RAW_BYTES, "points of a key", err);
}

enum cuzk_status cuzk_zkey_setup(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                 const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                                 struct cuzk_sink zkey, const struct cuzk_progress *progress,
                                 struct cuzk_vk *vk, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct maker maker = {
        .backend = backend, .r1cs = r1cs, .toxic = toxic, .sink = zkey, .progress = progress};
    const size_t variables = (size_t)r1cs->inputs + r1cs->aux;

    *vk = (struct cuzk_vk){0};
    CUZK_TRY_OUT(prepare(&maker, pool, err));
    CUZK_TRY_OUT(
        cuzk_vk_setup(backend, maker.g1, &maker.qap, toxic, &maker.gamma_inverse, r1cs->inputs, vk, err));
    CUZK_TRY_OUT(write_header(&maker, vk, err));
    CUZK_TRY_OUT(write_coefficients(&maker, err));
    CUZK_TRY_OUT(write_column(&maker, CUZK_ZKEY_A, CUZK_GROUP_G1, maker.qap.u, 0, variables, err));
    CUZK_TRY_OUT(write_column(&maker, CUZK_ZKEY_B1, CUZK_GROUP_G1, maker.qap.v, 0, variables, err));
    CUZK_TRY_OUT(write_column(&maker, CUZK_ZKEY_B2, CUZK_GROUP_G2, maker.qap.v, 0, variables, err));
    CUZK_TRY_OUT(write_column(&maker, CUZK_ZKEY_L, CUZK_GROUP_G1, NULL, r1cs->inputs, variables, err));
    CUZK_TRY_OUT(write_h(&maker, err));
    CUZK_TRY_OUT(write_contributions(&maker, err));
out:
    cuzk_qap_destroy(&maker.qap);
    cuzk_backend_table_destroy(maker.g1);
    cuzk_backend_table_destroy(maker.g2);
    cuzk_mem_free_wiped(maker.scalars);
    cuzk_mem_free(maker.points);
    cuzk_mem_wipe(&maker, sizeof maker);
    if (status != CUZK_OK)
        cuzk_vk_destroy(vk);
    return status;
}
