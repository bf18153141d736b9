/*
 * The quadratic arithmetic program of a constraint system, evaluated at one point: the columns of A, B, C.
 *
 * After the circuit's own rows comes one row (input_i, 0, 0) for each input, the one included: it keeps the
 * inputs' columns of A independent. The domain is the next power of two of constraints + inputs (an exact
 * power is kept). Source: Groth, "On the size of pairing-based non-interactive arguments" (IACR 2016/260).
 */
#ifndef CUZK_GROTH16_QAP_H
#define CUZK_GROTH16_QAP_H

#include "base/error.h"
#include "base/pool.h"
#include "field/fr.h"
#include "r1cs/r1cs.h"

/* log2 of the domain. Errors: UNSUPPORTED (more than 2^31 rows). */
enum cuzk_status cuzk_qap_log_domain(const struct cuzk_r1cs *r1cs, unsigned *out, struct cuzk_error *err);

/* Row k of the system is the value at w^(row_step k), w the root of unity of the domain: 1 but for keys made
 * for other software. The columns at tau: for variable index i (inputs first, then aux), u[i] = sum over rows
 * k of A[k][i] L_k(tau), v with B, w with C, where L_k is the Lagrange basis of the domain. */
struct cuzk_qap {
    unsigned log_domain;
    struct cuzk_fr vanishing;  /* tau^domain - 1 */
    struct cuzk_fr *u, *v, *w; /* [inputs + aux] */
};

/* Needs another `domain` elements while it works. Errors: ARGUMENT (tau lies in the domain), UNSUPPORTED,
 * MEMORY. */
enum cuzk_status cuzk_qap_evaluate(const struct cuzk_r1cs *r1cs, const struct cuzk_fr *tau, uint64_t row_step,
                                   struct cuzk_pool *pool, struct cuzk_qap *out, struct cuzk_error *err);

/* The Lagrange basis of 2^log_n points at x without its leading terms, as if x^(n-1) were zero: out[k] =
 * L_k(x) - w^k x^(n-1) / n, n of them. A parameter file has no point for tau^(n-1), so this is what can be
 * had from its h (groth16/derived.h). Errors: ARGUMENT (x lies in the domain). */
enum cuzk_status cuzk_qap_cut_basis(unsigned log_n, const struct cuzk_fr *x, struct cuzk_pool *pool,
                                    struct cuzk_fr *out, struct cuzk_error *err);

/* The columns of C over that basis at tau: what w would be if tau^(n-1) were zero, [inputs + aux]; wipe and
 * free. Errors: as cuzk_qap_evaluate. */
enum cuzk_status cuzk_qap_cut_c(const struct cuzk_r1cs *r1cs, const struct cuzk_fr *tau,
                                struct cuzk_pool *pool, struct cuzk_fr **out, struct cuzk_error *err);

/* out = factor (beta u[i] + alpha v[i] + w[i]): what ic and l hold of variable i. Thread-safe. */
void cuzk_qap_combine(const struct cuzk_qap *qap, const struct cuzk_fr *alpha, const struct cuzk_fr *beta,
                      size_t i, const struct cuzk_fr *factor, struct cuzk_fr *out);

/* Wipes and frees; a zeroed one is fine. */
void cuzk_qap_destroy(struct cuzk_qap *qap);

#endif
