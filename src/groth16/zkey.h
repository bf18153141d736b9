/*
 * snarkjs' proving keys (.zkey) for BLS12-381 and Groth16, read and made.
 *
 * Such a key holds the matrices A and B (not C) beside the points. Points are affine, little-endian limbs,
 * Montgomery form with R = 2^384, infinity all zero; matrix values are stored times R^2, R = 2^256. Its rows
 * sit at powers of another root of unity, 5^((r-1)/n), and h is in the Lagrange basis of the odd powers of
 * the root of order 2 n: both are told to the prover by struct cuzk_key_form. Source: snarkjs 0.7
 * (zkey_new.js, zkey_utils.js, groth16_prove.js).
 */
#ifndef CUZK_GROTH16_ZKEY_H
#define CUZK_GROTH16_ZKEY_H

#include "base/sink.h"
#include "groth16/prove.h"
#include "groth16/setup.h"

struct cuzk_zkey {
    struct cuzk_r1cs *r1cs;            /* without C */
    struct cuzk_witness_layout layout; /* no bits */
    uint8_t *bytes;                    /* the same points as a .params file has them */
    struct cuzk_params params;         /* over bytes */
    uint64_t *l_aux;                   /* aux variables with a point in l */
    struct cuzk_key_form form;
};

/* Decodes a whole file; out may then be given to cuzk_prover_create by its parts. The verifying key's points
 * are checked to be in the subgroup; the others are checked to be on the curve when they are used
 * (cuzk_params_validate does it now). Errors: INPUT with section, offset, expected and found; UNSUPPORTED
 * (another protocol); MEMORY. */
enum cuzk_status cuzk_zkey_decode(const char *name, const uint8_t *bytes, uint64_t length,
                                  struct cuzk_zkey *out, struct cuzk_error *err);
void cuzk_zkey_destroy(struct cuzk_zkey *zkey);

/* Makes a key from toxic waste, as cuzk_setup does, in snarkjs' form. The circuit hash of its last section is
 * zero and there are no contributions: no ceremony stands behind it. Aux variables that are in no constraint
 * are allowed. Errors: those of cuzk_setup. */
enum cuzk_status cuzk_zkey_setup(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                 const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                                 struct cuzk_sink zkey, const struct cuzk_progress *progress,
                                 struct cuzk_vk *vk, struct cuzk_error *err);

/* The odd e with 5^((r-1)/2^32) = (7^((r-1)/2^32))^e: what takes our roots of unity to snarkjs'. */
uint64_t cuzk_zkey_row_step(void);

#endif
