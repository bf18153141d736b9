/* Writing a derived key (groth16/derived.h) front to back: its beginning, the points of h and l as they come,
 * and the checksums behind them. One thread at a time; checksums are made on the pool. */
#ifndef CUZK_GROTH16_DERIVED_WRITE_H
#define CUZK_GROTH16_DERIVED_WRITE_H

#include "base/sink.h"
#include "groth16/derived.h"

struct cuzk_derived_writer;

/* Writes the beginning. c_inputs: bitmap of the inputs in C. shape: identity, log_domain, inputs and aux
 * filled; the rest follows and is filled. Errors: MEMORY, the sink's own. */
enum cuzk_status cuzk_derived_writer_create(struct cuzk_sink sink, struct cuzk_pool *pool,
                                            struct cuzk_derived_shape *shape, const uint64_t *c_inputs,
                                            struct cuzk_derived_writer **out, struct cuzk_error *err);
void cuzk_derived_writer_destroy(struct cuzk_derived_writer *writer);

/* The next n points: all of h, then l's inputs, then l's aux variables. Errors: INPUT (a point is infinity,
 * which no prover takes: the circuit is too small or its key is not random), the sink's own. */
enum cuzk_status cuzk_derived_write_points(struct cuzk_derived_writer *writer, const uint8_t *points,
                                           size_t n, struct cuzk_error *err);

/* Writes the checksums. Errors: INTERNAL (more or fewer points were written than there are), the sink's own.
 */
enum cuzk_status cuzk_derived_writer_finish(struct cuzk_derived_writer *writer, struct cuzk_error *err);

#endif
