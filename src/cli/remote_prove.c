#include "cli/remote_prove.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/random.h"
#include "bench/machine.h"
#include "cli/output.h"
#include "cli/parameters.h"
#include "cli/partition_report.h"
#include "cli/proof_file.h"
#include "cli/verify_inputs.h"
#include "engine/engine.h"
#include "filecoin/post.h"
#include "filecoin/replica_id.h"
#include "groth16/verify.h"
#include "server/message.h"

enum { REQUEST_ID_BYTES = 16, SECTOR_ID_BYTES = 8 };

/* One job of the daemon. */
struct part {
    struct cli_job job;
    unsigned partitions;
    char id[CUZK_JOB_ID_TEXT];
    bool running;                         /* the daemon has it */
    Cuzk__V1__AwaitProofResponse *result; /* owned */
};

struct sector_file {
    uint64_t sector_id;
    const char *path;
};

struct work {
    const struct cli_remote_proof *wanted;
    char request_id[2 * REQUEST_ID_BYTES + 16];
    struct cuzk_client *client;
    struct cuzk_vk vk;
    struct cuzk_prepared_vk *prepared;
    struct cuzk_public_inputs *inputs; /* [partitions] */
    struct part *parts;                /* [part_count] */
    size_t part_count;
    const char **in; /* files in the order of their sectors */
    uint8_t *proof;
    size_t proof_bytes;
    uint64_t verify_ns, total_ns;
};

/* ---- what is asked for ---- */

/* Standard input as a file that can be read from its beginning again. */
static enum cuzk_status keep_standard_input(struct cuzk_error *err)
{
    uint8_t block[1 << 16];
    ssize_t got;

    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return CUZK_OK;
    const int copy = memfd_create("standard input", MFD_CLOEXEC);

    if (copy < 0)
        return cuzk_error_set(err, CUZK_IO, "standard input: keeping a copy: %s", strerror(errno));
    while ((got = read(STDIN_FILENO, block, sizeof block)) > 0)
        if (write(copy, block, (size_t)got) != got) {
            got = -1;
            break;
        }
    if (got < 0 || lseek(copy, 0, SEEK_SET) < 0 || dup2(copy, STDIN_FILENO) < 0)
        errno = errno != 0 ? errno : EIO;
    else
        errno = 0;
    const int failed = errno;

    close(copy);
    return failed == 0 ? CUZK_OK
                       : cuzk_error_set(err, CUZK_IO, "standard input: keeping a copy: %s", strerror(failed));
}

static bool is_standard_input(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

enum cuzk_status cli_remote_prove_check(const struct cli_job *job, const char *timeline,
                                        struct cuzk_error *err)
{
    bool standard = is_standard_input(job->c1) || is_standard_input(job->request);

    if (timeline != NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "--timeline: with --remote the daemon has it: its page /timeline over HTTP");
    for (size_t i = 0; i < job->in_count; i++)
        standard |= is_standard_input(job->in[i]);
    return standard ? keep_standard_input(err) : CUZK_OK;
}

enum cuzk_status cli_remote_porep(const struct cli_porep_options *options, struct cli_job *job,
                                  struct cuzk_error *err)
{
    uint8_t prover_id[32];

    if (options->porep_id.set || options->api != NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "%s: with --remote it is that of the registered proof: requests have no other",
                              options->porep_id.set ? "--porep-id" : "--api");
    job->miner_id = options->miner_id;
    job->sector_number = options->sector_number;
    if (!options->prover_id.set || options->miner_id.set)
        return CUZK_OK;
    job->miner_id = (struct cuzk_option_number){true, 0};
    for (unsigned i = 0; i < 10; i++) /* unsigned LEB128 */
        job->miner_id.value |= (uint64_t)(options->prover_id.bytes[i] & 0x7f) << (7 * i);
    cuzk_prover_id_of_miner(job->miner_id.value, prover_id);
    if (memcmp(prover_id, options->prover_id.bytes, sizeof prover_id) != 0)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "--prover-id: with --remote it must be of a miner's actor number");
    return CUZK_OK;
}

