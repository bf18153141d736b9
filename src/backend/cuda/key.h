/* A circuit and its proving key, resident on one device; private to src/backend/cuda. */
#ifndef CUZK_BACKEND_CUDA_KEY_H
#define CUZK_BACKEND_CUDA_KEY_H

#include "backend/cuda/device_mem.h"
#include "backend/cuda/ntt.h"

/* Where a variable's value lies on the device: two bits of kind, thirty of index. */
enum : uint32_t {
    CUDA_VALUE_BIT = 0,
    CUDA_VALUE_WIDE = UINT32_C(1) << 30,
    CUDA_VALUE_INPUT = UINT32_C(2) << 30,
    CUDA_VALUE_KIND = UINT32_C(3) << 30,
};

/* Some of a query's points beside the values that multiply them. */
struct cuda_part {
    uint32_t n;
    uint32_t *point; /* [n] number of the point in the query */
    uint32_t *value; /* [n] number of the value: bit rank, wide rank or input */
};

struct cuda_query {
    uint32_t count;
    void *points; /* [count] affine structures */
    size_t bytes;
    struct cuda_part bits, wide, inputs;
};

struct cuda_matrix {
    uint32_t *row_start, *values, *coefficients;
    size_t terms;
};

struct cuda_key {
    struct cuzk_backend_key base;
    unsigned log_domain;
    uint64_t row_step;
    enum cuzk_h_basis h_basis;
    uint32_t constraints, inputs, bit_count, wide_count;
    struct cuzk_cuda_ntt_plan *ntt;
    struct cuda_matrix matrix[2]; /* A, B */
    struct cuzk_fr *pool;
    uint32_t pool_count;
    struct cuda_query query[CUZK_QUERIES];
    size_t arena_bytes; /* the vectors and the scratch of one proof at a time */
    void *spare;        /* the buffers of a job that ended, wiped, for the next one; changed atomically */
    size_t spare_bytes;
};

enum cuzk_status cuda_key_create(struct cuzk_backend *backend, const struct cuzk_backend_plan *plan,
                                 struct cuzk_backend_key **out, struct cuzk_error *err);
void cuda_key_destroy(struct cuzk_backend_key *key);

/* Points in the bytes of a parameter file, n of them, decoded into device memory that the caller drops.
 * Errors: INPUT (names the query and the point), MEMORY, DEVICE. `consumed` may be NULL. */
enum cuzk_status cuda_points_upload(struct cuda_backend *backend, const struct cuzk_backend_query *query,
                                    bool g2, void **points, size_t *bytes, struct cuzk_error *err);

#endif
