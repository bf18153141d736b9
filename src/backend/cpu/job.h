/* The proving half of the CPU backend's table (job.c); private to src/backend/cpu. */
#ifndef CUZK_BACKEND_CPU_JOB_H
#define CUZK_BACKEND_CPU_JOB_H

#include "backend/backend.h"
#include "base/pool.h"
#include "poly/ntt.h"

struct cpu_backend {
    struct cuzk_backend base;
    struct cuzk_pool *pool;
};

struct cpu_key {
    struct cuzk_backend_key base;
    struct cuzk_backend_plan plan;
    struct cuzk_ntt *ntt;
};

struct cpu_job {
    struct cuzk_backend_job base;
    const struct cuzk_witness *witness; /* borrowed from upload until wait */
    struct cuzk_fr *a, *b;              /* [domain] each, from eval_ab until quotient */
    struct cuzk_fr *quotient;           /* [domain], from quotient on */
    struct cuzk_backend_times times;
};

enum cuzk_status cpu_key_create(struct cuzk_backend *backend, const struct cuzk_backend_plan *plan,
                                struct cuzk_backend_key **out, struct cuzk_error *err);
void cpu_key_destroy(struct cuzk_backend_key *key);
enum cuzk_status cpu_job_create(struct cuzk_backend_key *key, struct cuzk_backend_job **out,
                                struct cuzk_error *err);
void cpu_job_destroy(struct cuzk_backend_job *job);
enum cuzk_status cpu_job_upload(struct cuzk_backend_job *job, const struct cuzk_witness *witness,
                                struct cuzk_error *err);
enum cuzk_status cpu_job_eval_ab(struct cuzk_backend_job *job, struct cuzk_error *err);
enum cuzk_status cpu_job_quotient(struct cuzk_backend_job *job, struct cuzk_error *err);
enum cuzk_status cpu_job_msm_group(struct cuzk_backend_job *job, enum cuzk_scalar_set scalars,
                                   unsigned queries, union cuzk_backend_point out[CUZK_QUERIES],
                                   struct cuzk_error *err);
enum cuzk_status cpu_job_sum_bits(struct cuzk_backend_job *job, unsigned queries,
                                  union cuzk_backend_point out[CUZK_QUERIES], struct cuzk_error *err);
enum cuzk_status cpu_job_download(struct cuzk_backend_job *job, enum cuzk_backend_data what, size_t first,
                                  size_t n, struct cuzk_fr *out, struct cuzk_error *err);
void cpu_job_times(const struct cuzk_backend_job *job, struct cuzk_backend_times *out);
enum cuzk_status cpu_job_wait(struct cuzk_backend_job *job, struct cuzk_error *err);

#endif
