#include "groth16/proof.h"

#include <stdbool.h>

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

/* up to GROUP proofs; false if one is bad */
enum { GROUP = 16 };

static bool decode_group(const uint8_t *bytes, size_t n, struct cuzk_proof *out)
{
    const uint8_t *g1_bytes[2 * GROUP], *g2_bytes[GROUP];
    struct cuzk_g1_affine g1[2 * GROUP];
    struct cuzk_g2_affine g2[GROUP];

    for (size_t i = 0; i < n; i++) {
        const uint8_t *proof = bytes + i * CUZK_PROOF_BYTES;
        g1_bytes[2 * i] = proof + OFFSET_A;
        g1_bytes[2 * i + 1] = proof + OFFSET_C;
        g2_bytes[i] = proof + OFFSET_B;
    }
    if (!cuzk_g1_decode_many(g1_bytes, 2 * n, g1) || !cuzk_g2_decode_many(g2_bytes, n, g2))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (cuzk_g1_affine_is_identity(&g1[2 * i]) || cuzk_g1_affine_is_identity(&g1[2 * i + 1]) ||
            cuzk_g2_affine_is_identity(&g2[i]))
            return false;
        out[i] = (struct cuzk_proof){.a = g1[2 * i], .b = g2[i], .c = g1[2 * i + 1]};
    }
    return true;
}

enum cuzk_status cuzk_proof_decode_many(const uint8_t *bytes, size_t n, struct cuzk_proof *out, size_t *bad,
                                        struct cuzk_error *err)
{
    for (size_t i = 0; i < n; i += GROUP) {
        const size_t m = n - i < GROUP ? n - i : (size_t)GROUP;
        if (decode_group(bytes + i * CUZK_PROOF_BYTES, m, out + i))
            continue;
        for (*bad = i; *bad < i + m; (*bad)++)
            CUZK_TRY(cuzk_proof_decode(bytes + *bad * CUZK_PROOF_BYTES, &out[*bad], err));
    }
    return CUZK_OK;
}

void cuzk_proof_encode(const struct cuzk_proof *proof, uint8_t bytes[CUZK_PROOF_BYTES])
{
    cuzk_g1_encode(&proof->a, bytes + OFFSET_A);
    cuzk_g2_encode(&proof->b, bytes + OFFSET_B);
    cuzk_g1_encode(&proof->c, bytes + OFFSET_C);
}
