/* The facts of a recorded circuit, as text or JSON: what `circuit show` and `circuit digest` print. */
#ifndef CUZK_CLI_CIRCUIT_REPORT_H
#define CUZK_CLI_CIRCUIT_REPORT_H

#include "circuit/cs.h"
#include "circuit/digest.h"
#include "cli/session.h"
#include "srs/circuit_id.h"

/* with_digest also prints the digest and its checkpoints. */
enum cuzk_status cli_circuit_report(struct cli_session *session, const struct cuzk_circuit_id *id,
                                    const struct cuzk_cs_counts *counts, const struct cuzk_digest *digest,
                                    bool with_digest, struct cuzk_error *err);

/* Only the checkpoints of a recording that was stopped. */
enum cuzk_status cli_circuit_report_prefix(struct cli_session *session, const struct cuzk_circuit_id *id,
                                           const struct cuzk_digest *digest, struct cuzk_error *err);

#endif
