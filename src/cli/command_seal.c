#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/random.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/piece_files.h"
#include "filecoin/replica_id.h"
#include "filecoin/seal.h"

struct seal_options {
    struct cli_common common;
    struct cuzk_option_number threads, sector_size, miner_id, sector_id;
    const char *out, *proof, *api, *feature;
    struct cuzk_option_list pieces;
    struct cuzk_option_hex32 porep_id, ticket, interactive_seed, prover_id, seed;
};

enum { DEFAULT_MINER = 1000, DEFAULT_SECTOR = 1, SECTOR_BYTES_MOST = 1 << 30 };

struct work {
    struct cuzk_seal_request request;
    struct cli_piece_files pieces;
    struct cuzk_sealed_sector *sector;
};

/* ---- which proof ---- */

static enum cuzk_porep_feature feature_of(const char *name)
{
    if (name == NULL)
        return CUZK_POREP_INTERACTIVE;
    return strcmp(name, "synthetic") == 0 ? CUZK_POREP_SYNTHETIC : CUZK_POREP_NON_INTERACTIVE;
}

/* The registered proof of a size with a feature and api version (NULL: the newest graph), or -1. */
static int registered_number(uint64_t sector_size, enum cuzk_porep_feature feature, const char *api)
{
    enum cuzk_api_version wanted = CUZK_API_1_1_0;
    const bool legacy = api != NULL && cuzk_api_version_parse(api, &wanted) && wanted == CUZK_API_1_0_0;

    for (unsigned number = 0; number < CUZK_SEAL_PROOFS; number++) {
        struct cuzk_porep_config config;

        cuzk_porep_config_registered(number, &config);
        if (config.sector_size == sector_size && config.feature == feature &&
            (config.api_version == CUZK_API_1_0_0) == legacy)
            return (int)number;
    }
    return -1;
}

static enum cuzk_status unregistered_config(const struct seal_options *given,
                                            struct cuzk_porep_config *config, struct cuzk_error *err)
{
    enum cuzk_api_version api = CUZK_API_1_2_0;
    uint8_t porep_id[32] = {0};

    if (given->api != NULL && !cuzk_api_version_parse(given->api, &api))
        return cuzk_error_set(err, CUZK_ARGUMENT, "--api: unknown version '%s'", given->api);
    for (int i = 0; i < 8; i++) /* by convention the sector size stands for the missing number */
        porep_id[i] = (uint8_t)(given->sector_size.value >> (8 * i));
    return cuzk_porep_config_make(given->sector_size.value, feature_of(given->feature), api, porep_id, config,
                                  err);
}

static enum cuzk_status choose_proof(const struct seal_options *given, struct cuzk_seal_request *request,
                                     struct cuzk_error *err)
{
    struct cuzk_porep_config *config = &request->config;

    if (given->proof != NULL && (given->api != NULL || given->feature != NULL))
        return cuzk_error_set(err, CUZK_ARGUMENT, "--proof: says the api version and feature already");
    if (given->proof != NULL) {
        request->registered_proof = cuzk_seal_proof_number(given->proof, strlen(given->proof));
        if (request->registered_proof < 0)
            return cuzk_error_set(err, CUZK_ARGUMENT, "--proof: no registered proof is called '%s'",
                                  given->proof);
    } else {
        request->registered_proof =
            registered_number(given->sector_size.value, feature_of(given->feature), given->api);
    }
    if (request->registered_proof >= 0)
        cuzk_porep_config_registered((unsigned)request->registered_proof, config);
    else
        CUZK_TRY(unregistered_config(given, config, err));
    if (config->sector_size != given->sector_size.value)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "--proof: %s is for sectors of %" PRIu64 " bytes, not %" PRIu64, given->proof,
                              config->sector_size, given->sector_size.value);
    if (given->api != NULL && !cuzk_api_version_parse(given->api, &config->api_version))
        return cuzk_error_set(err, CUZK_ARGUMENT, "--api: unknown version '%s'", given->api);
    if (given->porep_id.set)
        memcpy(config->porep_id, given->porep_id.bytes, sizeof config->porep_id);
    return CUZK_OK;
}

/* ---- what goes in ---- */

