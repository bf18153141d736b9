#include "engine/device_need.h"

#include "circuit/circuit.h"
#include "r1cs/r1cs.h"

/* What 100 variables bring, rounded up. */
struct share {
    uint64_t terms[CUZK_MATRICES];
    uint64_t b_density; /* variables that occur in B */
};

static const struct share shares[CUZK_CIRCUIT_KINDS] = {
    /* mostly SHA-256: at most 246, 100, 217 and 27 */
    [CUZK_CIRCUIT_POREP] = {{260, 110, 240}, 30},
    [CUZK_CIRCUIT_SNAP] = {{260, 110, 240}, 30},
    /* Poseidon alone: at most 681, 100, 124 and 73 */
    [CUZK_CIRCUIT_WINNING] = {{700, 110, 140}, 80},
    [CUZK_CIRCUIT_WPOST] = {{700, 110, 140}, 80},
    [CUZK_CIRCUIT_SNAPP] = {{700, 110, 140}, 80},
};

enum {
    TERM_BYTES = 8, /* r1cs/r1cs.h */
    ROW_BYTES = 4,
    DOMAIN_BUFFERS = 3,     /* a, b and the quotient */
    COEFFICIENTS = 1 << 20, /* different ones, at most */
};

/* Buffers of sums beside the domain's, and small things. */
#define SCRATCH ((uint64_t)64 << 20)

static uint64_t percent(uint64_t n, uint64_t share)
{
    return n / 100 * share + share;
}

static void estimate_shape(const struct cuzk_circuit *circuit, const struct share *share,
                           struct cuzk_backend_shape *out)
{
    const uint64_t aux = circuit->total.aux;
    const uint64_t rows = aux + aux / 256 + 4 * (uint64_t)circuit->total.inputs;
    const uint64_t stored = (uint64_t)circuit->head.aux + circuit->part.aux; /* head and one part */

    *out = (struct cuzk_backend_shape){.constraints = (uint32_t)rows, .inputs = circuit->total.inputs};
    while (UINT64_C(1) << out->log_domain < rows)
        out->log_domain++;
    out->bits = circuit->total.bits;
    out->wide = circuit->total.aux - circuit->total.bits;
    out->coefficients = COEFFICIENTS;
    out->rows = (uint32_t)(stored + stored / 256 + 4 * (uint64_t)circuit->total.inputs);
    out->parts = circuit->parts;
    out->terms[0] = percent(stored, share->terms[CUZK_MATRIX_A]);
    out->terms[1] = percent(stored, share->terms[CUZK_MATRIX_B]);
    out->points[CUZK_QUERY_H] = (UINT32_C(1) << out->log_domain) - 1;
    out->points[CUZK_QUERY_L] = circuit->total.aux;
    out->points[CUZK_QUERY_A] = circuit->total.aux + circuit->total.inputs;
    out->points[CUZK_QUERY_B_G1] = out->points[CUZK_QUERY_B_G2] = (uint32_t)percent(aux, share->b_density);
}

enum cuzk_status cuzk_device_need_estimate(const struct cuzk_backend *backend,
                                           const struct cuzk_circuit_id *id, struct cuzk_device_need *out,
                                           struct cuzk_backend_needs *device, struct cuzk_error *err)
{
    struct cuzk_backend_needs needs = {0};
    struct cuzk_backend_shape shape;
    struct cuzk_backend_facts facts;
    struct cuzk_circuit circuit;

    CUZK_TRY(cuzk_circuit_open(id, &circuit, err));
    const struct share *share = &shares[id->kind];

    estimate_shape(&circuit, share, &shape);
    const uint64_t stored = (uint64_t)circuit.head.aux + circuit.part.aux;
    const uint64_t terms = shape.terms[0] + shape.terms[1] + percent(stored, share->terms[CUZK_MATRIX_C]);
    const uint64_t rows = (uint64_t)CUZK_MATRICES * ROW_BYTES * shape.rows;
    const uint64_t layout = circuit.total.aux / 4; /* and maps of variables */

    *out = (struct cuzk_device_need){.key_host = terms * TERM_BYTES + rows + layout};
    backend->ops->facts(backend, &facts);
    if (facts.total_bytes == 0) /* it works in host memory */
        out->unit_host = DOMAIN_BUFFERS * (sizeof(struct cuzk_fr) << shape.log_domain) + SCRATCH;
    else
        CUZK_TRY(backend->ops->needs(backend, &shape, &needs, err));
    if (device != NULL)
        *device = needs;
    out->key_device = needs.key + needs.work;
    out->key_host += needs.host;
    out->unit_device = needs.job;
    return CUZK_OK;
}
