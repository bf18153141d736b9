/* Parameter files as commands meet them: found with advice where they are missing, and said loudly where they
 * are made for tests. */
#ifndef CUZK_CLI_PARAMETERS_H
#define CUZK_CLI_PARAMETERS_H

#include "cli/session.h"
#include "srs/directory.h"

/* Finds a circuit's file; the session's hint says what to do where it is missing. given: --params-dir or
 * NULL. */
enum cuzk_status cli_parameters_find(struct cli_session *session, const char *given,
                                     const struct cuzk_circuit_id *id, const char *suffix,
                                     char path[CUZK_PARAMETER_PATH], struct cuzk_error *err);

/* Tells test parameters from published ones and warns of them. */
enum cuzk_status cli_parameters_judge(struct cli_session *session, const char *given,
                                      const struct cuzk_circuit_id *id, enum cuzk_parameter_origin *origin,
                                      struct cuzk_error *err);

/* "published", "test", "unknown". */
const char *cli_parameters_origin_name(enum cuzk_parameter_origin origin);

#define CLI_PARAMETERS_OPTION(values, slot)                                                                  \
    {.name = "params-dir",                                                                                   \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot),                                                                       \
     .placeholder = "DIR",                                                                                   \
     .help = "where parameter files are; by default $FIL_PROOFS_PARAMETER_CACHE, else "                      \
             "/var/tmp/filecoin-proof-parameters"}

#endif
