/*
 * Multi-scalar multiplication: sums of scalar[i] * base[i] in G1 and G2.
 *
 * Pippenger's method with signed windows; the buckets are summed by affine additions that share one inversion
 * a batch, eight lanes at a time where the processor has AVX-512 IFMA (base/cpu.h). Scalars that are zero
 * cost nothing and scalars that are one cost one addition, whatever their share. Variable time.
 *
 * Bases must lie in the subgroup of order r (a scalar above r/2 is taken as r - scalar and a negated base);
 * infinity, equal, opposite and repeated bases are all right. Scalars are four plain (not Montgomery) 64-bit
 * words, least significant first; any 256-bit value is right, fastest below r.
 *
 * Every function runs on the pool's threads (NULL: the caller's), is thread-safe, and fails with MEMORY or,
 * for bases from outside, with INPUT; *out is untouched then. Sources: Pippenger, "On the evaluation of
 * powers and monomials" (1980); batched affine buckets as in Botrel and El Housni, "Faster multi-scalar
 * multiplication" (IACR 2022/1400).
 */
#ifndef CUZK_MSM_MSM_H
#define CUZK_MSM_MSM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "curve/g1.h"
#include "curve/g2.h"

enum cuzk_status cuzk_msm_g1(struct cuzk_pool *pool, const struct cuzk_g1_affine *bases,
                             const uint64_t (*scalars)[4], size_t n, struct cuzk_g1 *out,
                             struct cuzk_error *err);
enum cuzk_status cuzk_msm_g2(struct cuzk_pool *pool, const struct cuzk_g2_affine *bases,
                             const uint64_t (*scalars)[4], size_t n, struct cuzk_g2 *out,
                             struct cuzk_error *err);

/* The sum of the bases whose bit is set: bit i % 64 of bitmap[i / 64]; bits from n on are not looked at. */
enum cuzk_status cuzk_msm_g1_sum_bits(struct cuzk_pool *pool, const struct cuzk_g1_affine *bases,
                                      const uint64_t *bitmap, size_t n, struct cuzk_g1 *out,
                                      struct cuzk_error *err);
enum cuzk_status cuzk_msm_g2_sum_bits(struct cuzk_pool *pool, const struct cuzk_g2_affine *bases,
                                      const uint64_t *bitmap, size_t n, struct cuzk_g2 *out,
                                      struct cuzk_error *err);

/*
 * Bases as they stand in a parameter file: n uncompressed points of 96 (G1) or 192 (G2) bytes, typically
 * mapped. They are read front to back, converted and checked in chunks, so that memory stays bounded: a chunk
 * takes 128 (G1) or 256 (G2) bytes a point that is used.
 *
 * Every base with a non-zero scalar is checked: flag bits, coordinates below p, on the curve; infinity is
 * refused. Errors: INPUT with the base's number and `name`. Membership of the subgroup is not checked here
 * (cuzk_g1_in_subgroup costs more than the whole MSM): that is for whoever accepts the file.
 */
struct cuzk_msm_raw {
    const uint8_t *bytes;
    size_t n;
    const char *name; /* of the query, for error messages: "h"; NULL: "bases" */
    size_t chunk;     /* bases converted at once; 0: CUZK_MSM_CHUNK */

    /* Called on the calling thread each time bases [begin, end) will not be read again (NULL: never): to drop
     * pages, to show progress. A status other than OK ends the MSM with it. */
    enum cuzk_status (*consumed)(void *context, size_t begin, size_t end, struct cuzk_error *err);
    void *context;
};

#define CUZK_MSM_CHUNK ((size_t)1 << 18)

enum cuzk_status cuzk_msm_g1_raw(struct cuzk_pool *pool, const struct cuzk_msm_raw *bases,
                                 const uint64_t (*scalars)[4], struct cuzk_g1 *out, struct cuzk_error *err);
enum cuzk_status cuzk_msm_g2_raw(struct cuzk_pool *pool, const struct cuzk_msm_raw *bases,
                                 const uint64_t (*scalars)[4], struct cuzk_g2 *out, struct cuzk_error *err);

enum cuzk_status cuzk_msm_g1_raw_sum_bits(struct cuzk_pool *pool, const struct cuzk_msm_raw *bases,
                                          const uint64_t *bitmap, struct cuzk_g1 *out,
                                          struct cuzk_error *err);
enum cuzk_status cuzk_msm_g2_raw_sum_bits(struct cuzk_pool *pool, const struct cuzk_msm_raw *bases,
                                          const uint64_t *bitmap, struct cuzk_g2 *out,
                                          struct cuzk_error *err);

#endif
