/*
 * Template: the multi-scalar multiplication itself.
 *
 * Bases are taken in chunks. A chunk's bases are converted to rows: those with scalar one from the front of
 * the row array, those with larger scalars ("wide") from its back; zeros are left out. Then tasks run side by
 * side: some sum the ones, the others each own a group of windows and a range of buckets, pick the wide
 * points whose digits fall there, sort them by bucket and sum them. Buckets live from chunk to chunk; the
 * last chunk's tasks reduce them.
 *
 * Include after reduce.h, digits.h and engine.h.
 */
#ifndef CUZK_MSM_PIPPENGER_H
#define CUZK_MSM_PIPPENGER_H

#include <stdatomic.h>

#define ROW_NEGATED (UINT32_C(1) << 31) /* in sources: the scalar was negated */
#define SPAN_MOST   ((size_t)1 << 30)   /* bases a chunk may reach over */

enum {
    ONES_GRAIN = 4096, /* least ones a task sums */
    ONES_CHUNK =
        1 << 15, /* bases of a chunk for each thread, where all scalars are bits: rows stay in cache */
    FEW = 8,     /* points that are multiplied one by one */
    PREFETCH_BASES = 48, /* bases ahead, in conversion */
    ONES_A_LANE = 8      /* ones for which a running sum is worth while */
};

struct plan {
    struct digits_form form;
    unsigned c, windows;  /* bits a digit, digits a scalar */
    size_t buckets;       /* of a window: 2^(c-1) */
    unsigned group;       /* windows a task */
    size_t range, ranges; /* buckets a task takes of each of its windows; tasks that share a window */
    unsigned groups;
    size_t tasks;                /* groups * ranges */
    size_t one_tasks, one_lanes; /* tasks that sum the ones; running sums that each keeps */
    size_t rows;                 /* of a chunk */
    bool chunks;                 /* more than one chunk: buckets are kept a task, not a worker */
};

struct msm_worker {
    struct summer *summer;
    uint32_t *items;
    struct run *runs;
};

struct msm {
    const struct cuzk_msm_request *request;
    struct plan plan;
    size_t ones, wide; /* of the whole request */
    struct row *rows;
    uint32_t *sources; /* of each row: base's number from `begin`, ROW_NEGATED */
    uint8_t *dead;     /* rows whose base is infinity */
    uint16_t *digits;  /* [window][wide row from the back], biased */
    size_t begin, end; /* the chunk's bases */
    size_t chunk_ones, chunk_wide;
    atomic_size_t bad; /* least base that is refused, SIZE_MAX: none */
    atomic_size_t count_ones, count_wide;
    unsigned workers;
    struct msm_worker *worker;
    struct buckets *buckets; /* [task] or [worker] */
    size_t bucket_sets;
    group_point *weighted, *plain; /* [task][window of the group] */
    struct buckets *one_buckets;   /* [one task], one_lanes running sums each */
    group_point *one_sums;         /* [one task] */
    bool last;
};

enum scalar_class { SCALAR_ZERO, SCALAR_ONE, SCALAR_WIDE };

static inline enum scalar_class classify(const struct cuzk_msm_request *request, size_t i, bool *negated)
{
    uint64_t t[4];

    *negated = false;
    if (request->scalars == NULL)
        return request->bitmap[i / 64] >> (i % 64) & 1 ? SCALAR_ONE : SCALAR_ZERO;
    const uint64_t *s = request->scalars[i];
    if ((s[1] | s[2] | s[3]) == 0 && s[0] <= 1)
        return s[0] == 0 ? SCALAR_ZERO : SCALAR_ONE;
    *negated = digits_reduce(s, t);
    if ((t[1] | t[2] | t[3]) == 0 && t[0] <= 1)
        return t[0] == 0 ? SCALAR_ZERO : SCALAR_ONE;
    return SCALAR_WIDE;
}

/* The word of a bitmap that holds bit i, with the bits before i and those from `end` on cleared. */
static inline uint64_t bits_from(const uint64_t *bitmap, size_t i, size_t end)
{
    uint64_t word = bitmap[i / 64] & UINT64_MAX << (i % 64);

    if (end - (i & ~(size_t)63) < 64)
        word &= (UINT64_C(1) << (end % 64)) - 1;
    return word;
}

