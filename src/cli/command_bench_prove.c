#include "backend/choice.h"
#include "bench/machine.h"
#include "bench/prove.h"
#include "cli/bench_report.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "srs/derived_job.h"
#include "srs/derived_key.h"
#include "srs/directory.h"

struct prove_options {
    struct cli_common common;
    struct cuzk_option_number threads, sector_size, proofs, in_flight, vram_limit;
    const char *params_dir, *params, *backend, *circuit, *derived_key;
};

enum { DEFAULT_SECTOR_SIZE = 2048, DEFAULT_PROOFS = 3 };

#define MIB ((double)(1 << 20))

static void write_memory(const void *what, struct cuzk_json_writer *json)
{
    const struct cuzk_bench_prove_memory *memory = what;

    cuzk_json_write_member_u64(json, "allocated_peak_bytes", memory->allocated);
    cuzk_json_write_member_u64(json, "resident_peak_bytes", cuzk_machine_peak_resident());
    cuzk_json_write_member_u64(json, "device_planned_bytes", memory->device_planned);
    cuzk_json_write_member_u64(json, "device_peak_bytes", memory->device_peak);
    cuzk_json_write_member_u64(json, "device_used_bytes", memory->device_used);
}

static enum cuzk_status make_derived(struct cli_session *session, const struct prove_options *given,
                                     const struct cuzk_circuit_id *id, const char *params_path,
                                     struct cuzk_error *err)
{
    const struct cuzk_derived_job job = {.id = id,
                                         .params_path = params_path,
                                         .device = given->backend,
                                         .threads = (unsigned)given->threads.value,
                                         .progress = &session->progress};
    struct cuzk_error note;
    bool made;

    return cuzk_derived_job_run(&job, &made, &note, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct prove_options *given = values;
    struct cuzk_bench_result results[CUZK_BENCH_PROVE_CASES];
    const uint64_t sector_size = given->sector_size.set ? given->sector_size.value : DEFAULT_SECTOR_SIZE;
    const unsigned proofs = given->proofs.set ? (unsigned)given->proofs.value : DEFAULT_PROOFS;
    const enum cuzk_derived_mode mode = cuzk_derived_mode_parse(given->derived_key);
    struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, sector_size};
    struct cuzk_backend *backend = NULL;
    char path[CUZK_PARAMETER_PATH];
    struct cuzk_bench_prove_memory memory = {0};
    size_t cases = 0;

    (void)arguments;
    (void)count;
    if (given->circuit != NULL)
        CUZK_TRY(cuzk_circuit_id_parse(given->circuit, &id, err));
    if (given->params == NULL)
        CUZK_TRY(cli_parameters_find(session, given->params_dir, &id, ".params", path, err));
    const char *params = given->params != NULL ? given->params : path;
    if (mode == CUZK_DERIVED_BUILD)
        CUZK_TRY(make_derived(session, given, &id, params, err));
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(cuzk_backend_open(given->backend, session->pool, &backend, err));
    backend->memory_limit = given->vram_limit.value;
    const enum cuzk_status status =
        cuzk_bench_prove(session->pool, backend, &id, params, mode != CUZK_DERIVED_OFF, proofs,
                         given->in_flight.set ? (unsigned)given->in_flight.value : 1, &session->progress,
                         results, &cases, &memory, err);
    cuzk_backend_destroy(backend);
    CUZK_TRY(status);
    cli_session_note(
        session, "memory: %.0f MiB allocated at most, %.0f MiB resident at most (the key's pages included)",
        (double)memory.allocated / MIB, (double)cuzk_machine_peak_resident() / MIB);
    if (memory.device_planned > 0)
        cli_session_note(session,
                         "memory of the device: %.0f MiB planned, %.0f MiB taken at most, %.0f MiB in use",
                         (double)memory.device_planned / MIB, (double)memory.device_peak / MIB,
                         (double)memory.device_used / MIB);
    return cli_bench_report_more(session, "prove", results, cases, write_memory, &memory, err);
}

static const struct cuzk_option options[] = {
    {.name = "sector-size",
     .type = CUZK_OPTION_SIZE,
     .offset = offsetof(struct prove_options, sector_size),
     .placeholder = "SIZE",
     .help = "2KiB to 64GiB; 2KiB where not given"},
    {.name = "circuit",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, circuit),
     .placeholder = "NAME",
     .help = "porep-2k, winning-32g, wpost-32g, snap-32g and so on, in place of --sector-size"},
    {.name = "derived-key",
     .type = CUZK_OPTION_CHOICE,
     .offset = offsetof(struct prove_options, derived_key),
     .placeholder = "MODE",
     .choices = CUZK_DERIVED_MODES,
     .fallback = "off",
     .help = "prove with the derived key beside the parameters: not, if it is there, or after making it"},
    {.name = "in-flight",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct prove_options, in_flight),
     .placeholder = "N",
     .help = "measure the time from proof to proof with N in flight too",
     .min = 1,
     .max = CUZK_BENCH_IN_FLIGHT},
    {.name = "proofs",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct prove_options, proofs),
     .placeholder = "N",
     .help = "proofs to measure, after one that is not; 3 where not given",
     .min = 1,
     .max = CUZK_BENCH_SAMPLES},
    CLI_PARAMETERS_OPTION(struct prove_options, params_dir),
    {.name = "params",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, params),
     .placeholder = "FILE",
     .help = "the parameter file itself"},
    CLI_BACKEND_OPTION(struct prove_options),
    CLI_THREADS_OPTION(struct prove_options),
    CLI_VRAM_LIMIT_OPTION(struct prove_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_prove = {
    .name = "bench prove",
    .arguments = "",
    .summary = "speed of proving a partition, by stages",
    .text =
        "Proves one partition of a synthetic sector again and again with the given parameters and prints the "
        "medians of the whole and of its stages. Any key of the circuit will do: make one with cuzk setup.",
    .example = "cuzk bench prove --circuit porep-2k --params-dir test-params --in-flight 2",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct prove_options),
    .run = run,
};
