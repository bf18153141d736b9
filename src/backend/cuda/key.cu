#include "backend/cuda/key.h"

#include "backend/cuda/encoding.h"
#include "backend/cuda/needs.h"
#include "backend/cuda/stream_load.h"
#include "base/mem.h"

enum cuzk_status cuda_points_decode(struct cuda_backend *backend, const struct cuzk_backend_query *query,
                                    bool g2, uint32_t first, uint32_t n, uint8_t *raw, void *out,
                                    uint32_t *worst, struct cuzk_error *err)
{
    const cudaStream_t stream = backend->stream;
    const size_t size = cuda_point_bytes(g2);
    uint32_t bad;

    CUZK_TRY(cuzk_cuda_check(cudaMemsetAsync(worst, 0xff, sizeof *worst, stream), "check of points", err));
    CUZK_TRY(cuda_mem_copy_in(backend, raw, query->bytes + first * size, n * size, "points being read", err));
    CUZK_TRY(g2 ? cuzk_cuda_decode_g2(raw, n, first, (struct cuzk_g2_affine *)out, worst, stream, err)
                : cuzk_cuda_decode_g1(raw, n, first, (struct cuzk_g1_affine *)out, worst, stream, err));
    CUZK_TRY(cuzk_cuda_check(cudaMemcpyAsync(&bad, worst, sizeof bad, cudaMemcpyDeviceToHost, stream),
                             "check of points", err));
    CUZK_TRY(cuzk_cuda_check(cudaStreamSynchronize(stream), "decode of points", err));
    if (bad == UINT32_MAX)
        return CUZK_OK;
    const bool infinity = query->bytes[bad * size] == 0x40;
    return cuzk_error_set(err, CUZK_INPUT, "%s, point %u of %u: %s", query->name, bad, query->count,
                          infinity ? "infinity, which is not allowed here"
                                   : "not on the curve, or not encoded as a point");
}

enum cuzk_status cuda_points_upload(struct cuda_backend *backend, const struct cuzk_backend_query *query,
                                    bool g2, void *points, struct cuzk_error *err)
{
    const size_t size = cuda_point_bytes(g2);
    const uint32_t chunk = query->count < CUDA_POINTS_AT_ONCE ? query->count : (uint32_t)CUDA_POINTS_AT_ONCE;
    enum cuzk_status status = CUZK_OK;
    uint8_t *raw = NULL;
    uint32_t *worst = NULL;

    CUZK_TRY_OUT(cuda_mem_take(backend, chunk * size, "points being read", (void **)&raw, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, sizeof *worst, "check of points", (void **)&worst, err));
    for (uint32_t first = 0; first < query->count; first += chunk) {
        const uint32_t n = query->count - first < chunk ? query->count - first : chunk;
        CUZK_TRY_OUT(
            cuda_points_decode(backend, query, g2, first, n, raw, (char *)points + first * size, worst, err));
        if (query->consumed != NULL)
            CUZK_TRY_OUT(query->consumed(query->context, first, first + n, err));
    }
out:
    cuda_mem_drop(backend, raw, chunk * size);
    cuda_mem_drop(backend, worst, sizeof *worst);
    return status;
}

/* ---- queries ---- */

static enum cuzk_status load_parts(struct cuda_key *key, struct cuda_query *to, struct cuda_backend *backend,
                                   const struct cuzk_backend_plan *plan,
                                   const struct cuzk_backend_query *query, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    uint32_t *points = NULL, *ranks = NULL, *wide = NULL, *inputs = NULL, point = to->first;

    CUZK_TRY_OUT(CUZK_NEW(&points, query->count, "points of a query", err));
    CUZK_TRY_OUT(CUZK_NEW(&ranks, query->count, "bits of a query", err));
    CUZK_TRY_OUT(CUZK_NEW(&wide, key->wide_count, "values of a query", err));
    CUZK_TRY_OUT(CUZK_NEW(&inputs, key->inputs, "inputs of a query", err));
    for (uint32_t i = 0; query->inputs != NULL && i < plan->r1cs->inputs; i++)
        if (query->inputs[i / 64] >> (i % 64) & 1) {
            inputs[i] = point++;
            to->input_n++;
        }
    for (uint32_t i = 0; query->aux != NULL && i < plan->r1cs->aux; i++) {
        if (!(query->aux[i / 64] >> (i % 64) & 1))
            continue;
        if (cuzk_witness_is_bit(plan->layout, i)) {
            points[to->bits.n] = point++;
            ranks[to->bits.n++] = cuzk_witness_bit_rank(plan->layout, i);
        } else {
            wide[cuzk_witness_wide_rank(plan->layout, i)] = point++;
            to->wide_n++;
        }
    }
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, points, (size_t)to->bits.n * 4, "points of a query",
                                    (void **)&to->bits.point, err));
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, ranks, (size_t)to->bits.n * 4, "bits of a query",
                                    (void **)&to->bits.value, err));
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, wide, (size_t)key->wide_count * 4, "values of a query",
                                    (void **)&to->wide, err));
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, inputs, (size_t)key->inputs * 4, "inputs of a query",
                                    (void **)&to->inputs, err));
