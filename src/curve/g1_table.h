/*
 * Sums over points of G1 that stay the same, from tables: a verifying key's ic.
 *
 * A table holds, for each point P and each of eight 32-bit parts of a scalar, the odd multiples P 2^(32 part)
 * {1, 3, ... 63}; scalars are recoded in width-7 non-adjacent form and share 31 doublings. 24 KiB a point.
 * Small scalars cost little. Variable time. A table may be used by several threads at once.
 */
#ifndef CUZK_CURVE_G1_TABLE_H
#define CUZK_CURVE_G1_TABLE_H

#include "base/error.h"
#include "base/pool.h"
#include "curve/g1.h"

struct cuzk_g1_table;

#ifdef __cplusplus
extern "C" {
#endif

/* Tables of n points; infinity is fine. Errors: MEMORY. */
enum cuzk_status cuzk_g1_table_create(struct cuzk_pool *pool, const struct cuzk_g1_affine *points, size_t n,
                                      struct cuzk_g1_table **out, struct cuzk_error *err);

void cuzk_g1_table_destroy(struct cuzk_g1_table *table);

/* The sum of scalars[i] * points[i] over all points of the table; scalars are plain words, least significant
 * first, below 2^255. Errors: MEMORY. */
enum cuzk_status cuzk_g1_table_sum(const struct cuzk_g1_table *table, const uint64_t (*scalars)[4],
                                   struct cuzk_g1 *out, struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
