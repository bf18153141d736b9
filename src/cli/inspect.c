#include "cli/inspect.h"

#include <inttypes.h>
#include <string.h>

#include "base/hex.h"
#include "base/mem.h"
#include "base/timeline.h"
#include "circuit/pce.h"
#include "cli/facts.h"
#include "cli/proof_file.h"
#include "engine/public_file.h"
#include "groth16/derived.h"
#include "groth16/params.h"
#include "groth16/proof.h"
#include "groth16/snarkjs_json.h"
#include "groth16/zkey.h"
#include "r1cs/circom_file.h"
#include "r1cs/circom_r1cs.h"
#include "r1cs/circom_wtns.h"

static enum cuzk_status inspect_c1(struct cli_session *session, const struct cuzk_file_map *map,
                                   const struct cli_inspect_request *request, struct cuzk_error *err)
{
    char proof[CUZK_SEAL_PROOF_NAME], circuit[CUZK_CIRCUIT_NAME];
    struct cuzk_porep_case porep;
    struct cuzk_error reason = {0};

    CUZK_TRY(cuzk_porep_case_open(map->path, map->bytes, (size_t)map->length, request->facts, &session->log,
                                  &porep, err));
    const struct cuzk_circuit_id id = porep.common.circuit;
    enum cuzk_status status = cuzk_porep_case_check(&porep, map->path, session->pool, &reason);

    if (status == CUZK_OK || status == CUZK_INVALID) {
        cli_facts_begin(session, map, CLI_FILE_C1);
        if (porep.c1->registered_proof >= 0)
            cuzk_seal_proof_name((unsigned)porep.c1->registered_proof, proof);
        cli_fact_text(session, "registered_proof", porep.c1->registered_proof >= 0 ? proof : NULL);
        cli_fact_number(session, "sector_size", porep.c1->sector_size);
        cuzk_circuit_id_format(&id, circuit);
        cli_fact_text(session, "circuit", circuit);
        cli_fact_number(session, "partitions", porep.common.partitions);
        cli_fact_number(session, "challenges", porep.c1->shape.challenges);
        if (porep.c1->wrapped)
            cli_fact_number(session, "sector_number", porep.c1->sector_number);
        cli_fact_hex(session, "comm_d", porep.c1->comm_d);
        cli_fact_hex(session, "comm_r", porep.c1->comm_r);
        cli_fact_hex(session, "replica_id", porep.c1->replica_id);
        cli_fact_text(session, "replica_id_check",
                      porep.owner_known ? "done" : "needs --miner-id and --sector-number");
        const enum cuzk_status told = cli_facts_end(session, status == CUZK_OK, reason.message, &reason);

        if (told != CUZK_OK)
            status = told;
    }
    if (status != CUZK_OK)
        *err = reason;
    cuzk_porep_case_close(&porep);
    return status;
}

static enum cuzk_status inspect_vk(struct cli_session *session, const struct cuzk_file_map *map,
                                   struct cuzk_error *err)
{
    struct cuzk_bytes bytes;
    struct cuzk_vk vk;

    cuzk_bytes_init(&bytes, map->path, map->bytes, map->length);
    CUZK_TRY(cuzk_vk_decode(&bytes, &vk, err));
    const enum cuzk_status status = cuzk_bytes_end(&bytes, err);
    const uint32_t inputs = vk.ic_count;

    cuzk_vk_destroy(&vk);
    CUZK_TRY(status);
    cli_facts_begin(session, map, CLI_FILE_VK);
    cli_fact_number(session, "public_inputs", inputs > 0 ? inputs - 1 : 0);
    return cli_facts_end(session, true, "", err);
}

static enum cuzk_status inspect_params(struct cli_session *session, const struct cuzk_file_map *map,
                                       const struct cli_inspect_request *request, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_params params;

    CUZK_TRY(cuzk_params_from_bytes(map->path, map->bytes, map->length, &params, err));
    if (request->check_points)
        CUZK_TRY_OUT(cuzk_params_validate(
            &params, request->check_subgroup ? CUZK_PARAMS_IN_SUBGROUP : CUZK_PARAMS_ON_CURVE, session->pool,
            &session->progress, err));
    cli_facts_begin(session, map, CLI_FILE_PARAMS);
    cli_fact_number(session, "public_inputs", params.vk.ic_count > 0 ? params.vk.ic_count - 1 : 0);
    for (int q = 0; q < CUZK_QUERIES; q++)
        cli_fact_number(session, cuzk_params_query_name((enum cuzk_query)q), params.query[q].count);
    cli_fact_text(session, "points",
                  !request->check_points    ? "not looked at"
                  : request->check_subgroup ? "in the subgroup"
                                            : "on the curve");
    status = cli_facts_end(session, true, "", err);
out:
    cuzk_params_close(&params);
    return status;
}

