#include "cli/local_prove.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend/choice.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "bench/machine.h"
#include "cli/output.h"
#include "cli/parameters.h"
#include "cli/partition_report.h"
#include "cli/pipeline.h"
#include "cli/proof_file.h"
#include "engine/prover.h"

/* Everything that one run makes, in the order it is made. */
struct work {
    struct cuzk_case *that;
    struct cuzk_timeline *timeline; /* the caller's */
    enum cuzk_parameter_origin origin;
    struct cuzk_backend *backend; /* where there is no pipeline, as the prover */
    struct cuzk_circuit_prover *prover;
    struct cli_pipeline_result by; /* what proved */
    struct cuzk_partition_times *times;
    uint8_t *proof;
    size_t proof_bytes;
    uint64_t total_ns;
};

/* Who hears of partitions. */
struct audience {
    struct cli_session *session;
    unsigned partitions;
};

static void say_partition(void *context, unsigned partition, const struct cuzk_partition_times *times)
{
    const struct audience *audience = context;

    if (audience->partitions > 1)
        cli_session_note(audience->session, "partition %u of %u: %.2f s", partition + 1, audience->partitions,
                         (double)(times->witness_ns + times->prove.total) / 1e9);
}

static enum cuzk_status prove_each(struct cli_session *session, const struct cli_local_proof *given,
                                   struct work *work, struct cuzk_error *err)
{
    struct audience audience = {session, work->that->partitions};
    const enum cuzk_status status = cuzk_circuit_prover_prove_all(work->prover, work->that, say_partition,
                                                                  &audience, work->times, work->proof, err);

    if (status == CUZK_CANCELLED && cuzk_progress_check(&session->progress, err) != CUZK_OK)
        return status; /* whose partition it was is of no interest */
    return status == CUZK_OK ? CUZK_OK : cuzk_error_prefix(err, status, "%s", given->name);
}

static enum cuzk_status write_outputs(const struct cli_local_proof *given, const struct work *work,
                                      const char *circuit, struct cuzk_error *err)
{
    if (given->out != NULL)
        CUZK_TRY(cuzk_file_write(given->out, true, work->proof, work->proof_bytes, err));
    if (given->timeline != NULL) {
        struct cuzk_file_out *out;
        char title[96];

        snprintf(title, sizeof title, "%s, %u partition%s", circuit, work->that->partitions,
                 work->that->partitions == 1 ? "" : "s");
        CUZK_TRY(cuzk_file_out_open(given->timeline, true, &out, err));
        CUZK_TRY(cuzk_file_out_close(cuzk_timeline_write(work->timeline, title, cuzk_file_out_sink(out), err),
                                     out, err));
    }
    return CUZK_OK;
}

static void write_milliseconds(struct cuzk_json_writer *json, const char *name, uint64_t ns)
{
    cuzk_json_write_member_double(json, name, (double)ns / 1e6, 3);
}

static enum cuzk_status report(struct cli_session *session, const struct cli_local_proof *given,
                               const struct work *work, const char *circuit, struct cuzk_error *err)
{
    const double seconds = (double)work->total_ns / 1e9, cpu = (double)cuzk_clock_cpu_ns() / 1e9;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "kind", given->kind);
        cuzk_json_write_member_string(json, "circuit", circuit);
        cuzk_json_write_member_string(json, "backend", work->by.backend);
        cuzk_json_write_member_string(json, "device", work->by.device);
        cuzk_json_write_member_string(json, "preset", given->preset);
        cuzk_json_write_member_u64(json, "threads", cuzk_pool_threads(session->pool));
        cuzk_json_write_member_string(json, "parameters", cli_parameters_origin_name(work->origin));
        cuzk_json_write_key(json, "partitions");
        cuzk_json_write_array_begin(json);
        for (unsigned k = 0; k < work->that->partitions; k++)
            cli_partition_write(json, k, NULL, &work->times[k]);
        cuzk_json_write_array_end(json);
        write_milliseconds(json, "total_ms", work->total_ns);
        write_milliseconds(json, "setup_ms", work->by.setup_ns);
        cuzk_json_write_member_double(json, "cpu_ms", cpu * 1e3, 1);
        cuzk_json_write_member_u64(json, "peak_rss_bytes", cuzk_machine_peak_resident());
        cuzk_json_write_member_u64(json, "peak_allocated_bytes", cuzk_mem_peak());
        cuzk_json_write_member_u64(json, "peak_vram_bytes", work->by.device_peak);
        cuzk_json_write_member_u64(json, "proof_bytes", work->proof_bytes);
        cuzk_json_write_member_bool(json, "verified", true);
        cuzk_json_write_member_hex(json, "proof_hex", work->proof, work->proof_bytes);
        cuzk_machine_write(json);
        return cli_session_answer_end(session, err);
    }
    if (given->out == NULL)
        return cli_proof_say(session, work->proof, work->proof_bytes, err);
    cli_session_note(
        session,
        "proved and verified %s: %u partition%s, %zu bytes, %.2f s (%.2f processor seconds), peak memory "
        "%.0f MiB allocated, %.0f MiB resident",
        circuit, work->that->partitions, work->that->partitions == 1 ? "" : "s", work->proof_bytes, seconds,
        cpu, (double)cuzk_mem_peak() / 1048576, (double)cuzk_machine_peak_resident() / 1048576);
    if (strcmp(given->out, "-") != 0)
        cli_session_say(session, "%s", given->out);
    return CUZK_OK;
}

