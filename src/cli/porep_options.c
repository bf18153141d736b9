#include "cli/porep_options.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/replica_id.h"

enum cuzk_status cli_porep_facts(const struct cli_porep_options *options, struct cuzk_porep_facts *facts,
                                 struct cuzk_error *err)
{
    memset(facts, 0, sizeof *facts);
    if (options->miner_id.set) {
        facts->has_prover = true;
        cuzk_prover_id_of_miner(options->miner_id.value, facts->prover_id);
    }
    if (options->prover_id.set) {
        if (facts->has_prover && memcmp(facts->prover_id, options->prover_id.bytes, 32) != 0)
            return cuzk_error_set(err, CUZK_ARGUMENT, "--prover-id: is not the prover id of --miner-id");
        facts->has_prover = true;
        memcpy(facts->prover_id, options->prover_id.bytes, 32);
    }
    if (options->sector_number.set) {
        facts->has_sector_number = true;
        facts->sector_number = options->sector_number.value;
    }
    if (options->porep_id.set) {
        facts->has_porep_id = true;
        memcpy(facts->porep_id, options->porep_id.bytes, 32);
    }
    if (options->api != NULL) {
        facts->has_api_version = true;
        if (!cuzk_api_version_parse(options->api, &facts->api_version))
            return cuzk_error_set(err, CUZK_ARGUMENT, "--api: unknown version '%s'", options->api);
    }
    return CUZK_OK;
}

enum cuzk_status cli_porep_open(struct cli_session *session, const struct cli_porep_options *options,
                                const char *c1, struct cuzk_file_map *file, struct cuzk_porep_case **out,
                                struct cuzk_error *err)
{
    struct cuzk_porep_case *porep = NULL;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_porep_facts facts;

    *out = NULL;
    CUZK_TRY(cli_porep_facts(options, &facts, err));
    CUZK_TRY(cuzk_file_map_open(c1, "C1 output", CUZK_C1_BYTES_MOST, file, err));
    CUZK_TRY_OUT(CUZK_NEW(&porep, 1, "PoRep", err));
    CUZK_TRY_OUT(cuzk_porep_case_open(file->path, file->bytes, (size_t)file->length, &facts, &session->log,
                                      porep, err));
    *out = porep;
    return CUZK_OK;
out:
    cuzk_mem_free(porep);
    cuzk_file_map_close(file);
    return status;
}