static int by_sector(const void *a, const void *b)
{
    const struct sector_file *left = a, *right = b;

    return (left->sector_id > right->sector_id) - (left->sector_id < right->sector_id);
}

/* The files in the order of the sector ids that they begin with. */
static enum cuzk_status sort_files(const struct cli_job *job, struct work *work, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct sector_file *files;
    struct cuzk_file_map map;

    CUZK_TRY(CUZK_NEW(&work->in, job->in_count, "names of files", err));
    CUZK_TRY(CUZK_NEW(&files, job->in_count, "names of files", err));
    for (size_t i = 0; i < job->in_count; i++) {
        files[i].path = job->in[i];
        CUZK_TRY_OUT(cuzk_file_map_open(job->in[i], "vanilla proof", 0, &map, err));
        for (unsigned k = 0; k < SECTOR_ID_BYTES && k < map.length; k++) /* bincode: little-endian */
            files[i].sector_id |= (uint64_t)((const uint8_t *)map.bytes)[k] << (8 * k);
        cuzk_file_map_close(&map);
    }
    qsort(files, job->in_count, sizeof *files, by_sector);
    for (size_t i = 0; i < job->in_count; i++)
        work->in[i] = files[i].path;
out:
    cuzk_mem_free(files);
    return status;
}

/* A request holds one partition of a WindowPoSt. */
static enum cuzk_status split(struct work *work, struct cuzk_error *err)
{
    const struct cli_job *job = work->wanted->job;
    const struct cuzk_case *that = work->wanted->that;
    const bool many = strcmp(job->kind, "wpost") == 0 && that->partitions > 1;
    struct cuzk_post_config config = {0};

    if (many) {
        CUZK_TRY(cuzk_post_config_make(that->circuit.sector_size, false, CUZK_API_1_2_0, &config,
                                       err)); /* shape */
        CUZK_TRY(sort_files(job, work, err));
    }
    CUZK_TRY(CUZK_NEW(&work->parts, many ? that->partitions : 1, "jobs", err));
    work->part_count = many ? that->partitions : 1;
    for (size_t k = 0; k < work->part_count; k++) {
        struct part *part = &work->parts[k];

        part->job = *job;
        part->job.request_id = work->request_id;
        part->job.priority = work->wanted->priority;
        part->partitions = many ? 1 : that->partitions;
        if (many) {
            const size_t begin = k * config.shape.sectors, left = job->in_count - begin;

            part->job.in = work->in + begin;
            part->job.in_count = left < config.shape.sectors ? left : config.shape.sectors;
            part->job.partition_index = (struct cuzk_option_number){true, k};
        }
    }
    return CUZK_OK;
}

/* ---- the daemon ---- */

/* Sending is not cut short: a request that was cut may have become a job whose name nobody knows. */
static enum cuzk_status submit(struct cli_session *session, struct work *work, struct part *part,
                               struct cuzk_error *err)
{
    bool (*const cancelled)(void *) = session->progress.cancelled;
    uint32_t position;

    if (is_standard_input(part->job.c1) || is_standard_input(part->job.request))
        (void)lseek(STDIN_FILENO, 0, SEEK_SET);
    session->progress.cancelled = NULL;
    const enum cuzk_status status =
        cli_remote_submit(session, work->client, &part->job, part->id, sizeof part->id, &position, err);

    session->progress.cancelled = cancelled;
    part->running = status == CUZK_OK;
    if (part->running)
        cli_session_note(session, "job %s: accepted, %" PRIu32 " before it", part->id, position);
    return status;
}

static enum cuzk_status await(struct cli_session *session, struct work *work, struct part *part,
                              struct cuzk_error *err)
{
    const size_t expected = (size_t)part->partitions * CUZK_PROOF_BYTES;

