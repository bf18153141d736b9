/*
 * Making sure that parameters have their derived key (srs/derived_key.h), from nothing but names: what
 * `cuzk derive` does, and what a daemon does in the background while it proves without.
 *
 * In a daemon: call it on a thread of its own, with `background` set and one or two threads, and `cancelled`
 * of the progress tied to the daemon's end; within about a second it then returns CANCELLED and leaves no
 * file behind. It shares nothing with keys that are resident: the circuit is recorded anew (their C is gone),
 * the backend is one more on the same device, with streams and memory of its own. Where the key is made on a
 * GPU, its kernels take their turns with those of proofs, 0.2 s each; 160 bytes a point of the domain must be
 * free there (20 GiB at 2^27), and 200 bytes a row and 16 a variable on the host. A key that was made is used
 * when that circuit is loaded the next time. Threads: `report` is called from two at once.
 */
#ifndef CUZK_SRS_DERIVED_JOB_H
#define CUZK_SRS_DERIVED_JOB_H

#include "base/progress.h"
#include "srs/circuit_id.h"

struct cuzk_derived_job {
    const struct cuzk_circuit_id *id;
    const char *params_path;
    const char *device; /* as cuzk_backend_open has it; opened only if there is something to make */
    unsigned threads;   /* 0: one for each processor */
    bool background;    /* the calling thread, for good, and those threads let others go first */
    const struct cuzk_progress *progress;
};

/* *made: none was there, or none that was good; note says what was wrong with that one, and is empty
 * otherwise. Errors: those of cuzk_params_open, cuzk_circuit_record, cuzk_backend_open and
 * cuzk_derived_build. */
enum cuzk_status cuzk_derived_job_run(const struct cuzk_derived_job *job, bool *made, struct cuzk_error *note,
                                      struct cuzk_error *err);

#endif
