#include "groth16/params.h"

#include <inttypes.h>

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
    uint64_t total; /* points of all queries */
    uint64_t done;  /* of them; changed atomically */
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

static enum cuzk_status validate_chunk(void *context, size_t index, struct cuzk_error *err)
{
    struct validation *job = context;
    const struct cuzk_params *params = job->params;
    const struct cuzk_params_query *query = &params->query[job->query];
    const size_t size = point_bytes(job->query), begin = index * VALIDATE_CHUNK;
    const size_t end = query->count - begin < VALIDATE_CHUNK ? query->count : begin + VALIDATE_CHUNK;
    struct cuzk_error bad = {0};

    CUZK_TRY(cuzk_progress_check(job->progress, err));
    for (size_t k = begin; k < end; k++) {
        const uint64_t offset = query->offset + k * size;

        if (check_point(job, params->bytes + offset, &bad) != CUZK_OK)
            return cuzk_error_set(err, bad.status, "%s: %s[%zu]: %s (offset %" PRIu64 ")", params->name,
                                  query_name[job->query], k, bad.message, offset);
    }
    cuzk_params_release(params, job->query, begin, end);
    const uint64_t done = __atomic_add_fetch(&job->done, end - begin, __ATOMIC_RELAXED);

    cuzk_progress_report(job->progress, "points checked", done, job->total);
    return CUZK_OK;
}

enum cuzk_status cuzk_params_validate(const struct cuzk_params *params, enum cuzk_params_check check,
                                      struct cuzk_pool *pool, const struct cuzk_progress *progress,
                                      struct cuzk_error *err)
{
    struct validation job = {.params = params, .check = check, .progress = progress};

    for (int q = 0; q < CUZK_QUERIES; q++)
        job.total += params->query[q].count;
    for (int q = 0; q < CUZK_QUERIES; q++) {
        job.query = (enum cuzk_query)q;
        CUZK_TRY(cuzk_pool_try(pool, (params->query[q].count + (size_t)VALIDATE_CHUNK - 1) / VALIDATE_CHUNK,
                               validate_chunk, &job, NULL, err));
    }
    return CUZK_OK;
}

/* ---- for a plan ---- */

void cuzk_params_release(const struct cuzk_params *params, enum cuzk_query query, size_t begin, size_t end)
{
    const size_t size = point_bytes(query);

    if (params->map.mapped)
        cuzk_file_map_drop(&params->map, params->query[query].offset + begin * size,
                           params->query[query].offset + end * size);
}

/* The context of a listener is the params; which query it is for, is in its name. */
#define DROP(query)                                                                                          \
    static enum cuzk_status drop_##query(void *context, size_t begin, size_t end, struct cuzk_error *err)    \
    {                                                                                                        \
        (void)err;                                                                                           \
        cuzk_params_release(context, CUZK_QUERY_##query, begin, end);                                        \
        return CUZK_OK;                                                                                      \
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
