/* The proving half of the CUDA backend's table (job.cu); private to src/backend/cuda. */
#ifndef CUZK_BACKEND_CUDA_JOB_H
#define CUZK_BACKEND_CUDA_JOB_H

#include "backend/cuda/arena.h"
#include "backend/cuda/key.h"

/* The witness is memory of its own, wiped when the job ends; vectors and scratch are the key's, in turns. */
struct cuda_job {
    struct cuzk_backend_job base;
    cudaStream_t stream;
    struct cuzk_cuda_arena arena; /* the key's work memory, while `holds` */
    bool holds;
    void *witness; /* bits, wide and inputs lie in it */
    uint64_t *bits;
    struct cuzk_fr *wide, *inputs;
    struct cuzk_fr *a, *b, *c; /* domain each: values of A and B, products; b holds the quotient */
    bool uploaded, evaluated, divided;
    /* of a key in chunks (pass.h): the sums that one pass over it gave, wiped with the job */
    bool summed_h, summed;
    union cuzk_backend_point sums[CUDA_CHUNK_KINDS][CUZK_QUERIES];
    struct cuzk_backend_times times;
};

enum cuzk_status cuda_job_create(struct cuzk_backend_key *key, struct cuzk_backend_job **out,
                                 struct cuzk_error *err);
void cuda_job_destroy(struct cuzk_backend_job *job);
enum cuzk_status cuda_job_upload(struct cuzk_backend_job *job, const struct cuzk_witness *witness,
                                 struct cuzk_error *err);
enum cuzk_status cuda_job_eval_ab(struct cuzk_backend_job *job, struct cuzk_error *err);
enum cuzk_status cuda_job_quotient(struct cuzk_backend_job *job, struct cuzk_error *err);
enum cuzk_status cuda_job_msm_group(struct cuzk_backend_job *job, enum cuzk_scalar_set scalars,
                                    unsigned queries, union cuzk_backend_point out[CUZK_QUERIES],
                                    struct cuzk_error *err);
enum cuzk_status cuda_job_sum_bits(struct cuzk_backend_job *job, unsigned queries,
                                   union cuzk_backend_point out[CUZK_QUERIES], struct cuzk_error *err);
enum cuzk_status cuda_job_download(struct cuzk_backend_job *job, enum cuzk_backend_data what, size_t first,
                                   size_t n, struct cuzk_fr *out, struct cuzk_error *err);
enum cuzk_status cuda_job_wait(struct cuzk_backend_job *job, struct cuzk_error *err);
void cuda_job_times(const struct cuzk_backend_job *job, struct cuzk_backend_times *out);

#endif
