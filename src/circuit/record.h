/* Runs a circuit in record mode with progress: whole into a sink, or as far as needed into matrices. */
#ifndef CUZK_CIRCUIT_RECORD_H
#define CUZK_CIRCUIT_RECORD_H

#include "base/progress.h"
#include "circuit/circuit.h"
#include "r1cs/r1cs.h"

/* Sends every constraint to `sink` and every namespace to `observer` (either may be NULL); *counts receives
 * the circuit's size. Errors: MEMORY, CANCELLED, whatever the sink returns. */
enum cuzk_status cuzk_circuit_stream(const struct cuzk_circuit *circuit, const struct cuzk_progress *progress,
                                     const struct cuzk_constraint_sink *sink,
                                     const struct cuzk_cs_observer *observer, struct cuzk_cs_counts *counts,
                                     struct cuzk_error *err);

/* Matrices and layout, for setup and for the prover. Head and first part are recorded; the system repeats the
 * part (r1cs/r1cs.h). That this is the circuit is checked, not believed: the second and the last part are
 * built, where they exist, and each constraint is compared with the repeated one. Both results are the
 * caller's to destroy (cuzk_r1cs_destroy, cuzk_witness_layout_destroy). pool may be NULL. Errors: MEMORY,
 * CANCELLED, INTERNAL (the parts differ; the first constraint that does is named). */
enum cuzk_status cuzk_circuit_record(const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                                     const struct cuzk_progress *progress, struct cuzk_r1cs **r1cs,
                                     struct cuzk_witness_layout *layout, struct cuzk_error *err);

#endif
