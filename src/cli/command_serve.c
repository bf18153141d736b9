/* cuzk serve: the daemon, from its first line to its last signal. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_guard.h"
#include "base/mem.h"
#include "cli/command.h"
#include "server/daemon.h"
#include "server/notify.h"
#include "server/reload.h"

struct serve_options {
    struct cli_common common;
    const char *config;
    struct cuzk_option_number grace;
    struct cuzk_option_given given;
};

enum { TICK_MS = 250, ANSWERS_MS = 2000 };

struct serving {
    struct cuzk_config *config;
    struct cuzk_log_output *output;
    const struct cuzk_log *log;
    struct cuzk_daemon *daemon;
    struct cuzk_notify *notify;
    int signals, drained;
    bool ready, draining;
    uint64_t give_up_ns; /* draining: jobs are stopped then */
};

/* A connection is a descriptor, and there may be many thousands. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Signals come through a descriptor, to this thread alone: threads that are made from here on inherit the
 * mask. */
static enum cuzk_status take_signals(struct serving *serving, struct cuzk_error *err)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    serving->signals = signalfd(-1, &set, SFD_CLOEXEC);
    serving->drained = eventfd(0, EFD_CLOEXEC);
    if (serving->signals < 0 || serving->drained < 0)
        return cuzk_error_set(err, CUZK_IO, "signals: %s", strerror(errno));
    return CUZK_OK;
}

static void on_drained(void *context)
{
    const struct serving *serving = context;
    const uint64_t one = 1;

    (void)!write(serving->drained, &one, sizeof one);
}

static void say_ready(struct serving *serving)
{
    const char *address;

    serving->ready = true;
    for (size_t i = 0; (address = cuzk_daemon_address(serving->daemon, i)) != NULL; i++)
        cuzk_log_line(serving->log, CUZK_LOG_INFO, "ready: serving on %s", address);
}

static void reload(struct serving *serving, const struct serve_options *given)
{
    struct cuzk_error error = {0};

    if (cuzk_reload(given->config, &given->given, serving->config, serving->daemon, serving->output,
                    &error) != CUZK_OK)
        cuzk_log_line(serving->log, CUZK_LOG_ERROR, "reload: nothing was changed: %s", error.message);
}

/* False: it is time to go. */
static bool take_signal(struct serving *serving, const struct serve_options *given)
{
    struct signalfd_siginfo info;

    if (read(serving->signals, &info, sizeof info) != (ssize_t)sizeof info)
        return true;
    if (info.ssi_signo == SIGHUP) {
        reload(serving, given);
        return true;
    }
    if (serving->draining) {
        cuzk_log_line(serving->log, CUZK_LOG_INFO, "a second signal: jobs stop, the journal keeps them");
        return false;
    }
    serving->draining = true;
    serving->give_up_ns = cuzk_clock_ns() + given->grace.value * CUZK_NS_PER_MS;
    cuzk_log_line(serving->log, CUZK_LOG_INFO,
                  "draining: no new jobs; those that are accepted have %llu s, a second signal stops them",
                  (unsigned long long)(given->grace.value / 1000));
    cuzk_daemon_drain(serving->daemon, on_drained, serving);
    return true;
}

static enum cuzk_status serve(struct serving *serving, const struct serve_options *given,
                              struct cuzk_error *err)
{
    struct pollfd sources[] = {{.fd = serving->signals, .events = POLLIN},
                               {.fd = serving->drained, .events = POLLIN}};

    for (;;) {
        /* once it is ready, and until it drains, only signals matter */
        const int wait = serving->ready && !serving->draining ? -1 : TICK_MS;

        if (poll(sources, 2, wait) < 0 && errno != EINTR)
            return cuzk_error_set(err, CUZK_IO, "waiting for signals: %s", strerror(errno));
        if ((sources[0].revents & POLLIN) != 0 && !take_signal(serving, given))
            return CUZK_OK;
        if ((sources[1].revents & POLLIN) != 0) {
            cuzk_log_line(serving->log, CUZK_LOG_INFO, "drained: every job has ended");
            return CUZK_OK;
        }
        if (!serving->ready && cuzk_engine_ready(cuzk_daemon_engine(serving->daemon)))
            say_ready(serving);
        if (serving->draining && cuzk_clock_ns() >= serving->give_up_ns) {
            cuzk_log_line(serving->log, CUZK_LOG_WARNING,
                          "the grace is over: jobs stop, the journal keeps them");
            return CUZK_OK;
        }
    }
}