/* What was not given is drawn, always in the same order, so that giving one value changes no other. */
static enum cuzk_status draw(const struct seal_options *given, struct work *work, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_random random;
    uint8_t data_seed[32];

    if (given->seed.set)
        cuzk_random_init_seeded(&random, given->seed.bytes);
    else
        cuzk_random_init_system(&random);
    CUZK_TRY_OUT(cuzk_random_bytes(&random, data_seed, sizeof data_seed, err));
    CUZK_TRY_OUT(cuzk_random_bytes(&random, work->request.ticket, 32, err));
    CUZK_TRY_OUT(cuzk_random_bytes(&random, work->request.interactive_seed, 32, err));
    work->request.ticket[31] &= 0x3f; /* below the modulus, as the chain's randomness is made */
    work->request.interactive_seed[31] &= 0x3f;
    if (given->ticket.set)
        memcpy(work->request.ticket, given->ticket.bytes, 32);
    if (given->interactive_seed.set)
        memcpy(work->request.interactive_seed, given->interactive_seed.bytes, 32);
    CUZK_TRY_OUT(
        cli_piece_files_open(&given->pieces, given->sector_size.value, data_seed, &work->pieces, err));
    work->request.pieces = work->pieces.pieces;
    work->request.piece_count = work->pieces.count;
out:
    cuzk_random_wipe(&random);
    return status;
}

static enum cuzk_status report(struct cli_session *session, const struct seal_options *given,
                               const struct work *work, struct cuzk_error *err)
{
    const struct cuzk_c1 *c1 = work->sector->c1;
    char comm_d[65], comm_r[65], proof[CUZK_SEAL_PROOF_NAME] = "";
    const double seconds = (double)(cuzk_clock_ns() - session->started_ns) / 1e9;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (work->request.registered_proof >= 0)
        cuzk_seal_proof_name((unsigned)work->request.registered_proof, proof);
    cuzk_hex_encode(c1->comm_d, 32, comm_d);
    cuzk_hex_encode(c1->comm_r, 32, comm_r);
    cli_session_say(session, "comm_d  %s", comm_d);
    cli_session_say(session, "comm_r  %s", comm_r);
    cli_session_say(session, "%s: %u partition%s of %u challenges, sealed in %.2f s", given->out,
                    c1->partitions, c1->partitions == 1 ? "" : "s", c1->shape.challenges, seconds);
    if (json != NULL) {
        cuzk_json_write_member_string(json, "out", given->out);
        cuzk_json_write_member_u64(json, "sector_size", c1->sector_size);
        cuzk_json_write_member_string(json, "registered_proof", proof[0] != '\0' ? proof : NULL);
        cuzk_json_write_member_u64(json, "partitions", c1->partitions);
        cuzk_json_write_member_string(json, "comm_d", comm_d);
        cuzk_json_write_member_string(json, "comm_r", comm_r);
        cuzk_json_write_member_hex(json, "replica_id", c1->replica_id, 32);
        cuzk_json_write_member_double(json, "total_ms", seconds * 1e3, 1);
    }
    return cli_session_answer_end(session, err);
}

static enum cuzk_status run_work(struct cli_session *session, const struct seal_options *given,
                                 struct work *work, struct cuzk_error *err)
{
    static const char *const outputs[] = {"data.bin",   "tree_d.bin",         "sealed.bin",
                                          "layer1.bin", "tree_c.bin",         "p_aux.bin",
                                          "c1.json",    "public_inputs.json", "sector.json"};
    struct cuzk_seal_request *request = &work->request;

    if (given->sector_size.value > SECTOR_BYTES_MOST) {
        cli_session_hint(session, "`cuzk synth porep` makes a C1 output of any size, without sealing");
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "--sector-size: sectors of up to 1GiB are sealed, not of %" PRIu64 " bytes",
                              given->sector_size.value);
    }
    CUZK_TRY(choose_proof(given, request, err));
    request->sector_number = given->sector_id.set ? given->sector_id.value : DEFAULT_SECTOR;
    if (given->prover_id.set)
        memcpy(request->prover_id, given->prover_id.bytes, 32);
    else
        cuzk_prover_id_of_miner(given->miner_id.set ? given->miner_id.value : DEFAULT_MINER,
                                request->prover_id);
    CUZK_TRY(draw(given, work, err));
    CUZK_TRY(
        cli_output_folder_check("out", given->out, outputs, sizeof outputs / sizeof outputs[0], false, err));
    CUZK_TRY(cuzk_seal(session->pool, request, &session->progress, &work->sector, err));
    CUZK_TRY(cuzk_sealed_sector_write(work->sector, given->out, false, err));
    return report(session, given, work, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct seal_options *given = values;
    struct work *work;

    (void)arguments;
    (void)count;
    if (given->prover_id.set && given->miner_id.set)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--prover-id: cannot be given beside --miner-id");
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(CUZK_NEW(&work, 1, "seal request", err));
    const enum cuzk_status status = run_work(session, given, work, err);

    cuzk_sealed_sector_destroy(work->sector);
    cli_piece_files_close(&work->pieces);
    cuzk_mem_free(work);
    return status;
}