    CUZK_TRY(cli_remote_await(session, work->client, part->id, 0, &part->result, err));
    part->running = false;
    CUZK_TRY(cli_remote_judge(part->result, err));
    if (part->result->proof.len != expected)
        return cuzk_error_set(
            err, CUZK_INPUT, "job %s: proof: expected %zu bytes for %u partition%s, found %zu", part->id,
            expected, part->partitions, part->partitions == 1 ? "" : "s", part->result->proof.len);
    memcpy(work->proof + work->proof_bytes, part->result->proof.data, expected);
    work->proof_bytes += expected;
    return CUZK_OK;
}

/* What the daemon still has. */
static void cancel_rest(struct cli_session *session, const struct work *work)
{
    for (size_t k = 0; k < work->part_count; k++) {
        const struct part *part = &work->parts[k];
        struct cuzk_error error;

        if (!part->running)
            continue;
        if (cli_remote_cancel(work->client, part->id, &error) == CUZK_OK)
            cli_session_note(session, "job %s: cancelled", part->id);
        else
            cuzk_log_line(&session->log, CUZK_LOG_WARNING, "job %s: not cancelled: %s", part->id,
                          error.message);
    }
}

static enum cuzk_status ask(struct cli_session *session, struct work *work, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    for (size_t k = 0; k < work->part_count && status == CUZK_OK; k++)
        status = submit(session, work, &work->parts[k], err);
    for (size_t k = 0; k < work->part_count && status == CUZK_OK; k++)
        status = await(session, work, &work->parts[k], err);
    if (status == CUZK_OK)
        return CUZK_OK;
    const bool stopped = cuzk_progress_check(&session->progress, NULL) != CUZK_OK;

    if (stopped)
        session->hint[0] = '\0';
    cancel_rest(session, work);
    return stopped ? cuzk_error_set(err, CUZK_CANCELLED, "stopped: the daemon's job is cancelled") : status;
}

/* Devices as the daemon names them, and where it listens. */
static enum cuzk_status name_devices(struct cli_session *session, const struct work *work, char *text,
                                     size_t room, struct cuzk_error *err)
{
    Cuzk__V1__GetStatusRequest request = CUZK__V1__GET_STATUS_REQUEST__INIT;
    ProtobufCMessage *message;
    size_t used = 0;

    text[0] = '\0';
    CUZK_TRY(cli_remote_call(session, work->client, "GetStatus", &request.base,
                             &cuzk__v1__get_status_response__descriptor, &message, err));
    const Cuzk__V1__GetStatusResponse *status = (const Cuzk__V1__GetStatusResponse *)message;

    for (size_t i = 0; i < status->n_gpus && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i > 0 ? ", " : "", status->gpus[i]->name);
    cuzk_message_free(message);
    return CUZK_OK;
}

/* ---- here ---- */

static enum cuzk_status prepare(struct cli_session *session, struct work *work, struct cuzk_error *err)
{
    const struct cuzk_case *that = work->wanted->that;
    struct cuzk_random source;
    uint8_t random[REQUEST_ID_BYTES];

    CUZK_TRY(cli_vk_find(session, work->wanted->params_dir, &that->circuit, &work->vk, err));
    CUZK_TRY(cuzk_prepared_vk_create(session->pool, &work->vk, &work->prepared, err));
    CUZK_TRY(CUZK_NEW(&work->inputs, that->partitions, "public inputs", err));
    for (unsigned k = 0; k < that->partitions; k++)
        work->inputs[k] = (struct cuzk_public_inputs){that->ops->inputs(that, k), that->inputs};
    CUZK_TRY(CUZK_NEW(&work->proof, (size_t)that->partitions * CUZK_PROOF_BYTES, "proof", err));
    cuzk_random_init_system(&source);
    CUZK_TRY(cuzk_random_bytes(&source, random, sizeof random, err));
    const int n = snprintf(work->request_id, sizeof work->request_id, "prove-");

    cuzk_hex_encode(random, sizeof random, work->request_id + n);
    return split(work, err);
}

