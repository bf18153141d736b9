#include "groth16/params.h"

#include <inttypes.h>
#include <pthread.h>

#include "base/bytes.h"
#include "base/mem.h"

enum { VALIDATE_CHUNK = 1 << 14 };

static const char *const query_name[CUZK_QUERIES] = {"h", "l", "a", "b_g1", "b_g2"};

static size_t point_bytes(enum cuzk_query query)
{
    return cuzk_query_is_g2(query) ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES;
}

const char *cuzk_params_query_name(enum cuzk_query query)
{
    return query_name[query];
}

static enum cuzk_status parse(struct cuzk_params *params, uint64_t length, struct cuzk_error *err)
{
    struct cuzk_bytes bytes;

    cuzk_bytes_init(&bytes, params->name, params->bytes, length);
    CUZK_TRY(cuzk_vk_decode(&bytes, &params->vk, err));
    for (int q = 0; q < CUZK_QUERIES; q++) {
        struct cuzk_params_query *query = &params->query[q];
        const uint8_t *points;
        CUZK_TRY(cuzk_bytes_u32be(&bytes, query_name[q], &query->count, err));
        query->offset = bytes.position;
        CUZK_TRY(cuzk_bytes_take_array(&bytes, query_name[q], query->count, point_bytes((enum cuzk_query)q),
                                       &points, err));
    }
    return cuzk_bytes_end(&bytes, err);
}

enum cuzk_status cuzk_params_from_bytes(const char *name, const uint8_t *bytes, uint64_t length,
                                        struct cuzk_params *out, struct cuzk_error *err)
{
    *out = (struct cuzk_params){.name = name, .bytes = bytes};
    const enum cuzk_status status = parse(out, length, err);
    if (status != CUZK_OK)
        cuzk_params_close(out);
    return status;
}

enum cuzk_status cuzk_params_open(const char *path, struct cuzk_params *out, struct cuzk_error *err)
{
    *out = (struct cuzk_params){0};
    CUZK_TRY(cuzk_file_map_open(path, "parameters", 0, &out->map, err));
    out->name = out->map.path;
    out->bytes = out->map.bytes;
    const enum cuzk_status status = parse(out, out->map.length, err);
    if (status != CUZK_OK)
        cuzk_params_close(out);
    return status;
}

void cuzk_params_close(struct cuzk_params *params)
{
    if (params == NULL)
        return;
    cuzk_vk_destroy(&params->vk);
    cuzk_file_map_close(&params->map);
    *params = (struct cuzk_params){0};
}

/* ---- validation ---- */

struct validation {
    const struct cuzk_params *params;
    enum cuzk_query query;
    enum cuzk_params_check check;
    const struct cuzk_progress *progress;
    uint64_t before, total; /* points of earlier queries, and of all */
    pthread_mutex_t lock;   /* guards what follows */
    uint64_t done;
    enum cuzk_status status;
    uint64_t bad; /* number of the first bad point found */
    struct cuzk_error error;
};

static enum cuzk_status check_point(const struct validation *job, const uint8_t *bytes,
                                    struct cuzk_error *err)
{
    const bool deep = job->check == CUZK_PARAMS_IN_SUBGROUP;

    if (cuzk_query_is_g2(job->query)) {
        struct cuzk_g2_affine point;
        CUZK_TRY(cuzk_g2_decode_raw_unchecked(bytes, &point, err));
        if (cuzk_g2_affine_is_identity(&point))
            return cuzk_error_set(err, CUZK_INPUT, "infinity is not allowed here");
        if (!cuzk_g2_is_on_curve(&point))
            return cuzk_error_set(err, CUZK_INPUT, "the point is not on the curve");
        if (deep && !cuzk_g2_in_subgroup(&point))
            return cuzk_error_set(err, CUZK_INPUT, "the point is not in the subgroup of order r");
        return CUZK_OK;
    }
    struct cuzk_g1_affine point;
    CUZK_TRY(cuzk_g1_decode_raw_unchecked(bytes, &point, err));
    if (cuzk_g1_affine_is_identity(&point))
        return cuzk_error_set(err, CUZK_INPUT, "infinity is not allowed here");
    if (!cuzk_g1_is_on_curve(&point))
        return cuzk_error_set(err, CUZK_INPUT, "the point is not on the curve");
    if (deep && !cuzk_g1_in_subgroup(&point))
        return cuzk_error_set(err, CUZK_INPUT, "the point is not in the subgroup of order r");
    return CUZK_OK;
}

