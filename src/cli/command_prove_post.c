#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/case_prover.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "engine/post_case.h"
#include "engine/post_public.h"

enum { VANILLA_BYTES_MOST = 1 << 22 };

struct prove_options {
    struct cli_common common;
    struct cli_prove_options prove;
    const char *request;
    struct cuzk_option_list in;
};

struct work {
    struct cuzk_file_map request;
    struct cuzk_post_public public_side;
    struct cuzk_file_map *files;      /* [count] */
    struct cuzk_post_source *sources; /* [count] */
    size_t count;
};

static enum cuzk_status map_files(const struct cli_job *job, struct work *work, struct cuzk_error *err)
{
    if (job->in_count == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--in: expected a vanilla proof for each sector");
    CUZK_TRY(CUZK_NEW(&work->files, job->in_count, "vanilla proof files", err));
    CUZK_TRY(CUZK_NEW(&work->sources, job->in_count, "vanilla proof files", err));
    for (; work->count < job->in_count; work->count++) {
        const size_t i = work->count;

        CUZK_TRY(cuzk_file_map_open(job->in[i], "vanilla proof", VANILLA_BYTES_MOST, &work->files[i], err));
        work->sources[i] = (struct cuzk_post_source){work->files[i].path, work->files[i].bytes,
                                                     (size_t)work->files[i].length};
    }
    return CUZK_OK;
}

/* The request says what is proved, the files must be of just that. */
static enum cuzk_status load(struct cli_session *session, const struct cli_job *job, struct work *work,
                             struct cuzk_timeline *timeline, struct cuzk_case **out, struct cuzk_error *err)
{
    struct cuzk_post_public *public_side = &work->public_side;
    uint64_t begin = cuzk_clock_ns();

    CUZK_TRY(map_files(job, work, err));
    CUZK_TRY(cuzk_file_map_open(job->request, "request", CUZK_POST_PUBLIC_BYTES_MOST, &work->request, err));
    CUZK_TRY(cuzk_post_public_decode(work->request.path, work->request.bytes, (size_t)work->request.length,
                                     strcmp(job->kind, "winning") == 0, public_side, err));
    struct cuzk_post_wanted wanted = {.config = public_side->config,
                                      .one_partition = public_side->one_partition,
                                      .partition = public_side->partition,
                                      .sources = work->sources,
                                      .count = work->count};

    cuzk_post_randomness(public_side->randomness, wanted.randomness);
    CUZK_TRY(cuzk_post_case_open(&wanted, out, err));
    const enum cuzk_status status = cuzk_post_public_compare(public_side, *out, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "%s", work->request.path);
    cuzk_timeline_add(timeline, "host", "decode vanilla", CUZK_TIMELINE_NO_PARTITION, begin);
    begin = cuzk_clock_ns();
    CUZK_TRY((*out)->ops->check(*out, session->pool, err));
    cuzk_timeline_add(timeline, "host", "check vanilla", CUZK_TIMELINE_NO_PARTITION, begin);
    return CUZK_OK;
}

static enum cuzk_status open_case(struct cli_session *session, const void *context,
                                  struct cuzk_timeline *timeline, struct cuzk_case **out,
                                  struct cuzk_error *err)
{
    struct work work = {0};
    const enum cuzk_status status = load(session, context, &work, timeline, out, err);

    for (size_t i = 0; i < work.count; i++)
        cuzk_file_map_close(&work.files[i]);
    cuzk_mem_free(work.files);
    cuzk_mem_free(work.sources);
    cuzk_post_public_destroy(&work.public_side);
    cuzk_file_map_close(&work.request);
    return status;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct prove_options *given = values;
    const char *kind = session->command == &cli_prove_winning ? "winning" : "wpost";
    struct cli_job job = {.kind = kind, .request = given->request};
    const struct cli_case_source source = {
        .kind = kind, .name = given->request, .open = open_case, .given = &job, .job = &job};
    const char **in;

    CUZK_TRY(CUZK_NEW(&in, given->in.count + count, "names of files", err));
    for (size_t i = 0; i < given->in.count; i++)
        in[job.in_count++] = given->in.items[i];
    for (size_t i = 0; i < count; i++)
        in[job.in_count++] = arguments[i];
    job.in = in;
    const enum cuzk_status status = cli_case_prove(session, &given->prove, &source, err);

    cuzk_mem_free((void *)in);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "request",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct prove_options, request),
     .placeholder = "FILE",
     .required = true,
     .help = "JSON with sector_size, registered_proof (or api_version), randomness and sectors (sector_id, "
             "comm_r); partition_index where one partition alone is proved"},
    {.name = "in",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct prove_options, in),
     .placeholder = "FILE",
     .help = "a sector's vanilla proof, in any order; further files may follow as arguments"},
    CLI_PROVE_OPTIONS(struct prove_options, prove),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_prove_winning = {
    .name = "prove winning",
    .arguments = "[FILE...]",
    .summary = "prove that the sector drawn for a block is there",
    .text = "Checks the vanilla proof of the sector that was drawn against randomness and comm_r, makes the "
            "Groth16 proof and verifies it.",
    .example = "cuzk prove winning --request post.json --in vanilla-42.bin --params-dir test-params",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct prove_options),
    .most = CLI_POSITIONAL_ROOM,
    .run = run,
};

const struct cli_command cli_prove_wpost = {
    .name = "prove wpost",
    .arguments = "[FILE...]",
    .summary = "prove that a deadline's sectors are there",
    .text =
        "Checks every sector's vanilla proof against randomness and comm_r, fills the last partition with "
        "its last sector as the chain does, makes a Groth16 proof of each partition and verifies it.",
    .example = "cuzk prove wpost --request post.json --params-dir test-params --out proof.bin --in "
               "vanilla-1.bin vanilla-2.bin",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct prove_options),
    .most = CLI_POSITIONAL_ROOM,
    .run = run,
};
