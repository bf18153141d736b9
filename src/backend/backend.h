/*
 * What a device must be able to do, as a table of whole operations over memory that only the device sees.
 *
 * Three objects: a backend (a device), a key (a circuit's matrices and proving key, resident, shared by any
 * number of jobs), a job (the buffers of one proof and the order of its operations). Operations of a job are
 * started in the order of the calls and may still run when the call returns; `out` parameters are filled, and
 * failures known, when `wait` returns OK. A backend may do everything at once, as the CPU does. One job
 * serves one thread at a time; jobs of one key may run in different threads: a device then works on one while
 * the witness of another is uploaded. From the first operation after `upload` until `wait` a job may have
 * what the jobs of its key take turns in, and another job of that key waits there: one thread must not begin
 * two.
 *
 * Order of a proof: upload, eval_ab, quotient, then msm_group and sum_bits in any order, wait.
 * Every operation may fail with MEMORY, DEVICE, UNSUPPORTED or CANCELLED besides what its comment says.
 */
#ifndef CUZK_BACKEND_BACKEND_H
#define CUZK_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "curve/g1.h"
#include "curve/g2.h"
#include "r1cs/r1cs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The proving key's parts, in the order of a parameter file. */
enum cuzk_query {
    CUZK_QUERY_H,    /* G1, a basis of polynomials at tau times Z / delta (enum cuzk_h_basis) */
    CUZK_QUERY_L,    /* G1, every aux variable; of derived keys some inputs too */
    CUZK_QUERY_A,    /* G1, variables of A */
    CUZK_QUERY_B_G1, /* G1, variables of B */
    CUZK_QUERY_B_G2, /* G2, the same */
    CUZK_QUERIES,
};

static inline bool cuzk_query_is_g2(enum cuzk_query query)
{
    return query == CUZK_QUERY_B_G2;
}

/* A set of queries, as bits 1 << query. */
enum {
    CUZK_QUERY_SET_H = 1 << CUZK_QUERY_H,
    CUZK_QUERY_SET_L = 1 << CUZK_QUERY_L,
    CUZK_QUERY_SET_A = 1 << CUZK_QUERY_A,
    CUZK_QUERY_SET_B = 1 << CUZK_QUERY_B_G1 | 1 << CUZK_QUERY_B_G2,
};

/* One query: uncompressed points (curve/encoding.h) and the variables they belong to: the selected inputs
 * first, then the selected aux variables, each ascending. h belongs to no variable. Which bits are set must
 * add up to count. */
struct cuzk_backend_query {
    const uint8_t *bytes; /* count points of 96 (G1) or 192 (G2) bytes */
    uint32_t count;
    const char *name;       /* for error messages */
    const uint64_t *inputs; /* bitmap over inputs; NULL: none is selected */
    const uint64_t *aux;    /* bitmap over aux; NULL: none */

    /* Told that points [begin, end) will not be read again soon (NULL: nobody listens). A status other than
     * OK ends the operation with it. */
    enum cuzk_status (*consumed)(void *context, size_t begin, size_t end, struct cuzk_error *err);
    void *context;
};

/* What the points of h are multiples of, and so which scalars `quotient` makes. */
enum cuzk_h_basis {
    CUZK_H_MONOMIAL,  /* tau^i Z / delta, i < domain - 1: coefficients of H (poly/quotient.h) */
    CUZK_H_ODD_COSET, /* domain points, for the values of A B - C at w2^(row_step (2 i + 1)), w2 of order 2 *
                         domain: keys of snarkjs */
    CUZK_H_COSET, /* domain points, for the values of A B / z at 7 w^i, z = 7^domain - 1: derived keys, with
                     the rest of H in l (groth16/derived.h); row_step is 1 */
};

/* What a key is made from; everything is borrowed until the key is destroyed. Matrix C is never looked at. */
struct cuzk_backend_plan {
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_witness_layout *layout;
    unsigned log_domain; /* 2^log_domain is at least constraints + inputs */
    uint64_t row_step;   /* odd; row k is the value at w^(row_step k): 1 but for keys made with other roots of
                            unity */
    enum cuzk_h_basis h_basis;
    struct cuzk_backend_query query[CUZK_QUERIES];
};

/* The sum over one query. */
union cuzk_backend_point {
    struct cuzk_g1 g1;
    struct cuzk_g2 g2;
};

/* Where the time of a job went so far, nanoseconds. */
struct cuzk_backend_times {
    uint64_t upload, eval, quotient;
    uint64_t
        msm[CUZK_QUERIES]; /* msm_group and sum_bits together; an equal share where one kernel does several */
};

