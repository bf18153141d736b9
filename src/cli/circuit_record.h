/* Runs a circuit in record mode with progress, for the commands that look at its constraints. */
#ifndef CUZK_CLI_CIRCUIT_RECORD_H
#define CUZK_CLI_CIRCUIT_RECORD_H

#include "circuit/cs.h"
#include "cli/session.h"
#include "srs/circuit_id.h"

/* What is known of a circuit without recording it. */
struct cli_circuit_size {
    uint32_t inputs, aux, bits; /* the constant one among inputs */
};

enum cuzk_status cli_circuit_size(const struct cuzk_circuit_id *id, struct cli_circuit_size *out,
                                  struct cuzk_error *err);

/* Sends every constraint to `sink` and every namespace to `observer` (either may be NULL); *counts receives
 * the circuit's size. */
enum cuzk_status cli_circuit_record(struct cli_session *session, const struct cuzk_circuit_id *id,
                                    const struct cuzk_constraint_sink *sink,
                                    const struct cuzk_cs_observer *observer, struct cuzk_cs_counts *counts,
                                    struct cuzk_error *err);

/* Smallest power of two that is at least `rows`, as an exponent. */
unsigned cli_log2_domain(uint64_t rows);

#endif
