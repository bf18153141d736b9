/*
 * An empty sector update (SnapDeals) to prove or to verify: the commitments and a vanilla proof for each
 * partition, in order.
 */
#ifndef CUZK_ENGINE_UPDATE_CASE_H
#define CUZK_ENGINE_UPDATE_CASE_H

#include "base/error.h"
#include "base/log.h"
#include "engine/proof_kind.h"

enum {
    CUZK_UPDATE_PROOF_BYTES_MOST = 1 << 22
}; /* of a vanilla proof; 64 GiB: 86 challenges of about 6 KiB */

/* A request as a case: see engine/proof_kind.h. */
enum cuzk_status cuzk_update_look(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                                  unsigned *partitions, struct cuzk_error *err);
enum cuzk_status cuzk_update_open(const struct cuzk_request *request, const struct cuzk_log *log,
                                  struct cuzk_case **out, struct cuzk_error *err);

/* The commitments alone, for verifying: of such a case only the public inputs may be asked. Errors: INPUT,
 * MEMORY. */
enum cuzk_status cuzk_update_open_public(const struct cuzk_request *request, struct cuzk_case **out,
                                         struct cuzk_error *err);

#endif
