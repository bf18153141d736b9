/* Values of synthetic sectors for one partition of any circuit: its constraints hold. For benchmarks. */
#ifndef CUZK_BENCH_VALUES_H
#define CUZK_BENCH_VALUES_H

#include "base/error.h"
#include "base/pool.h"
#include "circuit/circuit.h"

struct cuzk_bench_values;

/* Seconds at 32 GiB. Errors: ARGUMENT (no such circuit, or snapp, which no synthetic sectors are made for),
 * MEMORY. */
enum cuzk_status cuzk_bench_values_create(struct cuzk_pool *pool, const struct cuzk_circuit_id *id,
                                          struct cuzk_bench_values **out, struct cuzk_error *err);
void cuzk_bench_values_destroy(struct cuzk_bench_values *values);

/* What cuzk_circuit_witness wants. */
const void *cuzk_bench_values_assignment(const struct cuzk_bench_values *values);

#endif