static enum cuzk_status inspect_proof(struct cli_session *session, const struct cuzk_file_map *map,
                                      struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_proof proof;
    uint8_t *bytes;
    size_t length;

    CUZK_TRY(cli_proof_read(map->path, &bytes, &length, err));
    if (length == 0 || length % CUZK_PROOF_BYTES != 0)
        status = cuzk_error_set(err, CUZK_INPUT, "%s: proof: expected a multiple of %d bytes, found %zu",
                                map->path, CUZK_PROOF_BYTES, length);
    for (size_t at = 0; status == CUZK_OK && at < length; at += CUZK_PROOF_BYTES) {
        status = cuzk_proof_decode(bytes + at, &proof, err);
        if (status != CUZK_OK)
            status = cuzk_error_prefix(err, status, "%s: partition %zu (offset %zu)", map->path,
                                       at / CUZK_PROOF_BYTES, at);
    }
    cuzk_mem_free(bytes);
    CUZK_TRY(status);
    cli_facts_begin(session, map, CLI_FILE_PROOF);
    cli_fact_number(session, "partitions", length / CUZK_PROOF_BYTES);
    cli_fact_text(session, "proof_check",
                  "needs what is proved: `cuzk verify`; the points are those of a proof");
    return cli_facts_end(session, true, "", err);
}

static enum cuzk_status inspect_r1cs(struct cli_session *session, const struct cuzk_file_map *map,
                                     struct cuzk_error *err)
{
    struct cuzk_circom_header header;
    struct cuzk_r1cs *r1cs;

    CUZK_TRY(cuzk_circom_r1cs_decode(map->path, map->bytes, map->length, &r1cs, &header, err));
    cuzk_r1cs_destroy(r1cs);
    cli_facts_begin(session, map, CLI_FILE_R1CS);
    cli_fact_number(session, "wires", header.wires);
    cli_fact_number(session, "outputs", header.outputs);
    cli_fact_number(session, "public_inputs", header.public_inputs);
    cli_fact_number(session, "private_inputs", header.private_inputs);
    cli_fact_number(session, "constraints", header.constraints);
    return cli_facts_end(session, true, "", err);
}

/* The number of wires a witness file speaks of, once its values are known to be there. */
static enum cuzk_status wtns_wires(const struct cuzk_file_map *map, uint32_t *wires, struct cuzk_error *err)
{
    enum { HEADER = 1, VALUES = 2, VERSION = 2 };
    struct cuzk_circom_file file;
    struct cuzk_bytes header, values;
    const uint8_t *content;

    CUZK_TRY(cuzk_circom_file_open(map->path, "wtns", VERSION, map->bytes, map->length, &file, err));
    CUZK_TRY(cuzk_circom_file_section(&file, HEADER, "header", &header, err));
    CUZK_TRY(cuzk_circom_read_prime(&header, err));
    CUZK_TRY(cuzk_bytes_u32le(&header, "number of wires", wires, err));
    CUZK_TRY(cuzk_circom_file_section(&file, VALUES, "values", &values, err));
    return cuzk_bytes_take_array(&values, "values", *wires, CUZK_FR_BYTES, &content, err);
}

static enum cuzk_status inspect_wtns(struct cli_session *session, const struct cuzk_file_map *map,
                                     struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_witness_layout layout = {0};
    struct cuzk_witness witness = {0};
    uint32_t wires;

    CUZK_TRY(wtns_wires(map, &wires, err));
    CUZK_TRY_OUT(cuzk_witness_layout_create(1, wires > 0 ? wires - 1 : 0, NULL, &layout, err));
    CUZK_TRY_OUT(cuzk_witness_create(&layout, &witness, err));
    CUZK_TRY_OUT(cuzk_circom_wtns_decode(map->path, map->bytes, map->length, &layout, &witness, err));
    cli_facts_begin(session, map, CLI_FILE_WTNS);
    cli_fact_number(session, "wires", wires);
    status = cli_facts_end(session, true, "", err);
out:
    cuzk_witness_destroy(&witness);
    cuzk_witness_layout_destroy(&layout);
    return status;
}

