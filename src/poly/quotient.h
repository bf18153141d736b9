/*
 * The quotient of Groth16: from the values of A z and B z on the domain to the coefficients of H, where
 * A B = C + Z H with Z = x^n - 1 and C of degree below n.
 *
 * C is never evaluated from its matrix: on the domain it equals the product. A B = L + x^n H, so C = L + H
 * (its transform on the domain) and D = L + g^n H (on the coset of g = 7): H = (C - D) / (1 - g^n). Six
 * transforms. For an assignment that does not satisfy the system the result is meaningless, and nothing here
 * notices.
 */
#ifndef CUZK_POLY_QUOTIENT_H
#define CUZK_POLY_QUOTIENT_H

#include <stdint.h>

#include "poly/ntt.h"

/* a, b: n values each in natural order, Montgomery form; overwritten. product: n elements of scratch.
 * On return `a` holds the n coefficients of H as plain numbers (not Montgomery form; words least significant
 * first), natural order; the last, of x^(n-1), is zero for a satisfied system and not part of the h query.
 * Errors: MEMORY. */
enum cuzk_status cuzk_quotient(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, struct cuzk_fr *a,
                               struct cuzk_fr *b, struct cuzk_fr *product, struct cuzk_error *err);

/* z = 7^n - 1, n = 2^log_n: the value of Z all over the coset of 7. */
void cuzk_coset_vanishing(unsigned log_n, struct cuzk_fr *out);

/* The values of A B / z on the coset 7 w^i, z = 7^n - 1 being Z there: out in `a`, natural order, plain
 * numbers. Four transforms. They are H's but for C / z, which is linear in the assignment: a key that has it
 * in l instead (groth16/derived.h) wants these. b is used up. Errors: MEMORY. */
enum cuzk_status cuzk_coset_products(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, struct cuzk_fr *a,
                                     struct cuzk_fr *b, struct cuzk_error *err);

/* The values of A B - C on the odd coset: out in `a`, element i at the point w2^(step (2 i + 1)), where w2 is
 * the root of order 2 n of this project and step is odd; plain numbers as above. Keys of snarkjs want these
 * instead of H's coefficients. log_n must be below 32. b is used up, product is scratch. Errors: MEMORY. */
enum cuzk_status cuzk_odd_coset_values(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, uint64_t step,
                                       struct cuzk_fr *a, struct cuzk_fr *b, struct cuzk_fr *product,
                                       struct cuzk_error *err);

#endif
