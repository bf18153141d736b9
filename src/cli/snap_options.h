/* What says which update is meant: a request file and the vanilla proofs of its partitions; shared by prove
 * and verify. */
#ifndef CUZK_CLI_SNAP_OPTIONS_H
#define CUZK_CLI_SNAP_OPTIONS_H

#include "cli/session.h"
#include "engine/proof_kind.h"

struct cli_snap_options {
    const char *request;
    struct cuzk_option_list in;
};

#define CLI_SNAP_REQUEST_OPTION(values, slot, must)                                                          \
    {.name = "request",                                                                                      \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot.request),                                                               \
     .placeholder = "FILE",                                                                                  \
     .required = must,                                                                                       \
     .help =                                                                                                 \
         "JSON with sector_size, comm_r_old, comm_r_new, comm_d_new (hex) and perhaps registered_proof; "    \
         "other members are ignored"}

/* Reads both and decodes. Errors: INPUT, NOT_FOUND, ARGUMENT. */
enum cuzk_status cli_snap_open(struct cli_session *session, const struct cli_snap_options *options,
                               struct cuzk_case **out, struct cuzk_error *err);

/* From the request alone, for verifying: a case without vanilla proofs, of which only the inputs may be
 * asked. */
enum cuzk_status cli_snap_open_public(const struct cli_snap_options *options, struct cuzk_case **out,
                                      struct cuzk_error *err);

#endif