out:
    cuzk_mem_free(points);
    cuzk_mem_free(ranks);
    cuzk_mem_free(wide);
    cuzk_mem_free(inputs);
    return status;
}

/* Room for all points of both groups, infinity first. */
static enum cuzk_status take_points(struct cuda_key *key, struct cuda_backend *backend,
                                    const struct cuzk_backend_plan *plan, struct cuzk_error *err)
{
    uint64_t count[2] = {1, 1};

    for (int q = 0; q < CUZK_QUERIES; q++) {
        const bool g2 = cuzk_query_is_g2((enum cuzk_query)q);
        key->query[q].first = (uint32_t)count[g2];
        count[g2] += key->query[q].count = plan->query[q].count;
    }
    for (int g2 = 0; g2 < 2; g2++) {
        if (count[g2] > UINT32_C(1) << 30)
            return cuzk_error_set(err, CUZK_UNSUPPORTED, "a key of %llu points: at most 2^30 are supported",
                                  (unsigned long long)count[g2]);
        key->group[g2].bytes = count[g2] * cuda_point_bytes(g2);
        CUZK_TRY(cuda_mem_take(backend, key->group[g2].bytes, g2 ? "points of G2" : "points of G1",
                               &key->group[g2].points, err));
        CUZK_TRY(
            cuzk_cuda_check(cudaMemsetAsync(key->group[g2].points, 0, cuda_point_bytes(g2), backend->stream),
                            "infinity", err));
    }
    return CUZK_OK;
}

static enum cuzk_status load_whole(struct cuda_key *key, struct cuda_backend *backend,
                                   const struct cuzk_backend_plan *plan, struct cuzk_error *err)
{
    uint32_t bits[CUZK_QUERIES], wide[CUZK_QUERIES];

    CUZK_TRY(take_points(key, backend, plan, err));
    for (int q = 0; q < CUZK_QUERIES; q++) {
        struct cuda_query *query = &key->query[q];
        const bool g2 = cuzk_query_is_g2((enum cuzk_query)q);
        CUZK_TRY(cuda_points_upload(backend, &plan->query[q], g2,
                                    (char *)key->group[g2].points + query->first * cuda_point_bytes(g2),
                                    err));
        if (q != CUZK_QUERY_H)
            CUZK_TRY(load_parts(key, query, backend, plan, &plan->query[q], err));
        bits[q] = query->bits.n;
        wide[q] = query->wide_n;
    }
    return cuda_work_create(backend,
                            cuda_work_bytes(plan->log_domain, bits, wide, key->wide_count, key->inputs,
                                            plan->query[CUZK_QUERY_H].count),
                            &key->work, err);
}

static enum cuzk_status load_chunks(struct cuda_key *key, struct cuda_backend *backend,
                                    const struct cuzk_backend_plan *plan, const struct cuda_plan *needs,
                                    struct cuzk_error *err)
{
    uint32_t points[CUDA_CHUNK_KINDS][CUZK_QUERIES];

    CUZK_TRY(cuda_work_create(backend, needs->work, &key->work, err));
    cuda_stream_count(plan, points);
    CUZK_TRY(cuda_stream_create(backend, needs, points, &key->stream, err));
    return cuda_stream_load(key->stream, plan, key->work.base, key->work.bytes, err);
}

