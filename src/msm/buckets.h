/*
 * Template: sums of many lists of points (buckets), and the weighted sum of buckets that ends a window.
 *
 * Lists are cut into segments of at most `cap` points, segments are sorted by length, and each gets a lane of
 * a batch that adds one point of every list a round; lists of several segments have their partial sums added
 * up in further passes. So a long list, or only one, fills the lanes as well as many short ones.
 *
 * Include after batch_affine.h.
 */
#ifndef CUZK_MSM_BUCKETS_H
#define CUZK_MSM_BUCKETS_H

#include "base/mem.h"

/* items[start .. start + length) of some array of indexes, whose sum goes to bucket or spill row `target` */
struct run {
    uint32_t start, length, target;
};

#define RUN_SPILL UINT32_C(0x80000000) /* in target: a partial sum, to the spill rows */

enum {
    CAP_FIRST = 16,     /* least length at which a list is cut, first pass */
    CAP_LATER = 8,      /* and in later ones */
    CAP_MOST = 1024,    /* a lane may not add more points than this: the kept form grows with each */
    REDUCE_STEPS = 32,  /* at most so many buckets a chain, for the same reason */
    REDUCE_WINDOWS = 64 /* at most so many windows are reduced together */
};

/* Sums of lists: rows[i] where used[i] is not 0, infinity elsewhere. */
struct buckets {
    struct row *rows;
    uint8_t *used;
};

/* What one thread needs to sum lists of up to `items` points in all into up to `targets` buckets. */
struct summer {
    struct batch *batch, *chains;
    uint32_t position[BATCH], end[BATCH];
    struct row *to[LANES];
    struct run *segments, *sorted, *cut;
    uint32_t *spill_items;
    struct buckets spill;
    struct buckets level[2]; /* sums of chains, in reduce.h */
    struct run window_runs[REDUCE_WINDOWS];
    uint32_t *window_items;
    size_t spilled;
    uint32_t by_length[CAP_MOST + 2];
};

/* Partial sums that lists of `items` points in all can make. */
static size_t most_spills(size_t items)
{
    size_t cap = items / BATCH;
    if (cap < CAP_FIRST)
        cap = CAP_FIRST;
    if (cap > CAP_MOST)
        cap = CAP_MOST;
    /* a list of length > cap makes at most 2 length / cap segments; passes after the first a third as many */
    return (2 * items / cap + 1) * 4 / 3 + 16;
}

static void summer_free(struct summer *s)
{
    if (s == NULL)
        return;
    cuzk_mem_free(s->batch);
    cuzk_mem_free(s->chains);
    cuzk_mem_free(s->segments);
    cuzk_mem_free(s->sorted);
    cuzk_mem_free(s->cut);
    cuzk_mem_free(s->spill_items);
    cuzk_mem_free(s->spill.rows);
    cuzk_mem_free(s->spill.used);
    cuzk_mem_free(s->window_items);
    for (int i = 0; i < 2; i++) {
        cuzk_mem_free(s->level[i].rows);
        cuzk_mem_free(s->level[i].used);
    }
    cuzk_mem_free(s);
}

static enum cuzk_status summer_create(size_t items, size_t targets, struct summer **out,
                                      struct cuzk_error *err)
{
    const size_t spills = most_spills(items > targets ? items : targets), runs = targets + spills;
    struct summer *s = NULL;
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&s, 1, "MSM workspace", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->batch, 1, "MSM batch", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->chains, 1, "MSM batch", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->segments, runs, "MSM segments", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->sorted, runs, "MSM segments", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->cut, spills, "MSM segments", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->spill_items, spills, "MSM partial sums", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->spill.rows, spills, "MSM partial sums", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->spill.used, spills, "MSM partial sums", err));
    CUZK_TRY_OUT(CUZK_NEW(&s->window_items, targets / 4 + REDUCE_WINDOWS + 1, "MSM partial sums", err));
    for (int i = 0; i < 2; i++) {
        const size_t rows = targets / 2 + 2 * BATCH;
        CUZK_TRY_OUT(CUZK_NEW(&s->level[i].rows, rows, "MSM partial sums", err));
        CUZK_TRY_OUT(CUZK_NEW(&s->level[i].used, rows, "MSM partial sums", err));
    }
    *out = s;
    return CUZK_OK;
out:
    summer_free(s);
    return status;
}

/* Writes the sums of the first n lanes to the targets of their segments. */
static void store_sums(struct summer *s, const struct run *segments, size_t n, const struct buckets *buckets)
{
    const struct batch *b = s->batch;

    for (size_t v = 0; v * LANES < n; v++) {
        lane_mask mask = 0;
        for (size_t l = 0; l < LANES; l++) {
            const size_t i = v * LANES + l;
            if (i >= n) {
                s->to[l] = s->to[0];
                continue;
            }
            const uint32_t target = segments[i].target;
            const struct buckets *to = target & RUN_SPILL ? &s->spill : buckets;
            const bool finite = !(b->infinity[v] >> l & 1);
            s->to[l] = &to->rows[target & ~RUN_SPILL];
            to->used[target & ~RUN_SPILL] = finite;
            mask |= (lane_mask)(finite << l);
        }
        rows_store(&b->x[v], &b->y[v], mask, s->to);
    }
}

