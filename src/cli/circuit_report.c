#include "cli/circuit_report.h"

#include <inttypes.h>

#include "base/hex.h"
#include "cli/circuit_record.h"

static const char *const matrices[] = {"a", "b", "c"};

static void write_checkpoints(struct cuzk_json_writer *json, const struct cuzk_digest *digest)
{
    cuzk_json_write_member_u64(json, "checkpoint_every", digest->checkpoint_every);
    cuzk_json_write_key(json, "checkpoints");
    cuzk_json_write_array_begin(json);
    for (size_t i = 0; i < digest->checkpoint_count; i++)
        cuzk_json_write_hex(json, digest->checkpoints[i], CUZK_SHA256_BYTES);
    cuzk_json_write_array_end(json);
}

static void say_checkpoints(struct cli_session *session, const struct cuzk_digest *digest)
{
    char hex[2 * CUZK_SHA256_BYTES + 1];

    for (size_t i = 0; i < digest->checkpoint_count; i++) {
        cuzk_hex_encode(digest->checkpoints[i], CUZK_SHA256_BYTES, hex);
        cli_session_say(session, "%14" PRIu64 " %s", (uint64_t)(i + 1) * digest->checkpoint_every, hex);
    }
}

static void write_json(struct cuzk_json_writer *json, const struct cuzk_circuit_id *id,
                       const struct cuzk_cs_counts *counts, const struct cuzk_digest *digest,
                       bool with_digest, const char *name, const char *file)
{
    static const char *const densities[][2] = {
        {"a_inputs", "a_aux"}, {"b_inputs", "b_aux"}, {"c_inputs", "c_aux"}};
    const uint64_t rows = (uint64_t)counts->constraints + counts->inputs;

    cuzk_json_write_member_string(json, "circuit", name);
    cuzk_json_write_member_u64(json, "sector_size", id->sector_size);
    cuzk_json_write_member_u64(json, "inputs", counts->inputs);
    cuzk_json_write_member_u64(json, "aux", counts->aux);
    cuzk_json_write_member_u64(json, "bits", counts->bits);
    cuzk_json_write_member_u64(json, "constraints", counts->constraints);
    cuzk_json_write_member_u64(json, "qap_rows", rows);
    cuzk_json_write_member_u64(json, "log2_domain", cli_log2_domain(rows));
    cuzk_json_write_member_string(json, "parameter_name", file);
    cuzk_json_write_key(json, "nnz");
    cuzk_json_write_object_begin(json);
    for (int i = 0; i < 3; i++)
        cuzk_json_write_member_u64(json, matrices[i], digest->matrix[i].terms);
    cuzk_json_write_object_end(json);
    cuzk_json_write_key(json, "density");
    cuzk_json_write_object_begin(json);
    for (int i = 0; i < 3; i++) {
        cuzk_json_write_member_u64(json, densities[i][0], digest->matrix[i].input_density);
        cuzk_json_write_member_u64(json, densities[i][1], digest->matrix[i].aux_density);
    }
    cuzk_json_write_object_end(json);
    if (!with_digest)
        return;
    cuzk_json_write_member_hex(json, "sha256", digest->sha256, sizeof digest->sha256);
    if (digest->checkpoint_every != 0)
        write_checkpoints(json, digest);
}

enum cuzk_status cli_circuit_report(struct cli_session *session, const struct cuzk_circuit_id *id,
                                    const struct cuzk_cs_counts *counts, const struct cuzk_digest *digest,
                                    bool with_digest, struct cuzk_error *err)
{
    const uint64_t rows = (uint64_t)counts->constraints + counts->inputs;
    char name[CUZK_CIRCUIT_NAME], file[CUZK_PARAMETER_NAME], hex[2 * CUZK_SHA256_BYTES + 1];

    cuzk_circuit_id_format(id, name);
    CUZK_TRY(cuzk_circuit_id_parameter_name(id, file, err));
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        write_json(json, id, counts, digest, with_digest, name, file);
        return cli_session_answer_end(session, err);
    }
    cli_session_say(session, "circuit        %s", name);
    cli_session_say(session, "public inputs  %" PRIu32 " (the constant one counted)", counts->inputs);
    cli_session_say(session, "aux variables  %" PRIu32 ", %" PRIu32 " of them bits", counts->aux,
                    counts->bits);
    cli_session_say(session, "constraints    %" PRIu32 "; %" PRIu64 " rows, domain 2^%u", counts->constraints,
                    rows, cli_log2_domain(rows));
    for (int i = 0; i < 3; i++)
        cli_session_say(session,
                        "matrix %s       %" PRIu64 " terms over %" PRIu32 " inputs and %" PRIu32 " aux",
                        matrices[i], digest->matrix[i].terms, digest->matrix[i].input_density,
                        digest->matrix[i].aux_density);
    cli_session_say(session, "parameters     %s.params", file);
    if (!with_digest)
        return CUZK_OK;
    cuzk_hex_encode(digest->sha256, sizeof digest->sha256, hex);
    cli_session_say(session, "sha256         %s", hex);
    say_checkpoints(session, digest);
    return CUZK_OK;
}

enum cuzk_status cli_circuit_report_prefix(struct cli_session *session, const struct cuzk_circuit_id *id,
                                           const struct cuzk_digest *digest, struct cuzk_error *err)
{
    char name[CUZK_CIRCUIT_NAME];
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json == NULL) {
        say_checkpoints(session, digest);
        return CUZK_OK;
    }
    cuzk_circuit_id_format(id, name);
    cuzk_json_write_member_string(json, "circuit", name);
    cuzk_json_write_member_bool(json, "complete", false);
    write_checkpoints(json, digest);
    return cli_session_answer_end(session, err);
}
