/*
 * Template: the weighted sum of the buckets of a window, sum of (i + 1) * bucket[i].
 *
 * The buckets are dealt out to chains of `steps` neighbours. Each chain keeps two running sums, S and T, from
 * its highest bucket down (S += bucket, T += S), all chains in step, so that their additions share
 * inversions. The T add up directly; the S are a smaller problem of the same kind. Small ones are finished
 * one by one.
 *
 * Include after buckets.h.
 */
#ifndef CUZK_MSM_REDUCE_H
#define CUZK_MSM_REDUCE_H

enum { REDUCE_SCALAR = 128 }; /* up to so many buckets in all are summed one by one */

/* rows[index] as a projective point */
static void row_to_point(const struct row *rows, uint32_t index, group_point *out)
{
    uint32_t indexes[LANES];
    group_affine affine[LANES];
    fe x, y;

    for (int l = 0; l < LANES; l++)
        indexes[l] = index;
    rows_load_x(rows, indexes, &x);
    rows_load_y(rows, indexes, &y);
    rows_to_affine(&x, &y, affine);
    GROUP(from_affine)(&affine[0], out);
}

static void reduce_one_by_one(const struct buckets *buckets, size_t windows, size_t n, group_point *weighted,
                              group_point *plain)
{
    for (size_t w = 0; w < windows; w++) {
        group_point sum, total, point;
        GROUP(identity)(&sum);
        GROUP(identity)(&total);
        for (size_t i = n; i-- > 0;) {
            if (buckets->used[w * n + i]) {
                row_to_point(buckets->rows, (uint32_t)(w * n + i), &point);
                GROUP(add)(&sum, &point, &sum);
            }
            GROUP(add)(&total, &sum, &total);
        }
        weighted[w] = total;
        plain[w] = sum;
    }
}

/* Runs chains [first, first + n) of `steps` buckets each and writes their S to to[chain], T to to[all +
 * chain].
 */
static void run_chains(struct summer *s, const struct buckets *from, size_t first, size_t n, size_t steps,
                       size_t all, const struct buckets *to)
{
    struct batch *plain = s->batch, *weighted = s->chains;
    const size_t nv = (n + LANES - 1) / LANES;

    for (size_t step = steps; step-- > 0;) {
        for (size_t i = 0; i < n; i++) {
            const size_t bucket = (first + i) * steps + step;
            batch_set(plain, i, from->used[bucket], (uint32_t)bucket);
        }
        batch_pad(plain, n);
        if (step == steps - 1) {
            batch_load(plain, nv, from->rows);
            memcpy(weighted->x, plain->x, nv * sizeof *plain->x);
            memcpy(weighted->y, plain->y, nv * sizeof *plain->y);
            memcpy(weighted->infinity, plain->infinity, nv * sizeof *plain->infinity);
            continue;
        }
        batch_add_rows(plain, nv, from->rows);
        batch_add_sums(weighted, nv, plain);
    }
    for (int which = 0; which < 2; which++) {
        const struct batch *b = which == 0 ? plain : weighted;
        for (size_t v = 0; v < nv; v++) {
            lane_mask mask = 0;
            for (size_t l = 0; l < LANES; l++) {
                const size_t i = v * LANES + l, at = (which == 0 ? 0 : all) + first + i;
                const bool finite = i < n && !(b->infinity[v] >> l & 1);
                s->to[l] = &to->rows[i < n ? at : 0];
                mask |= (lane_mask)(finite << l);
                if (i < n)
                    to->used[at] = finite;
            }
            rows_store(&b->x[v], &b->y[v], mask, s->to);
        }
    }
}

/* For each of `windows` windows of n buckets (window after window in `buckets`): weighted = sum of
 * (i + 1) * bucket[i], plain = sum of bucket[i]. n is a power of two; windows * n is at most the `targets` of
 * summer_create. */
static void reduce(struct summer *s, const struct buckets *buckets, size_t windows, size_t n, unsigned depth,
                   group_point *weighted, group_point *plain)
{
    const struct buckets *to = &s->level[depth % 2];
    size_t steps = 4;

    if (windows * n <= REDUCE_SCALAR || n < 8) {
        reduce_one_by_one(buckets, windows, n, weighted, plain);
        return;
    }
    while (steps < REDUCE_STEPS && 2 * steps <= n && windows * n / steps > BATCH)
        steps *= 2;
    const size_t chains = n / steps, all = windows * chains;
    for (size_t i = 0; i < all; i += BATCH)
        run_chains(s, buckets, i, all - i < BATCH ? all - i : BATCH, steps, all, to);

    /* the T of a window add up: one list a window, written behind the T */
    for (size_t w = 0; w < windows; w++) {
        to->used[2 * all + w] = 0;
        s->window_runs[w].start = (uint32_t)(w * chains);
        s->window_runs[w].length = 0;
        s->window_runs[w].target = (uint32_t)(2 * all + w);
    }
    for (size_t w = 0; w < windows; w++)
        for (size_t i = 0; i < chains; i++)
            if (to->used[all + w * chains + i])
                s->window_items[w * chains + s->window_runs[w].length++] = (uint32_t)(all + w * chains + i);
    sum_runs(s, to->rows, s->window_items, s->window_runs, windows, all, to);
    group_point totals[REDUCE_WINDOWS];
    for (size_t w = 0; w < windows; w++) {
        GROUP(identity)(&totals[w]);
        if (to->used[2 * all + w])
            row_to_point(to->rows, (uint32_t)(2 * all + w), &totals[w]);
    }

    reduce(s, to, windows, chains, depth + 1, weighted, plain);
    for (size_t w = 0; w < windows; w++) {
        /* chain i holds buckets from i * steps: weights i * steps more than in T */
        group_point t;
        GROUP(neg)(&plain[w], &t);
        GROUP(add)(&weighted[w], &t, &t);
        for (size_t k = 1; k < steps; k *= 2)
            GROUP(double)(&t, &t);
        GROUP(add)(&t, &totals[w], &weighted[w]);
    }
}

#endif