/* Which scalars meet the queries of an msm_group. */
enum cuzk_scalar_set {
    CUZK_SCALARS_QUOTIENT, /* the result of `quotient`; for h */
    CUZK_SCALARS_INPUTS,   /* the public inputs; for l, a, b_g1, b_g2 */
    CUZK_SCALARS_WIDE,     /* the aux variables that are not bits; for l, a, b_g1, b_g2 */
};

/* What can be downloaded: for tests and measurements. */
enum cuzk_backend_data {
    CUZK_DATA_A,        /* values of A z on the domain, Montgomery form; after eval_ab, gone after quotient */
    CUZK_DATA_B,        /* of B z */
    CUZK_DATA_QUOTIENT, /* the scalars of the h query, plain numbers */
};

/* Bases of a lone MSM or fixed-base product. */
enum cuzk_group { CUZK_GROUP_G1, CUZK_GROUP_G2 };

union cuzk_backend_affine {
    struct cuzk_g1_affine g1;
    struct cuzk_g2_affine g2;
};

struct cuzk_backend;
struct cuzk_backend_key;
struct cuzk_backend_job;
struct cuzk_backend_table; /* multiples of one base, for setup */

/* What a backend says of itself. */
struct cuzk_backend_facts {
    char device[256]; /* the processor's or the GPU's name */
    char id[64];      /* "cpu", or the GPU's UUID */
    /* device memory: all, free now, asked for at most so far; 0 where the backend works in host memory */
    uint64_t total_bytes, free_bytes, peak_bytes;
};

/* A circuit and its key in numbers: what memory is planned from, before anything is loaded. */
struct cuzk_backend_shape {
    unsigned log_domain;
    uint32_t constraints, inputs, bits, wide; /* bits and wide: aux variables of either kind */
    uint32_t rows, parts;                     /* rows that are stored, and copies of a part (r1cs/r1cs.h) */
    uint32_t coefficients;                    /* different ones */
    uint64_t terms[2];                        /* of A and B, in the rows that are stored */
    uint32_t points[CUZK_QUERIES];
};

/* Device memory of a key and its jobs, bytes. What is resident at once is key + work + jobs in flight * job.
 */
struct cuzk_backend_needs {
    uint64_t key;  /* matrices, tables and the points that stay */
    uint64_t work; /* vectors and scratch, which the jobs of a key take turns in */
    uint64_t job;  /* one witness: every job in flight has its own */
    uint64_t host; /* page-locked host memory: of points that do not fit the device, and of uploads */
    bool streamed; /* some points stay on the host and pass through the device for each proof */
};

struct cuzk_backend_ops {
    const char *name; /* "cpu", "cuda" */

    void (*destroy)(struct cuzk_backend *backend);

    /* By any thread, also while a job runs. */
    void (*facts)(const struct cuzk_backend *backend, struct cuzk_backend_facts *out);

    /* What a key of this shape and its jobs will take within the backend's memory_limit. Errors: MEMORY (the
     * least that would do is more than the limit or the device; both are named). */
    enum cuzk_status (*needs)(const struct cuzk_backend *backend, const struct cuzk_backend_shape *shape,
                              struct cuzk_backend_needs *out, struct cuzk_error *err);

    /* Makes a key resident. Errors: ARGUMENT (counts of the plan do not fit each other). */
    enum cuzk_status (*key_create)(struct cuzk_backend *backend, const struct cuzk_backend_plan *plan,
                                   struct cuzk_backend_key **out, struct cuzk_error *err);
    void (*key_destroy)(struct cuzk_backend_key *key);

    enum cuzk_status (*job_create)(struct cuzk_backend_key *key, struct cuzk_backend_job **out,
                                   struct cuzk_error *err);
    void (*job_destroy)(struct cuzk_backend_job *job); /* wipes what came from the witness */

    /* Takes an assignment of the key's layout; it may be freed once `wait` returned. */
    enum cuzk_status (*upload)(struct cuzk_backend_job *job, const struct cuzk_witness *witness,
                               struct cuzk_error *err);

    /* Values of A z and B z on the domain: the constraints, then a row (input, 0) for each input, then zeros.
     */
    enum cuzk_status (*eval_ab)(struct cuzk_backend_job *job, struct cuzk_error *err);

    /* The scalars of the h query from these values, which are used up (poly/quotient.h). */
    enum cuzk_status (*quotient)(struct cuzk_backend_job *job, struct cuzk_error *err);

