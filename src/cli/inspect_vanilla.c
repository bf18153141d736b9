#include <inttypes.h>

#include "cli/facts.h"
#include "engine/post_public.h"
#include "engine/update_case.h"
#include "engine/update_public.h"
#include "filecoin/merkle.h"
#include "filecoin/update_verify.h"
#include "filecoin/vanilla_file.h"

static void fact_element(struct cli_session *session, const char *name, const struct cuzk_fr *value)
{
    uint8_t bytes[CUZK_FR_BYTES];

    cuzk_fr_to_bytes(value, bytes);
    cli_fact_hex(session, name, bytes);
}

static void fact_circuit(struct cli_session *session, enum cuzk_circuit_kind kind, uint64_t sector_size)
{
    const struct cuzk_circuit_id id = {kind, sector_size};
    char circuit[CUZK_CIRCUIT_NAME];

    cuzk_circuit_id_format(&id, circuit);
    cli_fact_number(session, "sector_size", sector_size);
    cli_fact_text(session, "circuit", circuit);
}

/* Ends what was well formed: INVALID where `checked` is, with its reason. */
static enum cuzk_status conclude(struct cli_session *session, enum cuzk_status checked,
                                 struct cuzk_error *reason, struct cuzk_error *err)
{
    const enum cuzk_status told = cli_facts_end(session, checked == CUZK_OK, reason->message, err);

    if (told != CUZK_OK || checked == CUZK_OK)
        return told;
    *err = *reason;
    return checked;
}

enum cuzk_status cli_inspect_vanilla_post(struct cli_session *session, const struct cuzk_file_map *map,
                                          struct cuzk_error *err)
{
    const struct cuzk_vanilla_look look = cuzk_vanilla_look(map->bytes, (size_t)map->length);
    const bool winning = look.kind == CUZK_VANILLA_WINNING;
    struct cuzk_fr_arena values = {0};
    struct cuzk_post_vanilla vanilla;
    struct cuzk_post_config config;
    struct cuzk_error reason = {0};
    enum cuzk_status status;

    CUZK_TRY(cuzk_post_config_make(look.sector_size, winning, CUZK_API_1_2_0, &config, err));
    CUZK_TRY_OUT(cuzk_post_vanilla_decode(map->path, map->bytes, (size_t)map->length, &config, &values,
                                          &vanilla, err));
    const enum cuzk_status checked = cuzk_post_vanilla_check_paths(&config, &vanilla, &reason);

    cli_facts_begin(session, map, CLI_FILE_VANILLA_POST);
    fact_circuit(session, winning ? CUZK_CIRCUIT_WINNING : CUZK_CIRCUIT_WPOST, look.sector_size);
    cli_fact_number(session, "sector_id", vanilla.sector_id);
    cli_fact_number(session, "challenges", config.challenges);
    fact_element(session, "comm_r", &vanilla.comm_r);
    fact_element(session, "comm_c", &vanilla.comm_c);
    fact_element(session, "comm_r_last", &vanilla.comm_r_last);
    cli_fact_text(session, "challenge_check", "needs the request's randomness: `cuzk prove`");
    status = conclude(session, checked, &reason, err);
    cuzk_post_vanilla_destroy(&vanilla);
out:
    cuzk_fr_arena_destroy(&values);
    return status;
}

/* What the proof itself says the update is about: whether that is the update meant, only a request tells. */
static void own_commitments(const struct cuzk_update_proof *proof, struct cuzk_update_commitments *out)
{
    cuzk_merkle_comm_r(&proof->comm_c, &proof->paths[0].r_old.root, &out->comm_r_old);
    cuzk_merkle_comm_r(&proof->comm_c, &proof->paths[0].r_new.root, &out->comm_r_new);
    out->comm_d_new = proof->paths[0].d_new.root;
}

enum cuzk_status cli_inspect_vanilla_update(struct cli_session *session, const struct cuzk_file_map *map,
                                            struct cuzk_error *err)
{
    const struct cuzk_vanilla_look look = cuzk_vanilla_look(map->bytes, (size_t)map->length);
    struct cuzk_update_commitments commitments;
    struct cuzk_update_proof proof;
    struct cuzk_update_shape shape;
    struct cuzk_error reason = {0};

