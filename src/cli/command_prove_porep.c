#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend/choice.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/mem.h"
#include "bench/machine.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/parameters.h"
#include "cli/porep_options.h"
#include "engine/prover.h"

struct prove_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    struct cli_porep_options porep;
    const char *c1, *params_dir, *out, *timeline, *backend;
};

/* Everything that one run makes, in the order it is made. */
struct work {
    struct cuzk_file_map file;
    struct cuzk_porep_case porep;
    struct cuzk_circuit_id id;
    enum cuzk_parameter_origin origin;
    struct cuzk_backend *backend;
    struct cuzk_timeline *timeline;
    struct cuzk_circuit_prover *prover;
    struct cuzk_partition_times *times;
    uint8_t *proof;
    size_t proof_bytes;
    uint64_t setup_ns, total_ns;
};

static enum cuzk_status load(struct cli_session *session, const struct prove_options *given,
                             struct work *work, struct cuzk_error *err)
{
    struct cuzk_porep_facts facts;
    uint64_t begin = cuzk_clock_ns();

    CUZK_TRY(cli_porep_facts(&given->porep, &facts, err));
    CUZK_TRY(cuzk_file_map_open(given->c1, "C1 output", CUZK_C1_BYTES_MOST, &work->file, err));
    CUZK_TRY(cuzk_porep_case_open(work->file.path, work->file.bytes, (size_t)work->file.length, &facts,
                                  &session->log, &work->porep, err));
    cuzk_timeline_add(work->timeline, "host", "decode C1", CUZK_TIMELINE_NO_PARTITION, begin);
    cuzk_file_map_drop(&work->file, 0, work->file.length);
    begin = cuzk_clock_ns();
    CUZK_TRY(cuzk_porep_case_check(&work->porep, work->file.path, session->pool, err));
    cuzk_timeline_add(work->timeline, "host", "check vanilla", CUZK_TIMELINE_NO_PARTITION, begin);
    work->id = work->porep.common.circuit;
    return CUZK_OK;
}

static enum cuzk_status prove_all(struct cli_session *session, struct work *work, struct cuzk_error *err)
{
    const unsigned n = work->porep.common.partitions;

    work->proof_bytes = (size_t)n * CUZK_PROOF_BYTES;
    CUZK_TRY(CUZK_NEW(&work->proof, work->proof_bytes, "proof", err));
    CUZK_TRY(CUZK_NEW(&work->times, n, "times", err));
    for (unsigned k = 0; k < n; k++) {
        const enum cuzk_status status =
            cuzk_circuit_prover_prove(work->prover, &work->porep.common, k, &work->times[k],
                                      work->proof + (size_t)k * CUZK_PROOF_BYTES, err);

        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "%s: partition %u", work->file.path, k);
        if (n > 1)
            cli_session_note(session, "partition %u of %u: %.2f s", k + 1, n,
                             (double)(work->times[k].witness_ns + work->times[k].prove.total) / 1e9);
    }
    return CUZK_OK;
}

static enum cuzk_status write_outputs(const struct prove_options *given, const struct work *work,
                                      const char *circuit, struct cuzk_error *err)
{
    if (given->out != NULL)
        CUZK_TRY(cuzk_file_write(given->out, true, work->proof, work->proof_bytes, err));
    if (given->timeline != NULL) {
        enum cuzk_status status;
        struct cuzk_file_out *out;
        char title[96];

        snprintf(title, sizeof title, "%s, %u partition%s", circuit, work->porep.common.partitions,
                 work->porep.common.partitions == 1 ? "" : "s");
        CUZK_TRY(cuzk_file_out_open(given->timeline, true, &out, err));
        status = cuzk_timeline_write(work->timeline, title, cuzk_file_out_sink(out), err);
        if (status != CUZK_OK) {
            cuzk_file_out_abandon(out);
            return status;
        }
        CUZK_TRY(cuzk_file_out_commit(out, err));
    }
    return CUZK_OK;
}

static void write_milliseconds(struct cuzk_json_writer *json, const char *name, uint64_t ns)
{
    cuzk_json_write_member_double(json, name, (double)ns / 1e6, 3);
}

static void write_partition(struct cuzk_json_writer *json, unsigned index,
                            const struct cuzk_partition_times *times)
{
    static const char *const queries[CUZK_QUERIES] = {"msm_h_ms", "msm_l_ms", "msm_a_ms", "msm_b1_ms",
                                                      "msm_b2_ms"};

    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_u64(json, "index", index);
    write_milliseconds(json, "witness_ms", times->witness_ns);
    write_milliseconds(json, "queue_ms", 0);
    write_milliseconds(json, "upload_ms", times->prove.backend.upload);
    write_milliseconds(json, "eval_ms", times->prove.backend.eval);
    write_milliseconds(json, "ntt_ms", times->prove.backend.quotient);
    for (int q = 0; q < CUZK_QUERIES; q++)
        write_milliseconds(json, queries[q], times->prove.backend.msm[q]);
    write_milliseconds(json, "finish_ms", times->prove.finish);
    write_milliseconds(json, "total_ms", times->witness_ns + times->prove.total);
    cuzk_json_write_object_end(json);
}