static enum cuzk_status verify(struct cli_session *session, struct work *work, struct cuzk_error *err)
{
    const size_t n = work->wanted->that->partitions;
    const uint64_t begin = cuzk_clock_ns();
    const enum cuzk_status status = cuzk_verify_many(session->pool, work->prepared, work->inputs, n,
                                                     work->proof, work->proof_bytes, n, err);

    work->verify_ns = cuzk_clock_ns() - begin;
    if (status != CUZK_INVALID && status != CUZK_INPUT)
        return status;
    cli_session_hint(session, "does the daemon use the same parameter files as --params-dir here?");
    return cuzk_error_prefix(err, CUZK_INVALID,
                             "what the daemon answered does not verify, nothing is written");
}

static uint64_t from_us(uint64_t us)
{
    return us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000;
}

/* A partition as the daemon tells it; one that does not is left open. */
static void write_partition(struct cuzk_json_writer *json, unsigned index, const struct part *part,
                            unsigned number)
{
    const Cuzk__V1__AwaitProofResponse *result = part->result;

    if (result->n_partitions != part->partitions) {
        cli_partition_write(json, index, part->id, NULL);
        return;
    }
    const Cuzk__V1__PartitionTimes *told = result->partitions[number];
    const struct cuzk_partition_times times = {
        .witness_ns = from_us(told->witness_us),
        .queue_ns = from_us(told->queue_us),
        .prove = {.backend = {.upload = from_us(told->upload_us),
                              .eval = from_us(told->eval_us),
                              .quotient = from_us(told->ntt_us),
                              .msm = {[CUZK_QUERY_H] = from_us(told->msm_h_us),
                                      [CUZK_QUERY_L] = from_us(told->msm_l_us),
                                      [CUZK_QUERY_A] = from_us(told->msm_a_us),
                                      [CUZK_QUERY_B_G1] = from_us(told->msm_b1_us),
                                      [CUZK_QUERY_B_G2] = from_us(told->msm_b2_us)}},
                  .finish = from_us(told->finish_us),
                  .total =
                      told->total_us > told->witness_us ? from_us(told->total_us - told->witness_us) : 0},
    };

    cli_partition_write(json, index, part->id, &times);
}

static void write_job(struct cuzk_json_writer *json, const struct part *part)
{
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "job_id", part->id);
    cuzk_json_write_member_u64(json, "partitions", part->partitions);
    cuzk_json_write_member_u64(json, "queue_wait_ms", part->result->queue_wait_ms);
    cuzk_json_write_member_u64(json, "srs_load_ms", part->result->srs_load_ms);
    cuzk_json_write_member_u64(json, "synthesis_ms", part->result->synthesis_ms);
    cuzk_json_write_member_u64(json, "gpu_compute_ms", part->result->gpu_compute_ms);
    cuzk_json_write_member_u64(json, "total_ms", part->result->total_ms);
    cuzk_json_write_object_end(json);
}

static enum cuzk_status report_json(struct cli_session *session, const struct work *work, const char *circuit,
                                    const char *devices, enum cuzk_parameter_origin origin,
                                    struct cuzk_error *err)
{
    struct cuzk_json_writer *json = cli_session_answer_begin(session);
    uint64_t load_ms = 0;
    unsigned index = 0;