/* --verbose and --quiet have the last word on the level. */
static enum cuzk_status open_log(struct serving *serving, const struct serve_options *given,
                                 struct cuzk_error *err)
{
    struct cuzk_log_output_options options;

    cuzk_log_output_of_config(&serving->config->values, &options);
    if (given->common.verbose)
        options.level = CUZK_LOG_DEBUG;
    if (given->common.quiet)
        options.level = CUZK_LOG_WARNING;
    CUZK_TRY(cuzk_log_output_create(&options, &serving->output, err));
    serving->log = cuzk_log_output_log(serving->output);
    return CUZK_OK;
}

static enum cuzk_status own_program(char *path, size_t room, struct cuzk_error *err)
{
    const ssize_t n = readlink("/proc/self/exe", path, room - 1);

    if (n < 0)
        return cuzk_error_set(err, CUZK_IO, "/proc/self/exe: %s", strerror(errno));
    path[n] = '\0';
    return CUZK_OK;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct serve_options *given = values;
    enum cuzk_status status;
    struct serving serving = {.signals = -1, .drained = -1};
    char program[4096];

    (void)arguments;
    (void)count;
    cuzk_mem_share_arena();
    CUZK_TRY_OUT(cuzk_config_read(given->config, &given->given, &serving.config, err));
    CUZK_TRY_OUT(cuzk_config_check(serving.config, err));
    CUZK_TRY_OUT(own_program(program, sizeof program, err));
    CUZK_TRY_OUT(take_signals(&serving, err));
    raise_descriptor_limit();
    cuzk_file_guard_start(); /* every proof is verified before it leaves */
    CUZK_TRY_OUT(open_log(&serving, given, err));
    CUZK_TRY_OUT(cuzk_daemon_start(serving.config, program, serving.log, &serving.daemon, err));
    CUZK_TRY_OUT(cuzk_notify_create(cuzk_daemon_engine(serving.daemon), &serving.notify, err));
    CUZK_TRY_OUT(serve(&serving, given, err));
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL)
        cuzk_json_write_member_bool(json, "ended", true);
    status = cli_session_answer_end(session, err);
out:
    cuzk_notify_destroy(serving.notify);
    cuzk_daemon_stop(serving.daemon, ANSWERS_MS);
    cuzk_log_output_destroy(serving.output);
    cuzk_config_destroy(serving.config);
    if (serving.signals >= 0)
        close(serving.signals);
    if (serving.drained >= 0)
        close(serving.drained);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "config",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct serve_options, config),
     .placeholder = "FILE",
     .help = "the configuration file; $CUZK_CONFIG, else /etc/cuzk/cuzk.toml where it is there"},
    {.name = "grace",
     .type = CUZK_OPTION_DURATION,
     .offset = offsetof(struct serve_options, grace),
     .placeholder = "TIME",
     .fallback = "5m",
     .help = "how long accepted jobs may go on after SIGTERM"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_serve = {
    .name = "serve",
    .arguments = "",
    .summary = "the daemon: takes proofs over gRPC",
    .text = "Serves cuzk.v1.ProvingEngine on a unix socket, or where --listen says, until SIGTERM or SIGINT: "
            "it then "
            "takes no new jobs, ends those that it has accepted, and goes; a second signal stops them, and "
            "the next "
            "daemon takes them up from the journal. SIGHUP reads the configuration again.\n"
            "The options are those of `cuzk config show`; a file, the environment and flags set them.",
    .example = "cuzk serve --listen unix:/tmp/cuzk.sock --params-dir test-params --device cpu\n"
               "cuzk serve --config /etc/cuzk/cuzk.toml",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .config = cuzk_config_rows,
    .config_offset = offsetof(struct serve_options, given),
    .values_size = sizeof(struct serve_options),
    .run = run,
};
