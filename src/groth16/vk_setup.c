#include "groth16/vk_setup.h"

#include "base/mem.h"
#include "curve/generator.h"

enum { CHUNK = 1 << 12 }; /* points made at once */

/* ic[begin, begin + n) */
static enum cuzk_status make_inputs(struct cuzk_backend *backend, struct cuzk_backend_table *table,
                                    const struct cuzk_qap *qap, const struct cuzk_toxic *toxic,
                                    const struct cuzk_fr *gamma_inverse, uint32_t begin, uint32_t n,
                                    uint64_t (*scalars)[4], uint8_t *points, struct cuzk_g1_affine *ic,
                                    struct cuzk_error *err)
{
    struct cuzk_fr scalar;

    for (uint32_t k = 0; k < n; k++) {
        cuzk_qap_combine(qap, &toxic->alpha, &toxic->beta, (size_t)begin + k, gamma_inverse, &scalar);
        if (cuzk_fr_is_zero(&scalar))
            return cuzk_error_set(err, CUZK_INPUT, "public input %u vanishes in the key: it cannot be bound",
                                  begin + k);
        cuzk_fr_to_words(&scalar, scalars[k]);
    }
    cuzk_mem_wipe(&scalar, sizeof scalar);
    CUZK_TRY(backend->ops->setup_points(table, (const uint64_t(*)[4])scalars, n, points, err));
    for (uint32_t k = 0; k < n; k++)
        CUZK_TRY(cuzk_g1_decode_raw_unchecked(points + (size_t)k * CUZK_G1_RAW_BYTES, &ic[begin + k], err));
    return CUZK_OK;
}

enum cuzk_status cuzk_vk_setup(struct cuzk_backend *backend, struct cuzk_backend_table *table,
                               const struct cuzk_qap *qap, const struct cuzk_toxic *toxic,
                               const struct cuzk_fr *gamma_inverse, uint32_t inputs, struct cuzk_vk *out,
                               struct cuzk_error *err)
{
    const uint32_t most = inputs < CHUNK ? inputs : CHUNK;
    uint64_t(*scalars)[4] = NULL;
    uint8_t *points = NULL;
    enum cuzk_status status;

    *out = (struct cuzk_vk){0};
    CUZK_TRY_OUT(CUZK_NEW(&out->ic, inputs, "input points of the verifying key", err));
    CUZK_TRY_OUT(CUZK_NEW(&scalars, most, "scalars of the verifying key", err));
    CUZK_TRY_OUT(CUZK_NEW(&points, (size_t)most * CUZK_G1_RAW_BYTES, "points of the verifying key", err));
    out->ic_count = inputs;
    cuzk_g1_generator_multiple(&toxic->alpha, &out->alpha_g1);
    cuzk_g1_generator_multiple(&toxic->beta, &out->beta_g1);
    cuzk_g2_generator_multiple(&toxic->beta, &out->beta_g2);
    cuzk_g2_generator_multiple(&toxic->gamma, &out->gamma_g2);
    cuzk_g1_generator_multiple(&toxic->delta, &out->delta_g1);
    cuzk_g2_generator_multiple(&toxic->delta, &out->delta_g2);
    for (uint32_t begin = 0; begin < inputs; begin += most)
        CUZK_TRY_OUT(make_inputs(backend, table, qap, toxic, gamma_inverse, begin,
                                 inputs - begin < most ? inputs - begin : most, scalars, points, out->ic,
                                 err));
out:
    cuzk_mem_free_wiped(scalars);
    cuzk_mem_free(points);
    return status;
}
