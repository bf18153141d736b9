/*
 * Sums of many short lists of points of G1: for a sparse matrix of plus and minus ones times points.
 *
 * Batched affine additions as in msm.h, all lists in step, whatever their lengths; a sum costs an addition
 * for every point but the first. One workspace serves one thread at a time; several threads take one each.
 * Variable time.
 */
#ifndef CUZK_MSM_LIST_SUMS_H
#define CUZK_MSM_LIST_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cuzk_list_sums;

/* A point as 96 uncompressed bytes, wherever they lie; infinity is fine. */
struct cuzk_list_point {
    const uint8_t *raw;
    bool negative; /* its opposite is meant */
};

/* A workspace for up to `points` points in up to `lists` lists: some 250 bytes a point. Errors: MEMORY. */
enum cuzk_status cuzk_list_sums_create(size_t points, size_t lists, struct cuzk_list_sums **out,
                                       struct cuzk_error *err);
void cuzk_list_sums_destroy(struct cuzk_list_sums *sums);

/* List k is points [end[k - 1], end[k]), list 0 begins with the first; out[k], 96 bytes, is its sum. Every
 * point is checked: flag bits, coordinates below p, on the curve. Returns SIZE_MAX, or the number of a point
 * that does not pass; out is undefined then. */
size_t cuzk_list_sums_run(struct cuzk_list_sums *sums, const struct cuzk_list_point *points,
                          const uint32_t *end, size_t lists, uint8_t *out);

#endif
