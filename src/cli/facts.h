/* What `cuzk inspect` found in a file: each fact is a line for people, a member for programs. */
#ifndef CUZK_CLI_FACTS_H
#define CUZK_CLI_FACTS_H

#include "cli/inspect.h"

/* The first: what the file is. */
void cli_facts_begin(struct cli_session *session, const struct cuzk_file_map *map, enum cli_file_kind kind);

void cli_fact_number(struct cli_session *session, const char *name, uint64_t value);
void cli_fact_text(struct cli_session *session, const char *name, const char *value);
void cli_fact_hex(struct cli_session *session, const char *name, const uint8_t bytes[32]);

/* The last: whether it holds, and why not; ends the answer. */
enum cuzk_status cli_facts_end(struct cli_session *session, bool holds, const char *reason,
                               struct cuzk_error *err);

#endif