static enum cuzk_status report(struct cli_session *session, const struct prove_options *given,
                               const struct work *work, const char *circuit, struct cuzk_error *err)
{
    const double seconds = (double)work->total_ns / 1e9, cpu = (double)cuzk_clock_cpu_ns() / 1e9;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);
    struct cuzk_backend_facts facts;

    work->backend->ops->facts(work->backend, &facts);
    if (json != NULL) {
        cuzk_json_write_member_string(json, "kind", "porep");
        cuzk_json_write_member_string(json, "circuit", circuit);
        cuzk_json_write_member_string(json, "backend", work->backend->ops->name);
        cuzk_json_write_member_string(json, "device", facts.device);
        cuzk_json_write_member_u64(json, "threads", cuzk_pool_threads(session->pool));
        cuzk_json_write_member_string(json, "parameters", cli_parameters_origin_name(work->origin));
        cuzk_json_write_key(json, "partitions");
        cuzk_json_write_array_begin(json);
        for (unsigned k = 0; k < work->porep.common.partitions; k++)
            write_partition(json, k, &work->times[k]);
        cuzk_json_write_array_end(json);
        write_milliseconds(json, "total_ms", work->total_ns);
        write_milliseconds(json, "setup_ms", work->setup_ns);
        cuzk_json_write_member_double(json, "cpu_ms", cpu * 1e3, 1);
        cuzk_json_write_member_u64(json, "peak_rss_bytes", cuzk_machine_peak_resident());
        cuzk_json_write_member_u64(json, "peak_allocated_bytes", cuzk_mem_peak());
        cuzk_json_write_member_u64(json, "peak_vram_bytes", facts.peak_bytes);
        cuzk_json_write_member_u64(json, "proof_bytes", work->proof_bytes);
        cuzk_json_write_member_bool(json, "verified", true);
        cuzk_json_write_member_hex(json, "proof_hex", work->proof, work->proof_bytes);
        cuzk_machine_write(json);
        return cli_session_answer_end(session, err);
    }
    if (given->out == NULL) {
        char *hex;

        CUZK_TRY(CUZK_NEW(&hex, 2 * work->proof_bytes + 1, "proof as text", err));
        cuzk_hex_encode(work->proof, work->proof_bytes, hex);
        cli_session_say(session, "%s", hex);
        cuzk_mem_free(hex);
        return CUZK_OK;
    }
    cli_session_note(
        session,
        "proved and verified %s: %u partition%s, %zu bytes, %.2f s (%.2f processor seconds), peak memory "
        "%.0f MiB allocated, %.0f MiB resident",
        circuit, work->porep.common.partitions, work->porep.common.partitions == 1 ? "" : "s",
        work->proof_bytes, seconds, cpu, (double)cuzk_mem_peak() / 1048576,
        (double)cuzk_machine_peak_resident() / 1048576);
    if (strcmp(given->out, "-") != 0)
        cli_session_say(session, "%s", given->out);
    return CUZK_OK;
}

static enum cuzk_status run_work(struct cli_session *session, const struct prove_options *given,
                                 struct work *work, struct cuzk_error *err)
{
    char path[CUZK_PARAMETER_PATH], circuit[CUZK_CIRCUIT_NAME];

    CUZK_TRY(cuzk_timeline_create(&work->timeline, err));
    CUZK_TRY(load(session, given, work, err));
    cuzk_circuit_id_format(&work->id, circuit);
    CUZK_TRY(cli_parameters_find(session, given->params_dir, &work->id, ".params", path, err));
    CUZK_TRY(cuzk_backend_open(given->backend, session->pool, &work->backend, err));
    const struct cuzk_engine_context context = {session->pool, work->backend, &session->progress,
                                                work->timeline};
    const uint64_t begin = cuzk_clock_ns();

    CUZK_TRY(cuzk_circuit_prover_create(&context, &work->id, path, &work->prover, err));
    CUZK_TRY(cli_parameters_judge(session, given->params_dir, &work->id, &work->origin, err));
    work->setup_ns = cuzk_clock_ns() - begin;
    CUZK_TRY(prove_all(session, work, err));
    work->total_ns = cuzk_clock_ns() - session->started_ns;
    CUZK_TRY(write_outputs(given, work, circuit, err));
    return report(session, given, work, circuit, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct prove_options *given = values;
    struct work work = {0};

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_output_check("out", given->out, true, session->json, err));
    CUZK_TRY(cli_output_check("timeline", given->timeline, true, session->json, err));
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    const enum cuzk_status status = run_work(session, given, &work, err);

    cuzk_circuit_prover_destroy(work.prover);
    cuzk_backend_destroy(work.backend);
    cuzk_timeline_destroy(work.timeline);
    cuzk_porep_case_close(&work.porep);
    cuzk_file_map_close(&work.file);
    cuzk_mem_free(work.times);
    cuzk_mem_free(work.proof);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "c1",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, c1),
     .placeholder = "FILE",
     .required = true,
     .help = "output of commit phase 1, raw or wrapped as Curio does; - for standard input"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, out),
     .placeholder = "FILE",
     .help = "where the proof goes (192 bytes a partition); as hex on standard output where not given"},
    CLI_PARAMETERS_OPTION(struct prove_options, params_dir),
    CLI_BACKEND_OPTION(struct prove_options),
    CLI_THREADS_OPTION(struct prove_options),
    {.name = "timeline",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, timeline),
     .placeholder = "FILE",
     .help = "record what happened when; `cuzk trace` draws it"},
    CLI_POREP_OPTIONS(struct prove_options, porep),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_prove_porep = {
    .name = "prove porep",
    .arguments = "",
    .summary = "prove a sealed sector: commit phase 2",
    .text =
        "Takes the output of commit phase 1, checks every vanilla proof in it, makes a Groth16 proof of each "
        "partition, verifies it, and writes the proofs one behind the other: what the chain accepts, "
        "provided the "
        "parameters are the published ones.",
    .example = "cuzk prove porep --c1 c1.json --params-dir test-params --out proof.bin\n"
               "cuzk prove porep --c1 c1.json --miner-id 1000 --sector-number 7 --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct prove_options),
    .run = run,
};
