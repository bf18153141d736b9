/*
 * Many multiples of one base: what making parameters consists of.
 *
 * A table holds the multiples d * 2^(c w) * base for every signed digit d of c bits and every window w;
 * a product is then one affine addition a window, batched over many scalars. The table is read-only after it
 * is made and may be shared between threads. Scalars are plain 64-bit words, any 256-bit value; zero gives
 * infinity. The base must lie in the subgroup of order r. Variable time: secrets show in the time taken.
 *
 * Errors: MEMORY.
 */
#ifndef CUZK_MSM_FIXED_BASE_H
#define CUZK_MSM_FIXED_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "curve/g1.h"
#include "curve/g2.h"

struct cuzk_fixed_base_g1;
struct cuzk_fixed_base_g2;

/* expected: about how many products will be asked for in all; it sets the table's size (at most 130 MB in G1
 * and 260 MB in G2). *out is NULL on failure. */
enum cuzk_status cuzk_fixed_base_g1_create(struct cuzk_pool *pool, const struct cuzk_g1_affine *base,
                                           size_t expected, struct cuzk_fixed_base_g1 **out,
                                           struct cuzk_error *err);
enum cuzk_status cuzk_fixed_base_g2_create(struct cuzk_pool *pool, const struct cuzk_g2_affine *base,
                                           size_t expected, struct cuzk_fixed_base_g2 **out,
                                           struct cuzk_error *err);
void cuzk_fixed_base_g1_destroy(struct cuzk_fixed_base_g1 *table);
void cuzk_fixed_base_g2_destroy(struct cuzk_fixed_base_g2 *table);

/* out[i] = scalars[i] * base. */
enum cuzk_status cuzk_fixed_base_g1_mul(struct cuzk_pool *pool, const struct cuzk_fixed_base_g1 *table,
                                        const uint64_t (*scalars)[4], size_t n, struct cuzk_g1_affine *out,
                                        struct cuzk_error *err);
enum cuzk_status cuzk_fixed_base_g2_mul(struct cuzk_pool *pool, const struct cuzk_fixed_base_g2 *table,
                                        const uint64_t (*scalars)[4], size_t n, struct cuzk_g2_affine *out,
                                        struct cuzk_error *err);

/* The same as uncompressed bytes (96 or 192 a point), as a parameter file holds them. */
enum cuzk_status cuzk_fixed_base_g1_mul_raw(struct cuzk_pool *pool, const struct cuzk_fixed_base_g1 *table,
                                            const uint64_t (*scalars)[4], size_t n, uint8_t *out,
                                            struct cuzk_error *err);
enum cuzk_status cuzk_fixed_base_g2_mul_raw(struct cuzk_pool *pool, const struct cuzk_fixed_base_g2 *table,
                                            const uint64_t (*scalars)[4], size_t n, uint8_t *out,
                                            struct cuzk_error *err);

#endif