    /* Sums over the queries of a set under one set of scalars: out[query] for each member. Errors: INPUT (a
     * point of the key is not on its curve; names query and number), ARGUMENT (these scalars do not belong to
     * that query). */
    enum cuzk_status (*msm_group)(struct cuzk_backend_job *job, enum cuzk_scalar_set scalars,
                                  unsigned queries, union cuzk_backend_point out[CUZK_QUERIES],
                                  struct cuzk_error *err);

    /* Sums of the points whose variable is a bit that is 1, for each query of a set of l, a, b_g1, b_g2.
     * Errors: as msm_group. */
    enum cuzk_status (*sum_bits)(struct cuzk_backend_job *job, unsigned queries,
                                 union cuzk_backend_point out[CUZK_QUERIES], struct cuzk_error *err);

    /* Elements [first, first + n) of a buffer. */
    enum cuzk_status (*download)(struct cuzk_backend_job *job, enum cuzk_backend_data what, size_t first,
                                 size_t n, struct cuzk_fr *out, struct cuzk_error *err);

    /* Until everything started is done; the first failure. Values and quotient are gone afterwards. */
    enum cuzk_status (*wait)(struct cuzk_backend_job *job, struct cuzk_error *err);

    /* What the operations took; after wait. */
    void (*times)(const struct cuzk_backend_job *job, struct cuzk_backend_times *out);

    /* ---- making parameters: done when the call returns ---- */

    /* Multiples of a base; expected: about how many products will follow. */
    enum cuzk_status (*table_create)(struct cuzk_backend *backend, enum cuzk_group group,
                                     const union cuzk_backend_affine *base, size_t expected,
                                     struct cuzk_backend_table **out, struct cuzk_error *err);
    void (*table_destroy)(struct cuzk_backend_table *table);

    /* scalar[i] * base as uncompressed bytes, n points. */
    enum cuzk_status (*setup_points)(struct cuzk_backend_table *table, const uint64_t (*scalars)[4], size_t n,
                                     uint8_t *out, struct cuzk_error *err);

    /* ---- deriving keys (groth16/derive.h): done when the call returns; NULL where the device has none ----
     */

    /* Uncompressed points of G1, `given` of them and infinity from there on up to n = 2^log_n, into n points:
     * out[k] = sum over i of first ratio^i w^(-i k) points[i], w the root of poly/ntt.h. Errors: INPUT (a
     * point is not on the curve or not encoded as one; its number is named), ARGUMENT (more points than n).
     */
    enum cuzk_status (*transform_points)(struct cuzk_backend *backend, unsigned log_n,
                                         const struct cuzk_fr *first, const struct cuzk_fr *ratio,
                                         const uint8_t *points, size_t given, uint8_t *out,
                                         const struct cuzk_progress *progress, struct cuzk_error *err);

    /* ---- single operations, for tests and benchmarks: done when the call returns ---- */

    enum cuzk_status (*ntt)(struct cuzk_backend *backend, unsigned log_n, bool inverse, bool coset,
                            struct cuzk_fr *data, struct cuzk_error *err);

    enum cuzk_status (*msm)(struct cuzk_backend *backend, enum cuzk_group group, const uint8_t *bases,
                            size_t n, const uint64_t (*scalars)[4], union cuzk_backend_point *out,
                            struct cuzk_error *err);
};

/* Every backend's own structures begin with these. */
struct cuzk_backend {
    const struct cuzk_backend_ops *ops;
    uint64_t memory_limit; /* bytes of device memory that keys and jobs may take; 0: all there is. Set by who
                              opened the backend, before the first key */
};

struct cuzk_backend_key {
    struct cuzk_backend *backend;
};

struct cuzk_backend_job {
    struct cuzk_backend_key *key;
    const struct cuzk_progress *progress; /* asked now and then whether to stop; NULL after job_create */
};

struct cuzk_backend_table {
    struct cuzk_backend *backend;
};

/* Whether the plan's counts fit: matrices and layout, domain, points and the variables selected. For
 * key_create of every backend. Errors: ARGUMENT, with both numbers. */
enum cuzk_status cuzk_backend_plan_check(const struct cuzk_backend_plan *plan, struct cuzk_error *err);

/* The numbers of a plan. */
void cuzk_backend_plan_shape(const struct cuzk_backend_plan *plan, struct cuzk_backend_shape *out);

/* Destroys whatever the backend; NULL is fine. */
void cuzk_backend_destroy(struct cuzk_backend *backend);
void cuzk_backend_key_destroy(struct cuzk_backend_key *key);
void cuzk_backend_job_destroy(struct cuzk_backend_job *job);
void cuzk_backend_table_destroy(struct cuzk_backend_table *table);

#ifdef __cplusplus
}
#endif

#endif
