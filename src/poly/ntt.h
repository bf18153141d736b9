/*
 * Number-theoretic transforms over Fr: from coefficients to values on the powers of a root of unity and back.
 *
 * Size n = 2^log_n; the root is w = 7^((r-1)/n), as everywhere in this project. Data are n elements in
 * Montgomery form, transformed in place. "Forward" is X[k] = sum_j x[j] w^(j k); "inverse" uses 1/w and
 * includes the factor 1/n. On a coset, coefficient j is multiplied by g^j first (forward) or g^-j last
 * (inverse), g = 7.
 *
 * A transform of 64 elements or more is split into two or three levels of at most 2^11 (Bailey, "FFTs in
 * external or hierarchical memory", 1990): strips of eight columns or eight rows are copied to a local
 * buffer, transformed there, and written back to where they came from. No transposition is made, so results
 * of the first half come in scrambled order: cuzk_ntt_position. A pipeline that goes there and back never
 * needs the natural order.
 *
 * A struct cuzk_ntt is immutable after creation: any number of threads may use it. Calls allocate a
 * local buffer for each thread of the pool (at most 640 KiB).
 */
#ifndef CUZK_POLY_NTT_H
#define CUZK_POLY_NTT_H

#include <stddef.h>

#include "base/error.h"
#include "base/pool.h"
#include "field/fr.h"

enum { CUZK_NTT_MAX_LOG = 32 };

enum cuzk_ntt_direction { CUZK_NTT_FORWARD, CUZK_NTT_INVERSE };

struct cuzk_ntt;

/* Tables for transforms of 2^log_n elements, about 2^(log_n / 2 + 1) elements of memory; the arithmetic is
 * chosen here (base/cpu.h). Errors: ARGUMENT (log_n above 32), MEMORY. */
enum cuzk_status cuzk_ntt_create(unsigned log_n, struct cuzk_ntt **out, struct cuzk_error *err);
void cuzk_ntt_destroy(struct cuzk_ntt *ntt);

size_t cuzk_ntt_size(const struct cuzk_ntt *ntt);
unsigned cuzk_ntt_log_size(const struct cuzk_ntt *ntt);

/* 1/n. */
const struct cuzk_fr *cuzk_ntt_inverse_size(const struct cuzk_ntt *ntt);

/* Natural order in and out; allocates another n elements. Errors: MEMORY. */
enum cuzk_status cuzk_ntt_transform(const struct cuzk_ntt *ntt, struct cuzk_pool *pool,
                                    enum cuzk_ntt_direction direction, int coset, struct cuzk_fr *data,
                                    struct cuzk_error *err);

/* A factor first * ratio^k for the element of index k. */
struct cuzk_ntt_twist {
    struct cuzk_fr first, ratio;
};

/* The sum over j of data[j] w^(+-j k), from natural order to scrambled order; element k is then multiplied by
 * the twist (NULL: none, not even 1/n). Errors: MEMORY. */
enum cuzk_status cuzk_ntt_scramble(const struct cuzk_ntt *ntt, struct cuzk_pool *pool,
                                   enum cuzk_ntt_direction direction, const struct cuzk_ntt_twist *twist,
                                   struct cuzk_fr *data, struct cuzk_error *err);

/* The same sum from scrambled order to natural order; element k is multiplied by the twist before. */
enum cuzk_status cuzk_ntt_unscramble(const struct cuzk_ntt *ntt, struct cuzk_pool *pool,
                                     enum cuzk_ntt_direction direction, const struct cuzk_ntt_twist *twist,
                                     struct cuzk_fr *data, struct cuzk_error *err);

/* Where element k is in scrambled order. */
size_t cuzk_ntt_position(const struct cuzk_ntt *ntt, size_t k);

/* out[k] = in[position of k] for all k; the arrays must not overlap. */
void cuzk_ntt_reorder(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, const struct cuzk_fr *in,
                      struct cuzk_fr *out);

#endif
