/*
 * Template: the sums behind list_sums.h. Points are converted to rows as they come; the lists of their
 * numbers are then what buckets.h sums.
 *
 * Include after buckets.h and engine.h.
 */
#ifndef CUZK_MSM_LISTS_H
#define CUZK_MSM_LISTS_H

enum { LISTS_AHEAD = 16 }; /* points whose bytes are asked for before their turn */

struct lists {
    struct summer *summer;
    struct row *rows; /* of the points */
    uint32_t *items;  /* rows that are not infinity, list after list */
    struct run *runs;
    struct buckets sums;
};

static void lists_destroy(void *pointer)
{
    struct lists *lists = pointer;

    if (lists == NULL)
        return;
    summer_free(lists->summer);
    cuzk_mem_free(lists->rows);
    cuzk_mem_free(lists->items);
    cuzk_mem_free(lists->runs);
    cuzk_mem_free(lists->sums.rows);
    cuzk_mem_free(lists->sums.used);
    cuzk_mem_free(lists);
}

static enum cuzk_status lists_create(size_t points, size_t count, void **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct lists *lists;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&lists, 1, "sums of lists", err));
    CUZK_TRY_OUT(summer_create(points, count, &lists->summer, err));
    CUZK_TRY_OUT(CUZK_NEW(&lists->rows, points + LANES, "points of lists", err));
    CUZK_TRY_OUT(CUZK_NEW(&lists->items, points + 1, "points of lists", err));
    CUZK_TRY_OUT(CUZK_NEW(&lists->runs, count, "lists of points", err));
    CUZK_TRY_OUT(CUZK_NEW(&lists->sums.rows, count, "sums of lists", err));
    CUZK_TRY_OUT(CUZK_NEW(&lists->sums.used, count, "sums of lists", err));
    *out = lists;
    lists = NULL;
out:
    lists_destroy(lists);
    return status;
}

static bool is_infinity(const uint8_t *raw)
{
    group_affine point;

    return GROUP(decode_raw_unchecked)(raw, &point, NULL) == CUZK_OK && GROUP(affine_is_identity)(&point);
}

/* Points [at, at + LANES) of n as rows; those past the end repeat the last. *infinite: the lanes that are
 * infinity. Returns the first one that is no point of the curve, n where all are. */
static size_t lists_convert(struct lists *lists, const struct cuzk_list_point *points, size_t at, size_t n,
                            lane_mask *infinite)
{
    const uint8_t *from[LANES];
    struct row *to[LANES];
    lane_mask negative = 0;

    for (size_t l = 0; l < LANES; l++) {
        const struct cuzk_list_point *point = &points[at + l < n ? at + l : n - 1];
        from[l] = point->raw;
        to[l] = &lists->rows[at + l];
        negative |= (lane_mask)(point->negative << l);
    }
    const lane_mask dead = rows_from_raw(from, negative, to);
    for (size_t l = 0; l < LANES && dead != 0; l++)
        if ((dead >> l & 1) && !is_infinity(from[l]))
            return at + l < n ? at + l : n - 1;
    *infinite = dead;
    return n;
}

static size_t lists_sum(void *pointer, const struct cuzk_list_point *points, const uint32_t *ends,
                        size_t count, uint8_t *out)
{
    struct lists *lists = pointer;
    const size_t n = count == 0 ? 0 : ends[count - 1];
    uint32_t items = 0;
    size_t list = 0;

    for (size_t j = 0; j < count; j++)
        lists->runs[j] = (struct run){0, 0, (uint32_t)j};
    for (size_t i = 0; i < n; i += LANES) {
        lane_mask infinite = 0;
        for (size_t k = i + LISTS_AHEAD; k < i + LISTS_AHEAD + LANES && k < n; k++) {
            __builtin_prefetch(points[k].raw);
            __builtin_prefetch(points[k].raw + GROUP_RAW_BYTES - 1);
        }
        const size_t bad = lists_convert(lists, points, i, n, &infinite);
        if (bad != n)
            return bad;
        for (size_t l = 0; l < LANES && i + l < n; l++) {
            while (ends[list] <= i + l)
                lists->runs[++list].start = items;
            if (infinite >> l & 1)
                continue;
            lists->items[items++] = (uint32_t)(i + l);
            lists->runs[list].length++;
        }
    }
    memset(lists->sums.used, 0, count);
    sum_runs(lists->summer, lists->rows, lists->items, lists->runs, count, items, &lists->sums);
    for (size_t j = 0; j < count; j += LANES) {
        uint8_t spare[GROUP_RAW_BYTES], *to[LANES];
        uint32_t index[LANES];
        lane_mask infinite = 0;
        fe x, y;
        for (size_t l = 0; l < LANES; l++) {
            const bool there = j + l < count;
            index[l] = (uint32_t)(there ? j + l : j);
            to[l] = there ? out + (j + l) * GROUP_RAW_BYTES : spare;
            infinite |= (lane_mask)(!lists->sums.used[index[l]] << l);
        }
        rows_load_x(lists->sums.rows, index, &x);
        rows_load_y(lists->sums.rows, index, &y);
        rows_to_raw(&x, &y, infinite, to);
    }
    return SIZE_MAX;
}

#endif