static void count_classes(void *context, size_t begin, size_t end, unsigned worker)
{
    struct msm *m = context;
    size_t ones = 0, wide = 0;
    bool negated;

    (void)worker;
    if (m->request->scalars == NULL) {
        for (size_t i = begin; i < end; i = (i | 63) + 1)
            ones += (size_t)__builtin_popcountll(bits_from(m->request->bitmap, i, end));
        atomic_fetch_add(&m->count_ones, ones);
        return;
    }
    for (size_t i = begin; i < end; i++) {
        const enum scalar_class class = classify(m->request, i, &negated);
        ones += class == SCALAR_ONE;
        wide += class == SCALAR_WIDE;
    }
    atomic_fetch_add(&m->count_ones, ones);
    atomic_fetch_add(&m->count_wide, wide);
}

/* Additions for `wide` points, those of the reduction included, in units of one batched addition. */
static double plan_cost(unsigned c, size_t wide)
{
    const double buckets = (double)((size_t)1 << (c - 1));
    return digits_windows(c) * ((double)wide + 2.6 * buckets);
}

static void make_plan(struct msm *m)
{
    struct plan *p = &m->plan;
    const size_t threads = cuzk_pool_threads(m->request->pool);
    const struct cuzk_msm_raw *raw = m->request->raw;
    size_t chunk = raw != NULL && raw->chunk != 0 ? raw->chunk : CUZK_MSM_CHUNK;

    p->c = DIGITS_LEAST;
    for (unsigned c = DIGITS_LEAST + 1; c <= 16; c++)
        if (plan_cost(c, m->wide) < plan_cost(p->c, m->wide))
            p->c = c;
    digits_form_init(&p->form, p->c);
    p->windows = p->form.windows;
    p->buckets = (size_t)1 << (p->c - 1);
    if (m->wide == 0 && chunk > ONES_CHUNK * threads)
        chunk = ONES_CHUNK * threads;
    if (chunk > SPAN_MOST)
        chunk = SPAN_MOST;
    p->rows = m->ones + m->wide < chunk ? m->ones + m->wide : chunk;
    p->chunks = m->ones + m->wide > p->rows;

    /* windows are grouped until a task has buckets enough for a few batches, or tasks become scarce */
    p->group = 1;
    while (p->group < p->windows && 2 * p->group <= REDUCE_WINDOWS && p->group * p->buckets < 8 * BATCH &&
           (threads == 1 || p->windows / (p->group + 1) >= 3 * threads))
        p->group++;
    p->groups = (p->windows + p->group - 1) / p->group;
    p->ranges = 1;
    while (p->groups * p->ranges < 3 * threads && threads > 1 && p->buckets / p->ranges > 512)
        p->ranges *= 2;
    p->range = p->buckets / p->ranges;
    p->tasks = m->wide == 0 ? 0 : p->groups * p->ranges;
    p->one_tasks = (m->ones < p->rows ? m->ones : p->rows) / ONES_GRAIN + 1;
    if (p->one_tasks > threads)
        p->one_tasks = threads;
    if (m->ones == 0)
        p->one_tasks = 0;
    p->one_lanes = (m->ones < p->rows ? m->ones : p->rows) / (p->one_tasks + 1) / ONES_A_LANE + 1;
    if (p->one_lanes > BATCH)
        p->one_lanes = BATCH;
}

static void msm_free(struct msm *m)
{
    cuzk_mem_free(m->rows);
    cuzk_mem_free(m->sources);
    cuzk_mem_free(m->dead);
    cuzk_mem_free(m->digits);
    for (unsigned i = 0; m->worker != NULL && i < m->workers; i++) {
        summer_free(m->worker[i].summer);
        cuzk_mem_free(m->worker[i].items);
        cuzk_mem_free(m->worker[i].runs);
    }
    cuzk_mem_free(m->worker);
    for (size_t i = 0; m->buckets != NULL && i < m->bucket_sets; i++) {
        cuzk_mem_free(m->buckets[i].rows);
        cuzk_mem_free(m->buckets[i].used);
    }
    for (size_t i = 0; m->one_buckets != NULL && i < m->plan.one_tasks; i++) {
        cuzk_mem_free(m->one_buckets[i].rows);
        cuzk_mem_free(m->one_buckets[i].used);
    }
    cuzk_mem_free(m->one_buckets);
    cuzk_mem_free(m->buckets);
    cuzk_mem_free(m->weighted);
    cuzk_mem_free(m->plain);
    cuzk_mem_free(m->one_sums);
}

