#include "cli/porep_options.h"

#include <string.h>

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
