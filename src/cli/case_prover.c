#include "cli/case_prover.h"

#include "cli/knob_options.h"
#include "cli/local_prove.h"
#include "cli/output.h"
#ifdef CUZK_HAVE_SERVER
#include "cli/remote_prove.h"

static enum cuzk_status prove_remote(struct cli_session *session, const struct cli_prove_options *given,
                                     const struct cli_case_source *source, const struct cuzk_case *that,
                                     struct cuzk_error *err)
{
    const struct cli_remote_proof wanted = {.job = source->job,
                                            .that = that,
                                            .daemon = &given->daemon,
                                            .params_dir = given->params_dir,
                                            .out = given->out,
                                            .priority = given->priority};

    return cli_remote_prove(session, &wanted, err);
}

/* What belongs to the one who does not prove would be ignored: it is refused. */
static enum cuzk_status check_who_proves(const struct cli_session *session, bool remote,
                                         struct cuzk_error *err)
{
    static const char *const own[] = {"backend", "preset", "set", "host-mem", "vram-limit"};
    static const char *const daemons[] = {"priority", "addr", "tls-certificate", "tls-key", "tls-ca"};

    for (size_t i = 0; remote && i < sizeof own / sizeof own[0]; i++)
        if (cli_session_typed(session, own[i]))
            return cuzk_error_set(err, CUZK_ARGUMENT,
                                  "--%s: with --remote devices, memory and pipeline are the daemon's",
                                  own[i]);
    for (size_t i = 0; !remote && i < sizeof daemons / sizeof daemons[0]; i++)
        if (cli_session_typed(session, daemons[i]))
            return cuzk_error_set(err, CUZK_ARGUMENT, "--%s: says nothing without --remote", daemons[i]);
    return CUZK_OK;
}
#endif

enum cuzk_status cli_case_prove(struct cli_session *session, const struct cli_prove_options *given,
                                const struct cli_case_source *source, struct cuzk_error *err)
{
    struct cli_local_proof target = {.kind = source->kind,
                                     .name = source->name,
                                     .params_dir = given->params_dir,
                                     .backend = given->backend,
                                     .vram_limit = given->vram_limit.value,
                                     .out = given->out,
                                     .timeline = given->timeline,
                                     .preset = cli_pipeline_preset(&given->pipeline),
                                     .host_mem = given->pipeline.host_mem.value,
                                     .threads = (unsigned)given->threads.value};
    enum cuzk_status status = CUZK_OK;
    struct cuzk_timeline *timeline;
    struct cuzk_case *that = NULL;

#ifdef CUZK_HAVE_SERVER
    CUZK_TRY(check_who_proves(session, given->remote, err));
#endif
    /* before anything is read */
    CUZK_TRY(cli_knobs_make(given->pipeline.preset, "set", &given->pipeline.set, &target.knobs, err));
    CUZK_TRY(cli_output_check("out", given->out, true, session->json, err));
    CUZK_TRY(cli_output_check("timeline", given->timeline, true, session->json, err));
#ifdef CUZK_HAVE_SERVER
    if (given->remote)
        CUZK_TRY(cli_remote_prove_check(source->job, given->timeline, err));
#endif
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(cuzk_timeline_create(&timeline, err));
    CUZK_TRY_OUT(source->open(session, source->given, timeline, &that, err));
#ifdef CUZK_HAVE_SERVER
    if (given->remote) {
        status = prove_remote(session, given, source, that, err);
        goto out;
    }
#endif
    CUZK_TRY_OUT(cli_local_prove(session, &target, that, timeline, err));
out:
    cuzk_case_close(that);
    cuzk_timeline_destroy(timeline);
    return status;
}
