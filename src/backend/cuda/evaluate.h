/*
 * The matrices A and B of a key on the device, and their products with a witness; private to
 * src/backend/cuda.
 *
 * Rows lie in slices of 32, sorted by their number of terms, a slice's terms lane by lane: a warp takes a
 * slice, its lanes read side by side and end together. Rows of more than 64 terms have a warp of their own.
 * Of a system that repeats a part (r1cs/r1cs.h) only the part's slices are there; each is read for every
 * copy, from cache all but once.
 */
#ifndef CUZK_BACKEND_CUDA_EVALUATE_H
#define CUZK_BACKEND_CUDA_EVALUATE_H

#include "backend/cuda/device_mem.h"

/* A term: where the variable's value lies (two bits of kind, thirty of index) and the coefficient's place in
 * the pool. */
struct alignas(8) cuda_term {
    uint32_t value, coefficient;
};

/* Rows that have the same copies: those of the head, or those of the part. */
struct cuda_slices {
    uint32_t spread; /* slices of one row over 32 lanes; they come first */
    uint32_t slices; /* all */
    uint32_t *start; /* [slices + 1] first of a slice's groups of 32 terms */
    uint32_t *rows;  /* [32 * slices] row of each lane, from 0 in the head or the part; all ones: none */
    struct cuda_term *terms; /* [32 * start[slices]] */
    size_t groups;
};

struct cuda_matrix {
    struct cuda_slices head, part;
};

/* What the copies' values are moved by: index of a value of some kind -> the copy's, as for variables in
 * r1cs/r1cs.h. */
struct cuda_copies {
    uint32_t parts, head_rows, part_rows;
    uint32_t head[3], step[3]; /* by kind: values of the head, and of a part */
    uint32_t window, window_count;
    uint32_t *shift; /* [parts] or NULL */
};

/* What rows are evaluated on. */
struct cuda_values {
    const uint64_t *bits;
    const struct cuzk_fr *wide, *inputs, *pool;
};

/* Errors: MEMORY, DEVICE, UNSUPPORTED (more than 2^30 values of a kind, or a window that is not bits),
 * ARGUMENT (the layout does not repeat as the system does). */
enum cuzk_status cuda_copies_create(struct cuda_backend *backend, const struct cuzk_backend_plan *plan,
                                    struct cuda_copies *out, struct cuzk_error *err);
void cuda_copies_destroy(struct cuda_backend *backend, struct cuda_copies *copies);

enum cuzk_status cuda_matrix_create(struct cuda_backend *backend, const struct cuzk_backend_plan *plan,
                                    int which, struct cuda_matrix *out, struct cuzk_error *err);
void cuda_matrix_destroy(struct cuda_backend *backend, struct cuda_matrix *matrix);

/* At most what a matrix with so many stored rows and terms takes. */
size_t cuda_matrix_bytes(uint64_t rows, uint64_t terms);

/* out[row_step * row mod 2^log_domain] = <row, z> for every row, `input_rows` rows that are one input each,
 * then zeros. Starts it on the stream. */
enum cuzk_status cuda_matrix_evaluate(const struct cuda_matrix *matrix, const struct cuda_copies *copies,
                                      const struct cuda_values *values, uint32_t constraints,
                                      uint32_t input_rows, uint64_t row_step, unsigned log_domain,
                                      struct cuzk_fr *out, cudaStream_t stream, struct cuzk_error *err);

#endif
