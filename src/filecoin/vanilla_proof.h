/* Decodes the vanilla proof of one PoRep challenge from C1 JSON. Internal to the C1 decoder. */
#ifndef CUZK_FILECOIN_VANILLA_PROOF_H
#define CUZK_FILECOIN_VANILLA_PROOF_H

#include <stdbool.h>

#include "filecoin/c1.h"
#include "filecoin/json_stream.h"

/* Reads one proof object. Where *shape_known is false, the first proof's data path tells the sector size;
 * shape and *shape_known are set then. Values go to `values`. Errors: INPUT, MEMORY. */
enum cuzk_status cuzk_vanilla_proof_decode(struct cuzk_json_stream *reader, struct cuzk_porep_shape *shape,
                                           bool *shape_known, struct cuzk_fr_arena *values,
                                           struct cuzk_porep_challenge *challenge,
                                           struct cuzk_c1_claims *claims, struct cuzk_error *err);

#endif