static enum cuzk_status msm_allocate(struct msm *m, struct cuzk_error *err)
{
    const struct plan *p = &m->plan;
    size_t targets = p->tasks == 0 ? 1 : p->group * p->range;
    const size_t wide = m->wide < p->rows ? m->wide : p->rows;
    const size_t ones = m->ones < p->rows ? m->ones : p->rows;
    size_t items = p->group * wide;

    if (p->one_tasks != 0 && items < ones / p->one_tasks + p->one_lanes)
        items = ones / p->one_tasks + p->one_lanes;
    const size_t bucket_rows = targets;
    if (p->one_tasks != 0 && targets < p->one_lanes)
        targets = p->one_lanes;
    CUZK_TRY(CUZK_NEW(&m->rows, p->rows, "MSM bases", err));
    CUZK_TRY(CUZK_NEW(&m->sources, p->rows, "MSM bases", err));
    CUZK_TRY(CUZK_NEW(&m->dead, p->rows, "MSM bases", err));
    CUZK_TRY(CUZK_NEW(&m->digits, p->windows * wide, "MSM digits", err));
    m->workers = cuzk_pool_threads(m->request->pool);
    CUZK_TRY(CUZK_NEW(&m->worker, m->workers, "MSM workers", err));
    for (unsigned i = 0; i < m->workers; i++) {
        CUZK_TRY(summer_create(items, targets, &m->worker[i].summer, err));
        CUZK_TRY(CUZK_NEW(&m->worker[i].items, items + 1, "MSM lists", err));
        CUZK_TRY(CUZK_NEW(&m->worker[i].runs, targets, "MSM lists", err));
    }
    if (p->tasks != 0) {
        const size_t sets = p->chunks ? p->tasks : m->workers;
        CUZK_TRY(CUZK_NEW(&m->buckets, sets, "MSM buckets", err));
        m->bucket_sets = sets;
        for (size_t i = 0; i < sets; i++) {
            CUZK_TRY(CUZK_NEW(&m->buckets[i].rows, bucket_rows, "MSM buckets", err));
            CUZK_TRY(CUZK_NEW(&m->buckets[i].used, bucket_rows, "MSM buckets", err));
        }
        CUZK_TRY(CUZK_NEW(&m->weighted, p->tasks * p->group, "MSM window sums", err));
        CUZK_TRY(CUZK_NEW(&m->plain, p->tasks * p->group, "MSM window sums", err));
    }
    CUZK_TRY(CUZK_NEW(&m->one_buckets, p->one_tasks, "MSM sums", err));
    for (size_t i = 0; i < p->one_tasks; i++) {
        CUZK_TRY(CUZK_NEW(&m->one_buckets[i].rows, p->one_lanes, "MSM sums", err));
        CUZK_TRY(CUZK_NEW(&m->one_buckets[i].used, p->one_lanes, "MSM sums", err));
    }
    return CUZK_NEW(&m->one_sums, p->one_tasks, "MSM sums", err);
}

/* Takes bases from m->end on until the rows are full. */
static void select_chunk(struct msm *m)
{
    const size_t n = m->request->n, rows = m->plan.rows;
    size_t i = m->end, ones = 0, wide = 0;

    m->begin = i;
    if (m->request->scalars == NULL) {
        while (i < n && ones < rows && i - m->begin < SPAN_MOST) {
            uint64_t word = bits_from(m->request->bitmap, i, n);
            const size_t first = i & ~(size_t)63;
            for (; word != 0 && ones < rows; word &= word - 1)
                m->sources[ones++] = (uint32_t)(first + (size_t)__builtin_ctzll(word) - m->begin);
            i = word == 0 ? first + 64 : first + (size_t)__builtin_ctzll(word);
        }
        if (i > n)
            i = n;
    }
    for (; i < n && ones + wide < rows && i - m->begin < SPAN_MOST; i++) {
        bool negated;
        const enum scalar_class class = classify(m->request, i, &negated);
        const uint32_t source = (uint32_t)(i - m->begin) | (negated ? ROW_NEGATED : 0);
        if (class == SCALAR_ONE)
            m->sources[ones++] = source;
        else if (class == SCALAR_WIDE)
            m->sources[rows - ++wide] = source;
    }
    if (ones + wide == rows) /* zeros behind the last used base belong to this chunk too */
        for (bool negated;
             i < n && i - m->begin < SPAN_MOST && classify(m->request, i, &negated) == SCALAR_ZERO;)
            i++;
    m->end = i;
    m->chunk_ones = ones;
    m->chunk_wide = wide;
    m->last = i == n;
}

