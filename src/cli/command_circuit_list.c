#include <inttypes.h>

#include "cli/circuit_record.h"
#include "cli/command.h"

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    (void)values;
    (void)arguments;
    (void)count;
    if (json != NULL) {
        cuzk_json_write_key(json, "circuits");
        cuzk_json_write_array_begin(json);
    } else {
        cli_session_say(session, "%-12s %10s %8s %12s %12s  %s", "circuit", "sector", "inputs", "aux",
                        "bits among", "parameter file");
    }
    for (size_t i = 0; i < cuzk_circuit_id_count(); i++) {
        struct cuzk_circuit_id id;
        struct cli_circuit_size size;
        char name[CUZK_CIRCUIT_NAME], file[CUZK_PARAMETER_NAME], sector[24];

        cuzk_circuit_id_at(i, &id);
        cuzk_circuit_id_format(&id, name);
        CUZK_TRY(cli_circuit_size(&id, &size, err));
        CUZK_TRY(cuzk_circuit_id_parameter_name(&id, file, err));
        cuzk_option_format_size(id.sector_size, sector, sizeof sector);
        if (json == NULL) {
            cli_session_say(session, "%-12s %10s %8" PRIu32 " %12" PRIu32 " %12" PRIu32 "  %.40s...", name,
                            sector, size.inputs, size.aux, size.bits, file);
            continue;
        }
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "circuit", name);
        cuzk_json_write_member_u64(json, "sector_size", id.sector_size);
        cuzk_json_write_member_u64(json, "inputs", size.inputs);
        cuzk_json_write_member_u64(json, "aux", size.aux);
        cuzk_json_write_member_u64(json, "bits", size.bits);
        cuzk_json_write_member_string(json, "parameter_name", file);
        cuzk_json_write_object_end(json);
    }
    if (json != NULL)
        cuzk_json_write_array_end(json);
    return cli_session_answer_end(session, err);
}

static const struct cuzk_option options[] = {CLI_COMMON_OPTIONS};

const struct cli_command cli_circuit_list = {
    .name = "circuit list",
    .arguments = "",
    .summary = "the circuits that can be proved",
    .text = "Lists every circuit with its sector size, number of public inputs (the constant one counted) "
            "and auxiliary "
            "variables, and the name its parameter file has.",
    .example = "cuzk circuit list",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct cli_common),
    .run = run,
};
