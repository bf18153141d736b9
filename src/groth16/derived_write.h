/* Writing a derived key (groth16/derived.h): the points of h and those of l, each front to back but side by
 * side if need be, then the beginning, and the checksums behind them. */
#ifndef CUZK_GROTH16_DERIVED_WRITE_H
#define CUZK_GROTH16_DERIVED_WRITE_H

#include "base/sink.h"
#include "groth16/derived.h"

struct cuzk_derived_writer;

/* Two parts, which two threads may write at once. */
enum cuzk_derived_part { CUZK_DERIVED_H, CUZK_DERIVED_L, CUZK_DERIVED_PARTS };

/* c_inputs: bitmap of the inputs in C. shape: log_domain, inputs, aux and the circuit's identity filled; the
 * rest but the parameters' identity follows and is filled. pool: makes the checksums; both may be used by the
 * caller too. Errors: MEMORY, the store has no room. */
enum cuzk_status cuzk_derived_writer_create(struct cuzk_store store, struct cuzk_pool *pool,
                                            struct cuzk_derived_shape *shape, const uint64_t *c_inputs,
                                            struct cuzk_derived_writer **out, struct cuzk_error *err);
void cuzk_derived_writer_destroy(struct cuzk_derived_writer *writer);

/* The next n points of a part; l's inputs come before its aux variables. One thread at a time for a part.
 * Errors: INPUT (a point is infinity, which no prover takes: the circuit is too small or its key is not
 * random), the store's own. */
enum cuzk_status cuzk_derived_write_points(struct cuzk_derived_writer *writer, enum cuzk_derived_part part,
                                           const uint8_t *points, size_t n, struct cuzk_error *err);

/* Writes the beginning and the checksums. params: digest of the parameters' file. Errors: INTERNAL (more or
 * fewer points were written than there are), the store's own. */
enum cuzk_status cuzk_derived_writer_finish(struct cuzk_derived_writer *writer,
                                            const uint8_t params[CUZK_DERIVED_PARAMS_BYTES],
                                            struct cuzk_error *err);

#endif