static void refuse(struct msm *m, size_t base)
{
    size_t bad = atomic_load(&m->bad);
    while (base < bad && !atomic_compare_exchange_weak(&m->bad, &bad, base))
        ;
}

/* The row of the k-th base selected: the ones, then the wide ones. */
static inline size_t row_of(const struct msm *m, size_t k)
{
    return k < m->chunk_ones ? k : m->plan.rows - 1 - (k - m->chunk_ones);
}

/* Asks for the bytes of selected base k ahead of its turn. */
static inline void prefetch_base(const struct msm *m, size_t k)
{
    const bool raw = m->request->raw != NULL;
    const size_t bytes = raw ? GROUP_RAW_BYTES : sizeof(group_affine);
    const uint8_t *bases = raw ? m->request->raw->bytes : m->request->affine;
    const uint8_t *base = bases + (m->begin + (m->sources[row_of(m, k)] & ~ROW_NEGATED)) * bytes;

    for (size_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(base + at);
    __builtin_prefetch(base + bytes - 1);
}

/* Converts bases [begin, end) of those selected. */
static void convert_rows(void *context, size_t begin, size_t end, unsigned worker)
{
    struct msm *m = context;
    const struct cuzk_msm_request *request = m->request;

    (void)worker;
    for (size_t i = begin; i < end; i += LANES) {
        struct row *to[LANES];
        size_t row[LANES];
        lane_mask negative = 0, dead;
        const group_affine *affine[LANES];
        const uint8_t *raw[LANES];

        for (size_t k = i + PREFETCH_BASES; k < i + PREFETCH_BASES + LANES && k < end; k++)
            prefetch_base(m, k);
        for (size_t l = 0; l < LANES; l++) {
            const size_t k = i + l < end ? i + l : end - 1; /* lanes past the end repeat the last */
            row[l] = row_of(m, k);
            const uint32_t source = m->sources[row[l]];
            const size_t base = m->begin + (source & ~ROW_NEGATED);
            to[l] = &m->rows[row[l]];
            negative |= (lane_mask)((source >> 31) << l);
            if (request->raw != NULL)
                raw[l] = request->raw->bytes + base * GROUP_RAW_BYTES;
            else
                affine[l] = (const group_affine *)request->affine + base;
        }
        dead =
            request->raw != NULL ? rows_from_raw(raw, negative, to) : rows_from_affine(affine, negative, to);
        for (size_t l = 0; l < LANES; l++) {
            m->dead[row[l]] = dead >> l & 1;
            if ((dead >> l & 1) && request->raw != NULL)
                refuse(m, m->begin + (m->sources[row[l]] & ~ROW_NEGATED));
        }
    }
}

static enum cuzk_status refusal(const struct msm *m, struct cuzk_error *err)
{
    const struct cuzk_msm_raw *raw = m->request->raw;
    const size_t base = atomic_load(&m->bad);
    const char *name = raw->name != NULL ? raw->name : "bases";
    group_affine point;
    const enum cuzk_status status =
        GROUP(decode_raw_unchecked)(raw->bytes + base * GROUP_RAW_BYTES, &point, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "%s, point %zu of %zu", name, base, raw->n);
    return cuzk_error_set(err, CUZK_INPUT, "%s, point %zu of %zu: %s", name, base, raw->n,
                          GROUP(affine_is_identity)(&point) ? "infinity, which is not allowed here"
                                                            : "not on the curve");
}

static void make_digits(void *context, size_t begin, size_t end, unsigned worker)
{
    struct msm *m = context;
    const struct plan *p = &m->plan;
    uint64_t s[4], biased[5];

    (void)worker;
    for (size_t j = begin; j < end; j++) {
        const size_t row = p->rows - 1 - j;
        uint16_t *digit = m->digits + j;
        if (m->dead[row])
            memset(s, 0, sizeof s);
        else
            (void)digits_reduce(m->request->scalars[m->begin + (m->sources[row] & ~ROW_NEGATED)], s);
        digits_bias(&p->form, s, biased);
        for (unsigned w = 0; w < p->windows; w++, digit += m->chunk_wide)
            *digit = (uint16_t)digits_get(biased, p->c, w);
    }
}

static void sum_ones(struct msm *m, size_t task, struct msm_worker *worker)
{
    const size_t begin = m->chunk_ones * task / m->plan.one_tasks;
    const size_t end = m->chunk_ones * (task + 1) / m->plan.one_tasks;
    const size_t lanes = m->plan.one_lanes;
    const struct buckets *sums = &m->one_buckets[task];
    uint32_t n = 0;

    for (size_t i = begin; i < end; i++)
        if (!m->dead[i])
            worker->items[n++] = (uint32_t)i;
    for (size_t k = 0; k < lanes; k++) {
        const uint32_t first = (uint32_t)(n * k / lanes), last = (uint32_t)(n * (k + 1) / lanes);
        worker->runs[k] = (struct run){first, last - first, (uint32_t)k};
    }
    sum_runs(worker->summer, m->rows, worker->items, worker->runs, lanes, n, sums);
    if (!m->last)
        return;

    uint8_t used = 0;
    const struct buckets one = {worker->summer->level[0].rows, &used};
    struct run run = {0, 0, 0};
    for (size_t k = 0; k < lanes; k++)
        if (sums->used[k])
            worker->items[run.length++] = (uint32_t)k;
    sum_runs(worker->summer, sums->rows, worker->items, &run, 1, run.length, &one);
    if (used)
        row_to_point(one.rows, 0, &m->one_sums[task]);
}

/* The bucket of a digit that is not zero. */
static inline uint32_t bucket_of(int32_t digit)
{
    return (uint32_t)(digit < 0 ? -digit : digit) - 1;
}

static void sum_windows(struct msm *m, size_t task, struct msm_worker *worker, const struct buckets *buckets)
{
    const struct plan *p = &m->plan;
    const unsigned first = (unsigned)(task / p->ranges) * p->group;
    const unsigned windows = p->windows - first < p->group ? p->windows - first : p->group;
    const uint32_t low = (uint32_t)((task % p->ranges) * p->range), range = (uint32_t)p->range;
    const int32_t bias = (int32_t)p->buckets;
    const size_t wide = m->chunk_wide;
    struct run *runs = worker->runs;
    uint32_t at = 0;

    for (size_t i = 0; i < windows * p->range; i++)
        runs[i] = (struct run){0, 0, (uint32_t)i};
    for (unsigned w = 0; w < windows; w++) {
        const uint16_t *digits = m->digits + (first + w) * wide;
        struct run *to = runs + w * p->range;
        for (size_t j = 0; j < wide; j += DIGIT_BLOCK) {
            uint32_t hits = digits_in_range(digits + j, wide - j, bias, low, range);
            for (; hits != 0; hits &= hits - 1)
                to[bucket_of(digits[j + (size_t)__builtin_ctz(hits)] - bias) - low].length++;
        }
    }
    for (size_t i = 0; i < windows * p->range; i++) {
        runs[i].start = at;
        at += runs[i].length;
    }
    for (unsigned w = 0; w < windows; w++) {
        const uint16_t *digits = m->digits + (first + w) * wide;
        struct run *to = runs + w * p->range;
        for (size_t j = 0; j < wide; j += DIGIT_BLOCK) {
            uint32_t hits = digits_in_range(digits + j, wide - j, bias, low, range);
            for (; hits != 0; hits &= hits - 1) {
                const size_t k = j + (size_t)__builtin_ctz(hits);
                const int32_t digit = digits[k] - bias;
                worker->items[to[bucket_of(digit) - low].start++] =
                    (uint32_t)(p->rows - 1 - k) | (digit < 0 ? UINT32_C(1) << 31 : 0);
            }
        }
    }
    for (size_t i = 0; i < windows * p->range; i++)
        runs[i].start -= runs[i].length;
    sum_runs(worker->summer, m->rows, worker->items, runs, windows * p->range, at, buckets);
    if (m->last)
        reduce(worker->summer, buckets, windows, p->range, 0, m->weighted + task * p->group,
               m->plain + task * p->group);
}

static void run_task(void *context, size_t index, unsigned worker)
{
    struct msm *m = context;

    if (index < m->plan.one_tasks) {
        sum_ones(m, index, &m->worker[worker]);
        return;
    }
    const size_t task = index - m->plan.one_tasks;
    const struct buckets *buckets = &m->buckets[m->plan.chunks ? task : worker];
    if (!m->plan.chunks)
        memset(buckets->used, 0, m->plan.group * m->plan.range);
    sum_windows(m, task, &m->worker[worker], buckets);
}

/* The weighted sum of window w from those of its ranges: the buckets of range r weigh r * range more there.
 */
static void window_sum(const struct msm *m, unsigned w, group_point *out)
{
    const struct plan *p = &m->plan;
    group_point above, shifted, sum;

    GROUP(identity)(&above);
    GROUP(identity)(&shifted);
    GROUP(identity)(&sum);
    for (size_t r = p->ranges; r-- > 0;) {
        const size_t at = ((w / p->group) * p->ranges + r) * p->group + w % p->group;
        GROUP(add)(&sum, &m->weighted[at], &sum);
        if (r != 0) {
            GROUP(add)(&above, &m->plain[at], &above);
            GROUP(add)(&shifted, &above, &shifted);
        }
    }
    for (size_t k = 1; k < p->range; k *= 2)
        GROUP(double)(&shifted, &shifted);
    GROUP(add)(&sum, &shifted, out);
}

static void combine(const struct msm *m, group_point *out)
{
    const struct plan *p = &m->plan;
    group_point sum, window;

    GROUP(identity)(&sum);
    for (unsigned w = p->windows; w-- > 0 && p->tasks != 0;) {
        for (unsigned i = 0; i < p->c; i++)
            GROUP(double)(&sum, &sum);
        window_sum(m, w, &window);
        GROUP(add)(&sum, &window, &sum);
    }
    for (size_t i = 0; i < p->one_tasks; i++)
        GROUP(add)(&sum, &m->one_sums[i], &sum);
    *out = sum;
}

/* A handful of points, one by one: cheaper than the workspace of the rest. */
static enum cuzk_status sum_few(struct msm *m, group_point *out, struct cuzk_error *err)
{
    const struct cuzk_msm_request *request = m->request;
    const uint64_t one[4] = {1};
    group_point sum, t;

    GROUP(identity)(&sum);
    for (size_t i = 0; i < request->n; i++) {
        group_affine base;
        bool negated;
        if (classify(request, i, &negated) == SCALAR_ZERO)
            continue;
        if (request->raw == NULL) {
            base = ((const group_affine *)request->affine)[i];
        } else if (GROUP(decode_raw_unchecked)(request->raw->bytes + i * GROUP_RAW_BYTES, &base, NULL) !=
                       CUZK_OK ||
                   GROUP(affine_is_identity)(&base) || !GROUP(is_on_curve)(&base)) {
            refuse(m, i);
            return refusal(m, err);
        }
        GROUP(from_affine)(&base, &t);
        GROUP(mul)(&t, request->scalars != NULL ? request->scalars[i] : one, &t);
        GROUP(add)(&sum, &t, &sum);
    }
    if (request->raw != NULL && request->raw->consumed != NULL && request->n != 0)
        CUZK_TRY(request->raw->consumed(request->raw->context, 0, request->n, err));
    *out = sum;
    return CUZK_OK;
}

static enum cuzk_status msm_run(const struct cuzk_msm_request *request, void *out, struct cuzk_error *err)
{
    struct cuzk_pool *pool = request->pool;
    struct msm m = {.request = request, .bad = SIZE_MAX};
    enum cuzk_status status = CUZK_OK;

    cuzk_pool_range(pool, request->n, 4096, count_classes, &m);
    m.ones = atomic_load(&m.count_ones);
    m.wide = atomic_load(&m.count_wide);
    if (m.ones + m.wide <= FEW)
        return sum_few(&m, out, err);
    make_plan(&m);
    CUZK_TRY_OUT(msm_allocate(&m, err));
    for (size_t i = 0; i < m.plan.one_tasks; i++)
        GROUP(identity)(&m.one_sums[i]);
    while (m.end < request->n) {
        select_chunk(&m);
        cuzk_pool_range(pool, m.chunk_ones + m.chunk_wide, 512, convert_rows, &m);
        if (atomic_load(&m.bad) != SIZE_MAX) {
            status = refusal(&m, err);
            goto out;
        }
        if (request->raw != NULL && request->raw->consumed != NULL)
            CUZK_TRY_OUT(request->raw->consumed(request->raw->context, m.begin, m.end, err));
        cuzk_pool_range(pool, m.chunk_wide, 512, make_digits, &m);
        cuzk_pool_run(pool, m.plan.one_tasks + m.plan.tasks, run_task, &m);
    }
    combine(&m, out);
out:
    msm_free(&m);
    return status;
}

#endif
