#include "engine/device_need.h"

#include "circuit/circuit.h"

enum {
    G1_BYTES = 96,
    G2_BYTES = 192,
    /* Terms of A, B and C for 100 variables, rounded up: 239, 100, 217 in PoRep. */
    A_TERMS = 260,
    B_TERMS = 110,
    C_TERMS = 240,
    B_DENSITY = 60,         /* variables of B in 100 */
    TERM_BYTES = 8,         /* r1cs/r1cs.h */
    DEVICE_TERM_BYTES = 12, /* there with values resolved */
    DOMAIN_BUFFERS = 3,     /* a, b and the quotient */
    INDEX_BYTES = 8,        /* point and variable */
};

/* Buffers of sums beside the domain's, and small things. */
#define SCRATCH ((uint64_t)64 << 20)

static uint64_t percent(uint64_t n, uint64_t share)
{
    return n / 100 * share + share;
}

enum cuzk_status cuzk_device_need_estimate(const struct cuzk_circuit_id *circuit, bool own_memory,
                                           struct cuzk_device_need *out, struct cuzk_error *err)
{
    struct cuzk_circuit plan;
    uint64_t domain = 1;

    CUZK_TRY(cuzk_circuit_open(circuit, &plan, err));
    const uint64_t aux = plan.total.aux, rows = aux + aux / 256 + 4 * (uint64_t)plan.total.inputs;

    while (domain < rows)
        domain *= 2;
    const uint64_t witness = plan.total.bits / 8 + (aux - plan.total.bits) * sizeof(struct cuzk_fr);
    const uint64_t buffers = DOMAIN_BUFFERS * domain * sizeof(struct cuzk_fr) + SCRATCH;
    const uint64_t layout = aux / 4;

    *out = (struct cuzk_device_need){0};
    out->key_host = percent(aux, A_TERMS + B_TERMS + C_TERMS) * TERM_BYTES + 3 * 4 * rows + layout;
    if (!own_memory) {
        out->unit_host = buffers;
        return CUZK_OK;
    }
    out->key_device = domain * (G1_BYTES + sizeof(struct cuzk_fr)) + 2 * aux * (G1_BYTES + INDEX_BYTES) +
                      percent(aux, B_DENSITY) * (G1_BYTES + G2_BYTES + 2 * INDEX_BYTES) +
                      percent(aux, A_TERMS + B_TERMS) * DEVICE_TERM_BYTES + 2 * 4 * rows;
    out->unit_device = buffers + witness + domain * (G1_BYTES + INDEX_BYTES);
    return CUZK_OK;
}
