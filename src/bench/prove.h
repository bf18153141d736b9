/* Benchmark of whole proofs of one partition of a circuit: the values of synthetic sectors, real parameters.
 */
#ifndef CUZK_BENCH_PROVE_H
#define CUZK_BENCH_PROVE_H

#include <stdint.h>

#include "backend/backend.h"
#include "base/pool.h"
#include "base/progress.h"
#include "bench/measure.h"
#include "circuit/circuit.h"
#include "srs/derived_key.h"

/* The whole, then its stages: witness, upload, evaluation, quotient, the sums over h, l, a, b_g1, b_g2, the
 * end; at last the time from one proof to the next with several in flight, where that was asked for. */
enum { CUZK_BENCH_PROVE_CASES = 1 + 4 + CUZK_QUERIES + 1 + 1, CUZK_BENCH_IN_FLIGHT = 8 };

/* Memory, bytes. Of the device all are 0 where it works in host memory. */
struct cuzk_bench_prove_memory {
    uint64_t allocated;      /* held through base/mem.h at most */
    uint64_t device_planned; /* what the plan says of key and jobs in flight (engine/device_need.h) */
    uint64_t device_peak;    /* taken at most */
    uint64_t device_used;    /* in use with the key resident, by whichever program, by the driver's word */
};

/* Proves a partition of a circuit `proofs` times (at least once, after one proof that is not
 * counted), with the parameters of a file and, if `derived`, the derived key beside it; then, where
 * in_flight is 2 to CUZK_BENCH_IN_FLIGHT, as many again from that many threads. A unit is one proof. count:
 * cases filled. Errors: those of the prover, and of bench/values.h; NOT_FOUND (there is no good derived
 * key). */
enum cuzk_status cuzk_bench_prove(struct cuzk_pool *pool, struct cuzk_backend *backend,
                                  const struct cuzk_circuit_id *id, const char *params_path, bool derived,
                                  unsigned proofs, unsigned in_flight, const struct cuzk_progress *progress,
                                  struct cuzk_bench_result results[CUZK_BENCH_PROVE_CASES], size_t *count,
                                  struct cuzk_bench_prove_memory *memory, struct cuzk_error *err);

#endif
