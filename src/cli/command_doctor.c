#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "backend/cuda/cuda.h"
#include "base/cpu.h"
#include "base/version.h"
#include "bench/machine.h"
#include "circuit/pce.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "cli/plan.h"
#include "cli/size_text.h"
#include "groth16/params.h"
#include "srs/cache.h"
#include "srs/derived_key.h"

struct doctor_options {
    struct cli_common common;
    const char *params_dir, *cache_dir;
    struct cuzk_option_number vram_limit;
    bool quick;
};

#define GIB ((double)(UINT64_C(1) << 30))

/* What is found of a circuit's parameter file. */
struct finding {
    char path[CUZK_PARAMETER_PATH];
    uint64_t bytes;
    bool present, whole, judged;
    enum cuzk_parameter_origin origin;
    struct cuzk_error problem;
    struct kept {
        char path[CUZK_PARAMETER_PATH]; /* empty: it is kept nowhere */
        uint64_t bytes;                 /* 0: it is not there */
    } pce, derived;                     /* compact circuit and derived key */
};

static void look_at_machine(struct cli_session *session)
{
    struct cuzk_machine machine;

    cuzk_machine_read(&machine);
    cli_session_say(session, "cuzk         %s (%s)", cuzk_version(), cuzk_commit());
    cli_session_say(session, "processor    %s, %u usable", machine.cpu, machine.processors);
    cli_session_say(session, "arithmetic   %s%s", machine.level,
                    cuzk_cpu_has_sha() ? ", SHA instructions" : "");
    const enum cuzk_cpu_level level = cuzk_cpu_level(), best = cuzk_cpu_set_level(CUZK_CPU_IFMA);

    cuzk_cpu_set_level(level);
    if (level < best)
        cli_session_say(session, "             CUZK_CPU holds it back: this processor has %s",
                        cuzk_cpu_level_name(best));
    else if (level < CUZK_CPU_IFMA)
        cli_session_say(session,
                        "             AVX-512 IFMA, which proves several times faster, is not there");
    cli_session_say(session, "memory       %.1f GiB, %.1f available", (double)machine.memory_bytes / GIB,
                    (double)machine.memory_available_bytes / GIB);
    if (session->json)
        cuzk_machine_write(&session->writer);
}

static void tell_device(struct cli_session *session, const struct cuzk_cuda_device *device)
{
    cli_session_say(session, "device       cuda:%d, %s, %.1f GiB, %.1f free, compute %d.%d, %s",
                    device->ordinal, device->name, (double)device->total_bytes / GIB,
                    (double)device->free_bytes / GIB, device->major, device->minor, device->uuid);
    if (!session->json)
        return;
    struct cuzk_json_writer *json = &session->writer;

    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_u64(json, "ordinal", (uint64_t)device->ordinal);
    cuzk_json_write_member_string(json, "name", device->name);
    cuzk_json_write_member_string(json, "uuid", device->uuid);
    cuzk_json_write_member_u64(json, "memory_bytes", device->total_bytes);
    cuzk_json_write_member_u64(json, "memory_free_bytes", device->free_bytes);
    cuzk_json_write_member_u64(json, "driver_cuda", (uint64_t)device->driver);
    cuzk_json_write_object_end(json);
}

static void look_at_devices(struct cli_session *session)
{
    struct cuzk_error reason = {0};
    int count;

    const enum cuzk_status status = cuzk_cuda_device_count(&count, &reason);
    if (status != CUZK_OK || count == 0)
        cli_session_say(session, "devices      none: %s",
                        status != CUZK_OK ? reason.message : "no NVIDIA GPU is here");
    if (session->json) {
        cuzk_json_write_key(&session->writer, "devices");
        cuzk_json_write_array_begin(&session->writer);
    }
    for (int i = 0; status == CUZK_OK && i < count; i++) {
        struct cuzk_cuda_device device;

        if (cuzk_cuda_device_describe(i, &device, &reason) == CUZK_OK)
            tell_device(session, &device);
        else
            cli_session_say(session, "device       cuda:%d: %s", i, reason.message);
    }
    if (session->json)
        cuzk_json_write_array_end(&session->writer);
}

static void look_at_disk(struct cli_session *session, const char *directory)
{
    struct statvfs facts;
    const bool known = statvfs(directory, &facts) == 0;
    const uint64_t room = known ? (uint64_t)facts.f_bavail * facts.f_frsize : 0;

    if (known)
        cli_session_say(session, "parameters   %s, %.1f GiB free%s", directory, (double)room / GIB,
                        cuzk_parameter_directory_is_production(directory) ? " (production)" : "");
    else
        cli_session_say(session, "parameters   %s: %s", directory, strerror(errno));
    if (!session->json)
        return;
    cuzk_json_write_member_string(&session->writer, "parameter_directory", directory);
    cuzk_json_write_member_bool(&session->writer, "parameter_directory_exists", known);
    cuzk_json_write_member_u64(&session->writer, "parameter_directory_free_bytes", room);
}

/* What was derived from parameters, where it would be kept. */
static void look_for(const char *params_path, const char *suffix, struct kept *out)
{
    struct stat facts;

    if (!cuzk_cache_place(params_path, suffix, out->path))
        out->path[0] = '\0';
    else if (stat(out->path, &facts) == 0)
        out->bytes = (uint64_t)facts.st_size;
}

/* The file of one circuit: is it there, are its counts those of its size, is it the published one. */
static enum cuzk_status examine(struct cli_session *session, const char *directory,
                                const struct cuzk_circuit_id *id, bool quick, struct finding *out,
                                struct cuzk_error *err)
{
    struct cuzk_params params;
    struct stat facts;