static enum cuzk_status inspect_zkey(struct cli_session *session, const struct cuzk_file_map *map,
                                     struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_zkey zkey;

    CUZK_TRY(cuzk_zkey_decode(map->path, map->bytes, map->length, &zkey, err));
    CUZK_TRY_OUT(
        cuzk_params_validate(&zkey.params, CUZK_PARAMS_ON_CURVE, session->pool, &session->progress, err));
    cli_facts_begin(session, map, CLI_FILE_ZKEY);
    cli_fact_number(session, "public_inputs", zkey.r1cs->inputs - 1);
    cli_fact_number(session, "aux", zkey.r1cs->aux);
    cli_fact_number(session, "constraints", zkey.r1cs->constraints);
    status = cli_facts_end(session, true, "", err);
out:
    cuzk_zkey_destroy(&zkey);
    return status;
}

static enum cuzk_status inspect_pce(struct cli_session *session, const struct cuzk_file_map *map,
                                    struct cuzk_error *err)
{
    char circuit[CUZK_CIRCUIT_NAME];
    struct cuzk_pce_header header;
    struct cuzk_r1cs *r1cs;

    CUZK_TRY(cuzk_pce_read_header(map->path, map->bytes, map->length, &header, err));
    CUZK_TRY(cuzk_pce_decode(map->path, map->bytes, map->length, NULL, &r1cs, err));
    cuzk_circuit_id_format(&header.circuit, circuit);
    cli_facts_begin(session, map, CLI_FILE_PCE);
    cli_fact_text(session, "circuit", circuit);
    cli_fact_text(session, "program", header.program);
    cli_fact_number(session, "public_inputs", r1cs->inputs - 1);
    cli_fact_number(session, "aux", r1cs->aux);
    cli_fact_number(session, "constraints", r1cs->constraints);
    cli_fact_number(session, "stored_constraints", r1cs->stored);
    cli_fact_number(session, "parts", r1cs->parts);
    cuzk_r1cs_destroy(r1cs);
    return cli_facts_end(session, true, "", err);
}

static enum cuzk_status inspect_derived(struct cli_session *session, const struct cuzk_file_map *map,
                                        struct cuzk_error *err)
{
    char params[2 * CUZK_DERIVED_PARAMS_BYTES + 1], circuit[2 * CUZK_DERIVED_CIRCUIT_BYTES + 1];
    struct cuzk_derived derived;

    CUZK_TRY(cli_session_pool(session, (struct cuzk_option_number){0}, err));
    CUZK_TRY(cuzk_derived_from_bytes(map->path, map->bytes, map->length, NULL, session->pool,
                                     &session->progress, &derived, err));
    const struct cuzk_derived_shape shape = derived.shape;
    cuzk_derived_close(&derived);
    cuzk_hex_encode(shape.identity.params, sizeof shape.identity.params, params);
    cuzk_hex_encode(shape.identity.circuit, sizeof shape.identity.circuit, circuit);
    cli_facts_begin(session, map, CLI_FILE_DERIVED);
    cli_fact_text(session, "parameters", params);
    cli_fact_text(session, "circuit_fingerprint", circuit);
    cli_fact_number(session, "log2_domain", shape.log_domain);
    cli_fact_number(session, "public_inputs", shape.inputs - 1);
    cli_fact_number(session, "inputs_in_l", shape.c_input_count);
    cli_fact_number(session, "aux", shape.aux);
    return cli_facts_end(session, true, "", err);
}

static enum cuzk_status inspect_timeline(struct cli_session *session, const struct cuzk_file_map *map,
                                         struct cuzk_error *err)
{
    struct cuzk_timeline *timeline;
    char title[256];
    size_t count;

    CUZK_TRY(
        cuzk_timeline_read(map->path, map->bytes, (size_t)map->length, &timeline, title, sizeof title, err));
    cuzk_timeline_events(timeline, &count);
    cuzk_timeline_destroy(timeline);
    cli_facts_begin(session, map, CLI_FILE_TIMELINE);
    cli_fact_text(session, "title", title);
    cli_fact_number(session, "events", count);
    return cli_facts_end(session, true, "", err);
}