enum cuzk_status cuda_key_create(struct cuzk_backend *base, const struct cuzk_backend_plan *plan,
                                 struct cuzk_backend_key **out, struct cuzk_error *err)
{
    struct cuda_backend *backend = (struct cuda_backend *)base;
    const struct cuzk_r1cs *r1cs = plan->r1cs;
    enum cuzk_status status = CUZK_OK;
    struct cuda_key *key = NULL;
    struct cuzk_backend_shape shape;
    struct cuda_plan needs;

    *out = NULL;
    CUZK_TRY(cuzk_backend_plan_check(plan, err));
    cuzk_backend_plan_shape(plan, &shape);
    CUZK_TRY(cuda_plan_of(base, &shape, &needs, err));
    CUZK_TRY(cuda_use(backend, err));
    CUZK_TRY(CUZK_NEW(&key, 1, "device key", err));
    key->base.backend = base;
    key->log_domain = plan->log_domain;
    key->row_step = plan->row_step;
    key->h_basis = plan->h_basis;
    key->constraints = r1cs->constraints;
    key->inputs = r1cs->inputs;
    key->bit_count = plan->layout->bits;
    key->wide_count = plan->layout->aux - plan->layout->bits;
    key->pool_count = r1cs->pool_count;
    CUZK_TRY_OUT(cuzk_cuda_quotient_plan_create(plan->log_domain, plan->h_basis == CUZK_H_ODD_COSET,
                                                needs.chunked, backend->stream, &key->quotient, err));
    key->quotient_bytes = cuzk_cuda_quotient_plan_bytes(plan->log_domain, needs.chunked);
    cuda_mem_count(backend, key->quotient_bytes);
    CUZK_TRY_OUT(cuda_copies_create(backend, plan, &key->copies, err));
    CUZK_TRY_OUT(cuda_matrix_create(backend, plan, CUZK_MATRIX_A, &key->matrix[0], err));
    CUZK_TRY_OUT(cuda_matrix_create(backend, plan, CUZK_MATRIX_B, &key->matrix[1], err));
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, r1cs->pool, (size_t)r1cs->pool_count * sizeof *r1cs->pool,
                                    "coefficient pool", (void **)&key->pool, err));
    CUZK_TRY_OUT(needs.chunked ? load_chunks(key, backend, plan, &needs, err)
                               : load_whole(key, backend, plan, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(backend->stream), "loading of the key", err));
    *out = &key->base;
    key = NULL;
out:
    if (key != NULL)
        cuda_key_destroy(&key->base);
    return status;
}

void cuda_key_destroy(struct cuzk_backend_key *base)
{
    struct cuda_key *key = (struct cuda_key *)base;

    if (key == NULL)
        return;
    struct cuda_backend *backend = (struct cuda_backend *)key->base.backend;
    (void)cuda_use(backend, NULL);
    cuzk_cuda_quotient_plan_destroy(key->quotient);
    cuda_mem_uncount(backend, key->quotient_bytes);
    cuda_stream_destroy(key->stream);
    cuda_work_destroy(&key->work);
    cuda_mem_drop(backend, key->spare, cuda_job_bytes(key->bit_count, key->wide_count, key->inputs));
    cuda_copies_destroy(backend, &key->copies);
    for (int m = 0; m < 2; m++)
        cuda_matrix_destroy(backend, &key->matrix[m]);
    cuda_mem_drop(backend, key->pool, (size_t)key->pool_count * sizeof *key->pool);
    for (int g2 = 0; g2 < 2; g2++)
        cuda_mem_drop(backend, key->group[g2].points, key->group[g2].bytes);
    for (int q = 0; q < CUZK_QUERIES; q++) {
        const struct cuda_query *query = &key->query[q];
        cuda_mem_drop(backend, query->bits.point, (size_t)query->bits.n * 4);
        cuda_mem_drop(backend, query->bits.value, (size_t)query->bits.n * 4);
        cuda_mem_drop(backend, query->wide, (size_t)key->wide_count * 4);
        cuda_mem_drop(backend, query->inputs, (size_t)key->inputs * 4);
    }
    cuzk_mem_free(key);
}