    (void)cuzk_update_shape_of(look.sector_size, false, &shape);
    CUZK_TRY(cuzk_update_proof_decode(map->path, map->bytes, (size_t)map->length, &shape, 0, &proof, err));
    proof.partition = (unsigned)(proof.paths[0].r_new.index >> cuzk_update_random_bits(&shape));
    own_commitments(&proof, &commitments);
    const enum cuzk_status checked = cuzk_update_verify_vanilla(session->pool, &proof, &commitments, &reason);

    cli_facts_begin(session, map, CLI_FILE_VANILLA_UPDATE);
    fact_circuit(session, CUZK_CIRCUIT_SNAP, look.sector_size);
    cli_fact_number(session, "partition", proof.partition);
    cli_fact_number(session, "partitions", UINT64_C(1) << shape.partition_bits);
    cli_fact_number(session, "challenges", shape.challenges);
    fact_element(session, "comm_c", &proof.comm_c);
    fact_element(session, "comm_r_old", &commitments.comm_r_old);
    fact_element(session, "comm_r_new", &commitments.comm_r_new);
    fact_element(session, "comm_d_new", &commitments.comm_d_new);
    const enum cuzk_status status = conclude(session, checked, &reason, err);

    cuzk_update_proof_destroy(&proof);
    return status;
}

enum cuzk_status cli_inspect_post_request(struct cli_session *session, const struct cuzk_file_map *map,
                                          struct cuzk_error *err)
{
    struct cuzk_post_public as[2] = {{.count = 0}}; /* of a WindowPoSt, of a WinningPoSt */
    const size_t length = (size_t)map->length;
    struct cuzk_error other = {0};
    const bool window = cuzk_post_public_decode(map->path, map->bytes, length, false, &as[0], err) == CUZK_OK;
    const bool winning =
        cuzk_post_public_decode(map->path, map->bytes, length, true, &as[1], &other) == CUZK_OK;

    if (!window && !winning)
        return CUZK_INPUT; /* err says why it is no WindowPoSt: what most requests are */
    const struct cuzk_post_public *public_side = window ? &as[0] : &as[1];

    cli_facts_begin(session, map, CLI_FILE_POST_REQUEST);
    fact_circuit(session, window ? CUZK_CIRCUIT_WPOST : CUZK_CIRCUIT_WINNING,
                 public_side->config.sector_size);
    if (window && winning)
        cli_fact_text(session, "kind_check", "without registered_proof it may be a WinningPoSt as well");
    cli_fact_text(session, "api_version", cuzk_api_version_name(public_side->config.api_version));
    cli_fact_number(session, "sectors", public_side->count);
    if (public_side->one_partition)
        cli_fact_number(session, "partition_index", public_side->partition);
    cli_fact_hex(session, "randomness", public_side->randomness);
    cuzk_post_public_destroy(&as[0]);
    cuzk_post_public_destroy(&as[1]);
    return cli_facts_end(session, true, "", err);
}

enum cuzk_status cli_inspect_update_request(struct cli_session *session, const struct cuzk_file_map *map,
                                            struct cuzk_error *err)
{
    static const char *const names[CUZK_UPDATE_COMMITMENTS] = {"comm_r_old", "comm_r_new", "comm_d_new"};
    struct cuzk_request_part parts[CUZK_UPDATE_COMMITMENTS];
    struct cuzk_update_public public_side;
    struct cuzk_request request;
    struct cuzk_case *that;

    CUZK_TRY(cuzk_update_public_decode(map->path, map->bytes, (size_t)map->length, &public_side, err));
    cuzk_update_public_request(&public_side, parts, &request);
    const enum cuzk_status status = cuzk_update_open_public(&request, &that, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "%s", map->path);
    cli_facts_begin(session, map, CLI_FILE_UPDATE_REQUEST);
    fact_circuit(session, CUZK_CIRCUIT_SNAP, public_side.sector_size);
    cli_fact_number(session, "partitions", that->partitions);
    for (unsigned i = 0; i < CUZK_UPDATE_COMMITMENTS; i++)
        cli_fact_hex(session, names[i], public_side.commitments[i]);
    cuzk_case_close(that);
    return cli_facts_end(session, true, "", err);
}