static enum cuzk_status inspect_vkey_json(struct cli_session *session, const struct cuzk_file_map *map,
                                          struct cuzk_error *err)
{
    struct cuzk_vk vk;

    CUZK_TRY(cuzk_snarkjs_vkey_read(map->path, map->bytes, (size_t)map->length, &vk, err));
    const uint32_t inputs = vk.ic_count;

    cuzk_vk_destroy(&vk);
    cli_facts_begin(session, map, CLI_FILE_VKEY_JSON);
    cli_fact_number(session, "public_inputs", inputs > 0 ? inputs - 1 : 0);
    return cli_facts_end(session, true, "", err);
}

static enum cuzk_status inspect_proof_json(struct cli_session *session, const struct cuzk_file_map *map,
                                           struct cuzk_error *err)
{
    uint8_t proof[CUZK_PROOF_BYTES];

    CUZK_TRY(cuzk_snarkjs_proof_read(map->path, map->bytes, (size_t)map->length, proof, err));
    cli_facts_begin(session, map, CLI_FILE_PROOF_JSON);
    cli_fact_text(session, "proof_check",
                  "needs the signals: `cuzk r1cs verify`; the points are those of a proof");
    return cli_facts_end(session, true, "", err);
}

static enum cuzk_status inspect_public(struct cli_session *session, const struct cuzk_file_map *map,
                                       struct cuzk_error *err)
{
    struct cuzk_public_file file;

    CUZK_TRY(cuzk_public_file_decode(map->path, map->bytes, (size_t)map->length, &file, err));
    cli_facts_begin(session, map, CLI_FILE_PUBLIC_INPUTS);
    cli_fact_number(session, "partitions", file.partitions);
    cli_fact_number(session, "public_inputs", file.counts[0]);
    cuzk_public_file_destroy(&file);
    return cli_facts_end(session, true, "", err);
}

enum cuzk_status cli_inspect(struct cli_session *session, const struct cuzk_file_map *map,
                             enum cli_file_kind kind, const struct cli_inspect_request *request,
                             struct cuzk_error *err)
{
    switch (kind) {
    case CLI_FILE_C1:
        return inspect_c1(session, map, request, err);
    case CLI_FILE_VK:
        return inspect_vk(session, map, err);
    case CLI_FILE_PARAMS:
        return inspect_params(session, map, request, err);
    case CLI_FILE_PROOF:
        return inspect_proof(session, map, err);
    case CLI_FILE_R1CS:
        return inspect_r1cs(session, map, err);
    case CLI_FILE_WTNS:
        return inspect_wtns(session, map, err);
    case CLI_FILE_PCE:
        return inspect_pce(session, map, err);
    case CLI_FILE_DERIVED:
        return inspect_derived(session, map, err);
    case CLI_FILE_ZKEY:
        return inspect_zkey(session, map, err);
    case CLI_FILE_TIMELINE:
        return inspect_timeline(session, map, err);
    case CLI_FILE_VKEY_JSON:
        return inspect_vkey_json(session, map, err);
    case CLI_FILE_PROOF_JSON:
        return inspect_proof_json(session, map, err);
    case CLI_FILE_PUBLIC_INPUTS:
        return inspect_public(session, map, err);
    case CLI_FILE_VANILLA_POST:
        return cli_inspect_vanilla_post(session, map, err);
    case CLI_FILE_VANILLA_UPDATE:
        return cli_inspect_vanilla_update(session, map, err);
    case CLI_FILE_POST_REQUEST:
        return cli_inspect_post_request(session, map, err);
    case CLI_FILE_UPDATE_REQUEST:
        return cli_inspect_update_request(session, map, err);
    case CLI_FILE_UNKNOWN:
    case CLI_FILE_KINDS:
        break;
    }
    return cuzk_error_set(err, CUZK_INPUT,
                          "%s: expected a C1 output, vanilla proof, request, verifying key, parameters, "
                          "proof, r1cs, wtns, zkey, "
                          "timeline, derived key or snarkjs JSON, found %" PRIu64
                          " bytes that are none of these",
                          map->path, map->length);
}