static void validate_chunk(void *context, size_t index, unsigned worker)
{
    struct validation *job = context;
    const struct cuzk_params_query *query = &job->params->query[job->query];
    const size_t size = point_bytes(job->query), begin = index * VALIDATE_CHUNK;
    const size_t end = query->count - begin < VALIDATE_CHUNK ? query->count : begin + VALIDATE_CHUNK;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_error error = {0};
    size_t k = begin;

    (void)worker;
    pthread_mutex_lock(&job->lock);
    const bool stop = job->status != CUZK_OK;
    pthread_mutex_unlock(&job->lock);
    if (stop)
        return;
    status = cuzk_progress_check(job->progress, &error);
    for (; status == CUZK_OK && k < end; k++) {
        status = check_point(job, job->params->bytes + query->offset + k * size, &error);
        if (status != CUZK_OK)
            break;
    }
    if (job->params->map.mapped)
        cuzk_file_map_drop(&job->params->map, query->offset + begin * size, query->offset + end * size);
    pthread_mutex_lock(&job->lock);
    if (status != CUZK_OK && (job->status == CUZK_OK || k < job->bad)) {
        job->status = status;
        job->bad = k;
        job->error = error;
    }
    job->done += end - begin;
    const uint64_t done = job->before + job->done;
    pthread_mutex_unlock(&job->lock);
    cuzk_progress_report(job->progress, "points checked", done, job->total);
}

enum cuzk_status cuzk_params_validate(const struct cuzk_params *params, enum cuzk_params_check check,
                                      struct cuzk_pool *pool, const struct cuzk_progress *progress,
                                      struct cuzk_error *err)
{
    struct validation job = {.params = params, .check = check, .progress = progress};

    for (int q = 0; q < CUZK_QUERIES; q++)
        job.total += params->query[q].count;
    pthread_mutex_init(&job.lock, NULL);
    for (int q = 0; q < CUZK_QUERIES && job.status == CUZK_OK; q++) {
        job.query = (enum cuzk_query)q;
        job.done = 0;
        cuzk_pool_run(pool, (params->query[q].count + (size_t)VALIDATE_CHUNK - 1) / VALIDATE_CHUNK,
                      validate_chunk, &job);
        job.before += params->query[q].count;
    }
    pthread_mutex_destroy(&job.lock);
    if (job.status == CUZK_INPUT) {
        const uint64_t offset = params->query[job.query].offset + job.bad * point_bytes(job.query);
        return cuzk_error_set(err, CUZK_INPUT, "%s: %s[%" PRIu64 "]: %s (offset %" PRIu64 ")", params->name,
                              query_name[job.query], job.bad, job.error.message, offset);
    }
    if (job.status != CUZK_OK)
        return cuzk_error_set(err, job.status, "%s", job.error.message);
    return CUZK_OK;
}

/* ---- for a plan ---- */

/* The context of a listener is the params; which query it is for, is in its name. */
static enum cuzk_status drop(void *context, size_t begin, size_t end, enum cuzk_query query)
{
    const struct cuzk_params *params = context;
    const size_t size = point_bytes(query);

    cuzk_file_map_drop(&params->map, params->query[query].offset + begin * size,
                       params->query[query].offset + end * size);
    return CUZK_OK;
}

#define DROP(query)                                                                                          \
    static enum cuzk_status drop_##query(void *context, size_t begin, size_t end, struct cuzk_error *err)    \
    {                                                                                                        \
        (void)err;                                                                                           \
        return drop(context, begin, end, CUZK_QUERY_##query);                                                \
    }
DROP(H)
DROP(L)
DROP(A)
DROP(B_G1)
DROP(B_G2)
#undef DROP

void cuzk_params_plan(const struct cuzk_params *params, struct cuzk_backend_query query[CUZK_QUERIES])
{
    static enum cuzk_status (*const listener[CUZK_QUERIES])(void *, size_t, size_t, struct cuzk_error *) = {
        drop_H, drop_L, drop_A, drop_B_G1, drop_B_G2};

    for (int q = 0; q < CUZK_QUERIES; q++) {
        query[q] = (struct cuzk_backend_query){.bytes = params->bytes + params->query[q].offset,
                                               .count = params->query[q].count,
                                               .name = query_name[q],
                                               .consumed = params->map.mapped ? listener[q] : NULL,
                                               .context = (void *)(uintptr_t)params};
    }
}
