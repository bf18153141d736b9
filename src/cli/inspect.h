/*
 * What a file is and whether it is whole: one function for each kind, told apart by content, never by name.
 */
#ifndef CUZK_CLI_INSPECT_H
#define CUZK_CLI_INSPECT_H

#include "base/file.h"
#include "cli/session.h"
#include "engine/porep_case.h"

enum cli_file_kind {
    CLI_FILE_UNKNOWN,
    CLI_FILE_C1,
    CLI_FILE_VK,
    CLI_FILE_PARAMS,
    CLI_FILE_PROOF,
    CLI_FILE_R1CS,
    CLI_FILE_WTNS,
    CLI_FILE_ZKEY,
    CLI_FILE_TIMELINE,
    CLI_FILE_VKEY_JSON,
    CLI_FILE_PROOF_JSON,
    CLI_FILE_PUBLIC_INPUTS,
    CLI_FILE_VANILLA_POST,
    CLI_FILE_VANILLA_UPDATE,
    CLI_FILE_POST_REQUEST,
    CLI_FILE_UPDATE_REQUEST,
    CLI_FILE_PCE,
    CLI_FILE_DERIVED,
    CLI_FILE_KINDS,
};

/* What the file's beginning and size say it is. */
enum cli_file_kind cli_file_kind(const struct cuzk_file_map *map);

/* "C1 output", "verifying key". */
const char *cli_file_kind_name(enum cli_file_kind kind);

struct cli_inspect_request {
    const struct cuzk_porep_facts *facts;
    bool check_points, check_subgroup; /* of parameters */
};

/* Reads the file as its kind and prints what it holds. Errors: INPUT (malformed), INVALID (well formed, but
 * what it says does not hold). */
enum cuzk_status cli_inspect(struct cli_session *session, const struct cuzk_file_map *map,
                             enum cli_file_kind kind, const struct cli_inspect_request *request,
                             struct cuzk_error *err);

/* ---- inputs of PoSt and updates (inspect_vanilla.c) ---- */

enum cuzk_status cli_inspect_vanilla_post(struct cli_session *session, const struct cuzk_file_map *map,
                                          struct cuzk_error *err);
enum cuzk_status cli_inspect_vanilla_update(struct cli_session *session, const struct cuzk_file_map *map,
                                            struct cuzk_error *err);
enum cuzk_status cli_inspect_post_request(struct cli_session *session, const struct cuzk_file_map *map,
                                          struct cuzk_error *err);
enum cuzk_status cli_inspect_update_request(struct cli_session *session, const struct cuzk_file_map *map,
                                            struct cuzk_error *err);

#endif