#define SLOT(name) offsetof(struct seal_options, name)

static const struct cuzk_option options[] = {
    {.name = "sector-size",
     .type = CUZK_OPTION_SIZE,
     .offset = SLOT(sector_size),
     .placeholder = "SIZE",
     .required = true,
     .help = "2KiB, 4KiB, 16KiB, 32KiB, 8MiB and up to 1GiB"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = SLOT(out),
     .placeholder = "DIR",
     .required = true,
     .help = "directory for the sector's files, made if it is missing"},
    {.name = "piece",
     .type = CUZK_OPTION_LIST,
     .offset = SLOT(pieces),
     .placeholder = "FILE",
     .help = "data to put in, in order; may be given several times; random data where not given"},
    {.name = "proof",
     .type = CUZK_OPTION_STRING,
     .offset = SLOT(proof),
     .placeholder = "NAME",
     .help = "registered seal proof, such as StackedDrg2KiBV1_1 (the default for its size)"},
    {.name = "api",
     .type = CUZK_OPTION_CHOICE,
     .offset = SLOT(api),
     .placeholder = "V",
     .choices = "1.0.0|1.1.0|1.2.0",
     .help = "api version, in place of --proof; 1.0.0 is the legacy graph"},
    {.name = "porep-id",
     .type = CUZK_OPTION_HEX32,
     .offset = SLOT(porep_id),
     .placeholder = "HEX32",
     .help = "porep id; by default that of the registered proof"},
    {.name = "feature",
     .type = CUZK_OPTION_CHOICE,
     .offset = SLOT(feature),
     .placeholder = "NAME",
     .choices = "synthetic|ni",
     .help = "synthetic or non-interactive challenges"},
    {.name = "ticket",
     .type = CUZK_OPTION_HEX32,
     .offset = SLOT(ticket),
     .placeholder = "HEX32",
     .help = "the chain's randomness at sealing"},
    {.name = "interactive-seed",
     .type = CUZK_OPTION_HEX32,
     .offset = SLOT(interactive_seed),
     .placeholder = "HEX32",
     .help = "the chain's randomness for the challenges"},
    {.name = "miner-id",
     .type = CUZK_OPTION_NUMBER,
     .offset = SLOT(miner_id),
     .placeholder = "N",
     .help = "the miner's actor number (1000 where not given)"},
    {.name = "prover-id",
     .type = CUZK_OPTION_HEX32,
     .offset = SLOT(prover_id),
     .placeholder = "HEX32",
     .help = "the prover id itself, in place of --miner-id"},
    {.name = "sector-id",
     .type = CUZK_OPTION_NUMBER,
     .offset = SLOT(sector_id),
     .placeholder = "N",
     .help = "the sector's number (1 where not given)"},
    {.name = "seed",
     .type = CUZK_OPTION_HEX32,
     .offset = SLOT(seed),
     .placeholder = "HEX32",
     .help = "whatever is not given, the data too, follows from this: the same sector every time"},
    CLI_THREADS_OPTION(struct seal_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_seal = {
    .name = "seal",
    .arguments = "",
    .summary = "seal a real test sector: replica, trees and C1 output",
    .text = "Seals a small sector as a storage provider would: bit padding, labels, column hashes, trees, "
            "encoding, and "
            "the vanilla proofs of commit phase 1. Everything is written to a directory; c1.json is what "
            "`cuzk prove porep` takes.",
    .example = "cuzk seal --sector-size 2KiB --out sector\n"
               "cuzk seal --sector-size 8MiB --piece movie.car --miner-id 1000 --sector-id 7 --out sector",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct seal_options),
    .run = run,
};