    for (size_t k = 0; k < work->part_count; k++)
        load_ms += work->parts[k].result->srs_load_ms;
    cuzk_json_write_member_string(json, "kind", work->wanted->job->kind);
    cuzk_json_write_member_string(json, "circuit", circuit);
    cuzk_json_write_member_string(json, "backend", "remote");
    cuzk_json_write_member_string(json, "device", devices);
    cuzk_json_write_member_u64(json, "threads", cuzk_pool_threads(session->pool));
    cuzk_json_write_member_string(json, "parameters", cli_parameters_origin_name(origin));
    cuzk_json_write_key(json, "partitions");
    cuzk_json_write_array_begin(json);
    for (size_t k = 0; k < work->part_count; k++)
        for (unsigned i = 0; i < work->parts[k].partitions; i++)
            write_partition(json, index++, &work->parts[k], i);
    cuzk_json_write_array_end(json);
    cuzk_json_write_key(json, "jobs");
    cuzk_json_write_array_begin(json);
    for (size_t k = 0; k < work->part_count; k++)
        write_job(json, &work->parts[k]);
    cuzk_json_write_array_end(json);
    cuzk_json_write_member_double(json, "total_ms", (double)work->total_ns / 1e6, 3);
    cuzk_json_write_member_u64(json, "setup_ms", load_ms);
    cuzk_json_write_member_double(json, "verify_ms", (double)work->verify_ns / 1e6, 3);
    cuzk_json_write_member_double(json, "cpu_ms", (double)cuzk_clock_cpu_ns() / 1e6, 1);
    cuzk_json_write_member_u64(json, "peak_rss_bytes", cuzk_machine_peak_resident());
    cuzk_json_write_member_u64(json, "peak_allocated_bytes", cuzk_mem_peak());
    cuzk_json_write_member_string(json, "peak_vram_bytes", NULL);
    cuzk_json_write_member_u64(json, "proof_bytes", work->proof_bytes);
    cuzk_json_write_member_bool(json, "verified", true);
    cuzk_json_write_member_hex(json, "proof_hex", work->proof, work->proof_bytes);
    cuzk_machine_write(json);
    return cli_session_answer_end(session, err);
}

static enum cuzk_status report(struct cli_session *session, const struct work *work, struct cuzk_error *err)
{
    const struct cuzk_case *that = work->wanted->that;
    const char *out = work->wanted->out;
    enum cuzk_parameter_origin origin = CUZK_PARAMETERS_OTHER;
    char circuit[CUZK_CIRCUIT_NAME], devices[512];

    cuzk_circuit_id_format(&that->circuit, circuit);
    CUZK_TRY(name_devices(session, work, devices, sizeof devices, err));
    const enum cuzk_status judged =
        cli_parameters_judge(session, work->wanted->params_dir, &that->circuit, &origin, err);

    if (judged != CUZK_OK && judged != CUZK_NOT_FOUND) /* the verifying key alone is enough here */
        return judged;
    if (session->json)
        return report_json(session, work, circuit, devices, origin, err);
    if (out == NULL)
        return cli_proof_say(session, work->proof, work->proof_bytes, err);
    cli_session_note(session, "proved and verified %s: %u partition%s, %zu bytes, %.2f s, by %s", circuit,
                     that->partitions, that->partitions == 1 ? "" : "s", work->proof_bytes,
                     (double)work->total_ns / 1e9, devices);
    if (strcmp(out, "-") != 0)
        cli_session_say(session, "%s", out);
    return CUZK_OK;
}

static enum cuzk_status run(struct cli_session *session, struct work *work, struct cuzk_error *err)
{
    CUZK_TRY(prepare(session, work, err));
    CUZK_TRY(cli_remote_open(work->wanted->daemon, &work->client, err));
    CUZK_TRY(ask(session, work, err));
    CUZK_TRY(verify(session, work, err));
    work->total_ns = cuzk_clock_ns() - session->started_ns;
    if (work->wanted->out != NULL)
        CUZK_TRY(cuzk_file_write(work->wanted->out, true, work->proof, work->proof_bytes, err));
    return report(session, work, err);
}

enum cuzk_status cli_remote_prove(struct cli_session *session, const struct cli_remote_proof *wanted,
                                  struct cuzk_error *err)
{
    struct work work = {.wanted = wanted};
    const enum cuzk_status status = run(session, &work, err);

    for (size_t k = 0; k < work.part_count; k++)
        cuzk_message_free(work.parts[k].result != NULL ? &work.parts[k].result->base : NULL);
    cuzk_client_close(work.client);
    cuzk_prepared_vk_destroy(work.prepared);
    cuzk_vk_destroy(&work.vk);
    cuzk_mem_free(work.inputs);
    cuzk_mem_free(work.parts);
    cuzk_mem_free((void *)work.in);
    cuzk_mem_free(work.proof);
    return status;
}
