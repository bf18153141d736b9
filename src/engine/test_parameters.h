/*
 * Makes test parameters of a circuit: secrets drawn, used, wiped; .params, .vk and a manifest under the names
 * that production parameters have. For tests alone: whoever makes a key by himself could forge its proofs.
 */
#ifndef CUZK_ENGINE_TEST_PARAMETERS_H
#define CUZK_ENGINE_TEST_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/prover.h"

/* directory is made if need be; seed NULL draws from the kernel; derived: the derived key too
 * (srs/derived_key.h). Nothing is replaced. Errors: EXISTS, ARGUMENT, IO, MEMORY, CANCELLED. */
enum cuzk_status cuzk_test_parameters_make(const struct cuzk_engine_context *context,
                                           const struct cuzk_circuit_id *id, const char *directory,
                                           const uint8_t *seed, bool derived, struct cuzk_error *err);

#endif
