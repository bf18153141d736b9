/* A circuit and its proving key, resident on one device; private to src/backend/cuda. */
#ifndef CUZK_BACKEND_CUDA_KEY_H
#define CUZK_BACKEND_CUDA_KEY_H

#include "backend/cuda/device_mem.h"
#include "backend/cuda/evaluate.h"
#include "backend/cuda/quotient.h"
#include "backend/cuda/stream.h"
#include "backend/cuda/work.h"

/* The points of a query that meet bits, beside the bits that choose them. */
struct cuda_part {
    uint32_t n;
    uint32_t *point; /* [n] number of the point among all of its group */
    uint32_t *value; /* [n] rank of the bit */
};

/* The points of a query are a stretch of its group's. A map gives each wide value or input its point, 0
 * (infinity) where there is none. */
struct cuda_query {
    uint32_t count, first;
    struct cuda_part bits;
    uint32_t *wide, *inputs;  /* [wide_count], [inputs] */
    uint32_t wide_n, input_n; /* points that they lead to */
};

/* All points of a group, one query behind the other; number 0 is infinity. */
struct cuda_points {
    void *points;
    size_t bytes;
};

struct cuda_key {
    struct cuzk_backend_key base;
    unsigned log_domain;
    uint64_t row_step;
    enum cuzk_h_basis h_basis;
    uint32_t constraints, inputs, bit_count, wide_count;
    struct cuzk_cuda_quotient_plan *quotient;
    size_t quotient_bytes;
    struct cuda_matrix matrix[2]; /* A, B */
    struct cuda_copies copies;
    struct cuzk_fr *pool;
    uint32_t pool_count;
    struct cuda_stream *stream;  /* NULL: the key is whole, in what follows */
    struct cuda_points group[2]; /* G1, G2 */
    struct cuda_query query[CUZK_QUERIES];
    struct cuda_work work;
    void *spare; /* a job's witness memory, wiped, for the next one; changed atomically */
};

enum cuzk_status cuda_key_create(struct cuzk_backend *backend, const struct cuzk_backend_plan *plan,
                                 struct cuzk_backend_key **out, struct cuzk_error *err);
void cuda_key_destroy(struct cuzk_backend_key *key);

enum { CUDA_POINTS_AT_ONCE = 1 << 19 }; /* points decoded at once: 48 or 96 MiB of file bytes */

/* n points of a query from number `first` on, decoded and checked in the backend's stream; raw, out: device
 * memory for their bytes and for the points; worst: for one number. Waits. Errors: INPUT (names the query and
 * the point), DEVICE. */
enum cuzk_status cuda_points_decode(struct cuda_backend *backend, const struct cuzk_backend_query *query,
                                    bool g2, uint32_t first, uint32_t n, uint8_t *raw, void *out,
                                    uint32_t *worst, struct cuzk_error *err);

/* The points of a query, decoded into device memory for as many. Errors: INPUT (names the query and the
 * point), MEMORY, DEVICE. */
enum cuzk_status cuda_points_upload(struct cuda_backend *backend, const struct cuzk_backend_query *query,
                                    bool g2, void *points, struct cuzk_error *err);

#endif
