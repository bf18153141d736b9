#include "cli/facts.h"

#include <inttypes.h>

#include "base/hex.h"

void cli_fact_number(struct cli_session *session, const char *name, uint64_t value)
{
    if (session->json)
        cuzk_json_write_member_u64(&session->writer, name, value);
    else
        cli_session_say(session, "  %-18s %" PRIu64, name, value);
}

void cli_fact_text(struct cli_session *session, const char *name, const char *value)
{
    if (session->json)
        cuzk_json_write_member_string(&session->writer, name, value);
    else
        cli_session_say(session, "  %-18s %s", name, value != NULL ? value : "none");
}

void cli_fact_hex(struct cli_session *session, const char *name, const uint8_t bytes[32])
{
    char hex[65];

    cuzk_hex_encode(bytes, 32, hex);
    cli_fact_text(session, name, hex);
}

void cli_facts_begin(struct cli_session *session, const struct cuzk_file_map *map, enum cli_file_kind kind)
{
    if (cli_session_answer_begin(session) == NULL)
        cli_session_say(session, "%s: %s, %" PRIu64 " bytes", map->path, cli_file_kind_name(kind),
                        map->length);
    else {
        cuzk_json_write_member_string(&session->writer, "file", map->path);
        cuzk_json_write_member_string(&session->writer, "kind", cli_file_kind_name(kind));
        cuzk_json_write_member_u64(&session->writer, "bytes", map->length);
    }
}

enum cuzk_status cli_facts_end(struct cli_session *session, bool holds, const char *reason,
                               struct cuzk_error *err)
{
    if (session->json) {
        cuzk_json_write_member_bool(&session->writer, "whole", true);
        cuzk_json_write_member_bool(&session->writer, "valid", holds);
        if (!holds)
            cuzk_json_write_member_string(&session->writer, "reason", reason);
    } else {
        cli_session_say(session, holds ? "  whole and valid" : "  INVALID: %s", reason);
    }
    return cli_session_answer_end(session, err);
}
