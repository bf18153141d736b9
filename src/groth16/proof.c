#include "groth16/proof.h"

enum { OFFSET_A = 0, OFFSET_B = CUZK_G1_BYTES, OFFSET_C = CUZK_G1_BYTES + CUZK_G2_BYTES };

static enum cuzk_status at_infinity(struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_INPUT, "point at infinity");
}

static enum cuzk_status read_g1(const uint8_t *bytes, const char *field, int offset,
                                struct cuzk_g1_affine *out, struct cuzk_error *err)
{
    enum cuzk_status status = cuzk_g1_decode(bytes + offset, out, err);

    if (status == CUZK_OK && cuzk_g1_affine_is_identity(out))
        status = at_infinity(err);
    return status == CUZK_OK ? status
                             : cuzk_error_prefix(err, status, "proof: %s at offset %d", field, offset);
}

enum cuzk_status cuzk_proof_decode(const uint8_t bytes[CUZK_PROOF_BYTES], struct cuzk_proof *out,
                                   struct cuzk_error *err)
{
    enum cuzk_status status;

    CUZK_TRY(read_g1(bytes, "A", OFFSET_A, &out->a, err));
    status = cuzk_g2_decode(bytes + OFFSET_B, &out->b, err);
    if (status == CUZK_OK && cuzk_g2_affine_is_identity(&out->b))
        status = at_infinity(err);
    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "proof: B at offset %d", OFFSET_B);
    return read_g1(bytes, "C", OFFSET_C, &out->c, err);
}

void cuzk_proof_encode(const struct cuzk_proof *proof, uint8_t bytes[CUZK_PROOF_BYTES])
{
    cuzk_g1_encode(&proof->a, bytes + OFFSET_A);
    cuzk_g2_encode(&proof->b, bytes + OFFSET_B);
    cuzk_g1_encode(&proof->c, bytes + OFFSET_C);
}
