/*
 * One pass over a key in chunks (stream.h) gives every sum of a proof; private to src/backend/cuda. The job
 * keeps them, so that whichever sum is asked for first pays for all, and a chunk comes to the device once.
 */
#ifndef CUZK_BACKEND_CUDA_PASS_H
#define CUZK_BACKEND_CUDA_PASS_H

#include "backend/cuda/job.h"

/* Makes the sums that the job has not got and whose scalars it has. The job holds the key's work memory, and
 * its arena is free behind the quotient. Errors: MEMORY, DEVICE, CANCELLED (asked between chunks). */
enum cuzk_status cuda_pass_run(struct cuda_job *job, struct cuzk_error *err);

#endif