/* One partition behind the other, straight on the backend. */
static enum cuzk_status prove_direct(struct cli_session *session, const struct cli_local_proof *given,
                                     const char *path, struct work *work, struct cuzk_error *err)
{
    const struct cuzk_circuit_id *id = &work->that->circuit;
    struct cuzk_backend_facts facts;

    CUZK_TRY(cuzk_backend_open(given->backend, session->pool, &work->backend, err));
    work->backend->memory_limit = given->vram_limit;
    const struct cuzk_engine_context context = {session->pool, work->backend, &session->progress,
                                                work->timeline};
    const uint64_t begin = cuzk_clock_ns();

    CUZK_TRY(cuzk_circuit_prover_create(&context, id, path, &work->prover, err));
    CUZK_TRY(cli_parameters_judge(session, given->params_dir, id, &work->origin, err));
    work->by.setup_ns = cuzk_clock_ns() - begin;
    CUZK_TRY(prove_each(session, given, work, err));
    work->backend->ops->facts(work->backend, &facts);
    snprintf(work->by.backend, sizeof work->by.backend, "%s", work->backend->ops->name);
    snprintf(work->by.device, sizeof work->by.device, "%s", facts.device);
    work->by.device_peak = facts.peak_bytes;
    return CUZK_OK;
}

static enum cuzk_status prove_pipeline(struct cli_session *session, const struct cli_local_proof *given,
                                       struct work *work, struct cuzk_error *err)
{
    const struct cli_pipeline pipeline = {.knobs = given->knobs,
                                          .backend = given->backend,
                                          .params_dir = given->params_dir,
                                          .threads = given->threads,
                                          .host_budget = given->host_mem,
                                          .device_budget = given->vram_limit};

    CUZK_TRY(cli_parameters_judge(session, given->params_dir, &work->that->circuit, &work->origin, err));
    const enum cuzk_status status = cli_pipeline_prove(session, &pipeline, work->that, work->timeline,
                                                       work->times, work->proof, &work->by, err);

    return status == CUZK_OK || status == CUZK_CANCELLED ? status
                                                         : cuzk_error_prefix(err, status, "%s", given->name);
}

static enum cuzk_status run_work(struct cli_session *session, const struct cli_local_proof *given,
                                 struct work *work, struct cuzk_error *err)
{
    const unsigned partitions = work->that->partitions;
    char path[CUZK_PARAMETER_PATH], circuit[CUZK_CIRCUIT_NAME];

    cuzk_circuit_id_format(&work->that->circuit, circuit);
    CUZK_TRY(cli_parameters_find(session, given->params_dir, &work->that->circuit, ".params", path, err));
    work->proof_bytes = (size_t)partitions * CUZK_PROOF_BYTES;
    CUZK_TRY(CUZK_NEW(&work->proof, work->proof_bytes, "proof", err));
    CUZK_TRY(CUZK_NEW(&work->times, partitions, "times", err));
    CUZK_TRY(given->preset != NULL ? prove_pipeline(session, given, work, err)
                                   : prove_direct(session, given, path, work, err));
    work->total_ns = cuzk_clock_ns() - session->started_ns;
    CUZK_TRY(write_outputs(given, work, circuit, err));
    return report(session, given, work, circuit, err);
}

enum cuzk_status cli_local_prove(struct cli_session *session, const struct cli_local_proof *given,
                                 struct cuzk_case *that, struct cuzk_timeline *timeline,
                                 struct cuzk_error *err)
{
    struct work work = {.that = that, .timeline = timeline};
    const enum cuzk_status status = run_work(session, given, &work, err);

    cuzk_circuit_prover_destroy(work.prover);
    cuzk_backend_destroy(work.backend);
    cuzk_mem_free(work.times);
    cuzk_mem_free(work.proof);
    return status;
}