    memset(out, 0, sizeof *out);
    CUZK_TRY(cuzk_parameter_path(directory, id, ".params", out->path, err));
    if (stat(out->path, &facts) != 0)
        return CUZK_OK;
    out->present = true;
    out->bytes = (uint64_t)facts.st_size;
    look_for(out->path, CUZK_PCE_SUFFIX, &out->pce);
    look_for(out->path, CUZK_DERIVED_SUFFIX, &out->derived);
    if (cuzk_params_open(out->path, &params, &out->problem) != CUZK_OK)
        return CUZK_OK;
    cuzk_params_close(&params);
    out->whole = true;
    if (quick)
        return CUZK_OK;
    const enum cuzk_status status =
        cuzk_parameter_origin(directory, id, &session->progress, &out->origin, &out->problem);

    if (status == CUZK_CANCELLED) {
        *err = out->problem;
        return status;
    }
    out->judged = status == CUZK_OK;
    return CUZK_OK;
}

static const char *state_of(const struct finding *finding)
{
    return !finding->present  ? "missing"
           : !finding->whole  ? "damaged"
           : !finding->judged ? "whole"
                              : cli_parameters_origin_name(finding->origin);
}

static void write_kept(struct cuzk_json_writer *json, const char *name, const struct kept *kept)
{
    cuzk_json_write_key(json, name);
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "file", kept->path[0] != '\0' ? kept->path : NULL);
    cuzk_json_write_member_u64(json, "bytes", kept->bytes);
    cuzk_json_write_object_end(json);
}

static void write_finding(struct cuzk_json_writer *json, const char *circuit, const struct finding *finding)
{
    cuzk_json_write_member_string(json, "circuit", circuit);
    cuzk_json_write_member_string(json, "file", finding->path);
    cuzk_json_write_member_string(json, "state", state_of(finding));
    cuzk_json_write_member_u64(json, "bytes", finding->bytes);
    if (!finding->present)
        return;
    if (!finding->whole)
        cuzk_json_write_member_string(json, "problem", finding->problem.message);
    write_kept(json, "compact_circuit", &finding->pce);
    write_kept(json, "derived_key", &finding->derived);
}

static void tell(struct cli_session *session, const struct cuzk_circuit_id *id, const struct finding *finding,
                 const struct cli_plans *plans)
{
    char circuit[CUZK_CIRCUIT_NAME];

    cuzk_circuit_id_format(id, circuit);
    if (session->json) {
        cuzk_json_write_object_begin(&session->writer);
        write_finding(&session->writer, circuit, finding);
    }
    if (finding->present) {
        const bool test = finding->whole && finding->judged && finding->origin != CUZK_PARAMETERS_PUBLISHED;
        char size[CLI_SIZE_TEXT];

        cli_session_say(session, "  %-12s %s, %s%s%s%s%s", circuit,
                        test ? "TEST PARAMETERS: the chain takes no proof made with them" : state_of(finding),
                        cli_size_text(finding->bytes, size), finding->whole ? "" : ": ",
                        finding->whole ? "" : finding->problem.message,
                        finding->pce.bytes > 0 ? "; its compact circuit is kept" : "",
                        finding->derived.bytes > 0 ? "; a derived key is kept" : "");
        cli_plans_tell(plans, session, id, "    ");
    }
    if (session->json)
        cuzk_json_write_object_end(&session->writer);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct doctor_options *given = values;
    const char *directory = cuzk_parameter_directory(given->params_dir);
    static const char *const choices[] = {"auto"};
    enum cuzk_status status = CUZK_OK;
    struct cli_plans plans;
    unsigned present = 0;

    (void)arguments;
    (void)count;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    look_at_machine(session);
    look_at_devices(session);
    look_at_disk(session, directory);
    if (json != NULL) {
        cuzk_json_write_key(json, "parameters");
        cuzk_json_write_array_begin(json);
    }
    cli_plans_open(choices, 1, given->vram_limit.value, &plans);
    for (size_t i = 0; i < cuzk_circuit_id_count() && status == CUZK_OK; i++) {
        struct cuzk_circuit_id id;
        struct finding finding;

        cuzk_circuit_id_at(i, &id);
        status = examine(session, directory, &id, given->quick, &finding, err);
        present += finding.present;
        if (status == CUZK_OK)
            tell(session, &id, &finding, &plans);
    }
    cli_plans_close(&plans);
    CUZK_TRY(status);
    if (json != NULL)
        cuzk_json_write_array_end(json);
    if (present == 0) {
        struct cuzk_circuit_id smallest;
        char advice[1024];

        cuzk_circuit_id_at(0, &smallest);
        cuzk_parameter_advice(directory, &smallest, advice, sizeof advice);
        cli_session_say(session, "  no parameter file is here: nothing can be proved. For porep-2k, %s",
                        advice);
        if (json != NULL)
            cuzk_json_write_member_string(json, "advice", advice);
    }
    return cli_session_answer_end(session, err);
}

static const struct cuzk_option options[] = {
    CLI_PARAMETERS_OPTION(struct doctor_options, params_dir),
    CLI_CACHE_OPTION(struct doctor_options),
    CLI_VRAM_LIMIT_OPTION(struct doctor_options),
    {.name = "quick",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct doctor_options, quick),
     .help =
         "do not compare parameter files with the published digests (reading 47 GB takes a minute, once)"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "what this machine can do, what is missing, what to do about it",
    .text =
        "Looks at processor, devices, memory, disk and parameter files, compares these with the "
        "published digests, and says what will work, what will not, and what to do. For each circuit whose "
        "parameters are here it says what its proofs would take of each device, and whether the key "
        "would lie there whole or pass through in chunks.",
    .example = "cuzk doctor\ncuzk doctor --params-dir test-params --vram-limit 16GiB --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct doctor_options),
    .run = run,
};