/* Sums n <= BATCH segments, sorted by falling length, onto what their buckets hold. */
static void sum_segments(struct summer *s, const struct row *rows, const uint32_t *items,
                         const struct run *segments, size_t n, const struct buckets *buckets)
{
    struct batch *b = s->batch;
    const size_t nv = (n + LANES - 1) / LANES;
    bool held = false;

    for (size_t i = 0; i < n; i++) {
        const uint32_t target = segments[i].target;
        const bool used = !(target & RUN_SPILL) && buckets->used[target];
        batch_set(b, i, used, target);
        s->position[i] = segments[i].start;
        s->end[i] = segments[i].start + segments[i].length;
        held |= used;
    }
    batch_pad(b, n);
    for (size_t i = n; i % LANES != 0; i++)
        s->position[i] = s->end[i] = 0;
    if (held) {
        batch_load(b, nv, buckets->rows);
    } else {
        for (size_t i = 0; i < n; i++)
            batch_set(b, i, true, items[s->position[i]++]);
        batch_pad(b, n);
        batch_load(b, nv, rows);
    }
    size_t open = n;
    for (;;) {
        while (open > 0 && s->position[open - 1] == s->end[open - 1])
            open--;
        if (open == 0)
            break;
        for (size_t i = 0; i < open; i += LANES)
            b->active[i / LANES] = lanes_next(items, s->position + i, s->end + i, b->index + i);
        batch_add_rows(b, (open + LANES - 1) / LANES, rows);
    }
    store_sums(s, segments, n, buckets);
}

/* Sorts segments by falling length into s->sorted. */
static void sort_segments(struct summer *s, const struct run *segments, size_t n)
{
    uint32_t *first = s->by_length;

    memset(first, 0, sizeof s->by_length);
    for (size_t i = 0; i < n; i++)
        first[segments[i].length]++;
    uint32_t at = 0;
    for (size_t length = CAP_MOST + 2; length-- > 0;) {
        const uint32_t count = first[length];
        first[length] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        s->sorted[first[segments[i].length]++] = segments[i];
}

/* Adds to each run's bucket the points rows[items[..]] of the run (bit 31 of an item negates). `total` is the
 * sum of the lengths. Runs of length zero are fine; no two runs may have the same target. */
static void sum_runs(struct summer *s, const struct row *rows, const uint32_t *items, const struct run *runs,
                     size_t count, size_t total, const struct buckets *buckets)
{
    size_t least = CAP_FIRST;

    s->spilled = 0;
    for (;;) {
        size_t cap = (total + BATCH - 1) / BATCH, n = 0, cuts = 0;
        const size_t first_spill = s->spilled;
        if (cap < least)
            cap = least;
        if (cap > CAP_MOST)
            cap = CAP_MOST;
        for (size_t i = 0; i < count; i++) {
            const struct run run = runs[i];
            if (run.length == 0)
                continue;
            if (run.length <= cap) {
                s->segments[n++] = run;
                continue;
            }
            const uint32_t pieces = (uint32_t)((run.length + cap - 1) / cap);
            const struct run cut = {(uint32_t)(s->spilled - first_spill), pieces, run.target};
            uint32_t start = run.start;
            for (uint32_t k = 0; k < pieces; k++) {
                const uint32_t length = run.length / pieces + (k < run.length % pieces);
                s->segments[n++] = (struct run){start, length, (uint32_t)s->spilled++ | RUN_SPILL};
                start += length;
            }
            s->cut[cuts++] = cut;
        }
        sort_segments(s, s->segments, n);
        for (size_t i = 0; i < n; i += BATCH)
            sum_segments(s, rows, items, s->sorted + i, n - i < BATCH ? n - i : BATCH, buckets);
        if (cuts == 0)
            break;
        /* the partial sums that are not infinity are the next pass's items */
        uint32_t at = 0;
        for (size_t i = 0; i < cuts; i++) {
            const uint32_t from = s->cut[i].start, length = s->cut[i].length;
            s->cut[i].start = at;
            for (uint32_t k = 0; k < length; k++)
                if (s->spill.used[first_spill + from + k])
                    s->spill_items[at++] = (uint32_t)(first_spill + from + k);
            s->cut[i].length = at - s->cut[i].start;
        }
        s->spill_items[at] = 0;
        rows = s->spill.rows;
        items = s->spill_items;
        runs = memcpy(s->sorted, s->cut, cuts * sizeof *s->cut); /* sorted is free until segments are made */
        count = cuts;
        total = at;
        least = CAP_LATER;
    }
}

#endif
