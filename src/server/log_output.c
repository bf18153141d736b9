#include "server/log_output.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine.h"

enum { LINE_ROOM = 8192, RECENT = 256, TAIL_ROOM = 8, ESCAPE_MOST = 6 };

struct recent {
    uint64_t hash, written_ns, left_out;
};

struct cuzk_log_output {
    struct cuzk_log log;
    struct cuzk_log_output_options options;
    pthread_mutex_t lock; /* guards options and recent */
    struct recent recent[RECENT];
};

/* ---- a line ---- */

struct line {
    char *text;
    size_t used, room;
};

static void put(struct line *line, const char *bytes, size_t n)
{
    if (line->room - line->used <= n + TAIL_ROOM)
        line->room = line->used + TAIL_ROOM; /* nothing after what was left out */
    else {
        memcpy(line->text + line->used, bytes, n);
        line->used += n;
    }
}

/* Bytes of a whole UTF-8 sequence at text (RFC 3629: shortest form, no surrogates); 0 where there is none. */
static size_t sequence(const unsigned char *text)
{
    const unsigned char a = text[0];
    const size_t n = a < 0x80                ? 1
                     : a >= 0xc2 && a < 0xe0 ? 2
                     : a >= 0xe0 && a < 0xf0 ? 3
                     : a >= 0xf0 && a < 0xf5 ? 4
                                             : 0;

    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80) /* the end of the text is no such byte */
            return 0;
    if ((a == 0xe0 && text[1] < 0xa0) || (a == 0xed && text[1] >= 0xa0) || (a == 0xf0 && text[1] < 0x90) ||
        (a == 0xf4 && text[1] >= 0x90))
        return 0;
    return n;
}

/* The inside of a quoted string; JSON and logfmt agree on it. */
static void put_escaped(struct line *line, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        const size_t n = sequence(at);
        const bool control =
            (n == 1 && (*at < 0x20 || *at == 0x7f)) || (n == 2 && *at == 0xc2 && at[1] < 0xa0);
        char escaped[8];

        if (n == 0) {
            put(line, "\\ufffd", ESCAPE_MOST);
            at++;
            continue;
        }
        if (*at == '"' || *at == '\\') {
            escaped[0] = '\\';
            escaped[1] = (char)*at;
            put(line, escaped, 2);
        } else if (*at == '\n') {
            put(line, "\\n", 2);
        } else if (*at == '\t') {
            put(line, "\\t", 2);
        } else if (control) {
            snprintf(escaped, sizeof escaped, "\\u%04x", n == 1 ? *at : at[1]);
            put(line, escaped, ESCAPE_MOST);
        } else {
            put(line, (const char *)at, n);
        }
        at += n;
    }
}

static void put_text(struct line *line, const char *text)
{
    put(line, text, strlen(text));
}

static void put_time(struct line *line, uint64_t unix_ns)
{
    const time_t seconds = (time_t)(unix_ns / 1000000000);
    char text[40];
    struct tm parts;

    gmtime_r(&seconds, &parts);
    const size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);

    snprintf(text + n, sizeof text - n, ".%03uZ", (unsigned)(unix_ns / CUZK_NS_PER_MS % 1000));
    put_text(line, text);
}

size_t cuzk_log_output_format(const struct cuzk_log_output_options *options, enum cuzk_log_level level,
                              const char *message, const char *job, uint64_t repeated, uint64_t unix_ns,
                              char *text, size_t room)
{
    static const char *const priorities[] = {"<3>", "<4>", "<6>", "<7>"};
    const bool json = options->format == CUZK_LOG_JSON;
    struct line line = {text, 0, room};
    char count[32];

    if (options->journal)
        put_text(&line, priorities[level <= CUZK_LOG_DEBUG ? level : CUZK_LOG_DEBUG]);
    put_text(&line, json ? "{" : "");
    if (!options->journal) {
        put_text(&line, json ? "\"time\":\"" : "time=");
        put_time(&line, unix_ns);
        put_text(&line, json ? "\"," : " ");
    }
    put_text(&line, json ? "\"level\":\"" : "level=");
    put_text(&line, cuzk_log_level_name(level));
    put_text(&line, json ? "\"" : "");
    if (job != NULL) {
        put_text(&line, json ? ",\"job\":\"" : " job=");
        put_text(&line, job);
        put_text(&line, json ? "\"" : "");
    }
    if (repeated > 0) {
        snprintf(count, sizeof count, json ? ",\"left_out\":%" PRIu64 : " left_out=%" PRIu64, repeated);
        put_text(&line, count);
    }
    put_text(&line, json ? ",\"message\":\"" : " msg=\"");
    put_escaped(&line, message);
    memcpy(text + line.used, json ? "\"}\n" : "\"\n", json ? 3 : 2);
    line.used += json ? 3 : 2;
    return line.used;
}

/* ---- repeated lines ---- */

/* "job " and 16 hex digits in a message; false where there is none. */
static bool find_job(const char *message, char job[CUZK_JOB_ID_TEXT])
{
    for (const char *at = message; (at = strstr(at, "job ")) != NULL; at += 4)
        if (strspn(at + 4, "0123456789abcdef") == 16) {
            snprintf(job, CUZK_JOB_ID_TEXT, "%.16s", at + 4);
            return true;
        }
    return false;
}

/* FNV-1a over level, job and message without its digits. */
static uint64_t likeness(enum cuzk_log_level level, const char *message, const char *job)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ level;

    for (const char *at = job; at != NULL && *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    for (const char *at = message; *at != '\0'; at++)
        if (*at < '0' || *at > '9')
            hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return hash;
}

/* Whether a line is to be written, and how many like it were not. Under the lock. */
static bool is_due(struct cuzk_log_output *output, enum cuzk_log_level level, uint64_t hash, uint64_t now,
                   uint64_t *left_out)
{
    struct recent *recent = &output->recent[hash % RECENT];

    *left_out = 0;
    if (output->options.repeat_ms == 0 || level == CUZK_LOG_DEBUG)
        return true;
    if (recent->hash == hash && recent->written_ns != 0 &&
        now - recent->written_ns < output->options.repeat_ms * CUZK_NS_PER_MS) {
        recent->left_out++;
        return false;
    }
    if (recent->hash == hash)
        *left_out = recent->left_out;
    *recent = (struct recent){hash, now, 0};
    return true;
}

static void write_whole(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t n = write(descriptor, text, length);

        if (n <= 0)
            return; /* there is nobody to tell */
        text += n;
        length -= (size_t)n;
    }
}

static void take_line(void *context, enum cuzk_log_level level, const char *message)
{
    struct cuzk_log_output *output = context;
    char text[LINE_ROOM], job[CUZK_JOB_ID_TEXT];
    const bool has_job = find_job(message, job);
    const uint64_t hash = likeness(level, message, has_job ? job : NULL);
    struct cuzk_log_output_options options;
    struct timespec now;
    uint64_t left_out = 0;

    pthread_mutex_lock(&output->lock);
    options = output->options;
    const bool due = level <= options.level && is_due(output, level, hash, cuzk_clock_ns(), &left_out);
    pthread_mutex_unlock(&output->lock);
    if (!due)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    const size_t n =
        cuzk_log_output_format(&options, level, message, has_job ? job : NULL, left_out,
                               (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, text, sizeof text);

    write_whole(options.descriptor, text, n);
}

/* ---- the output ---- */

enum cuzk_status cuzk_log_output_create(const struct cuzk_log_output_options *options,
                                        struct cuzk_log_output **out, struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(out, 1, "log", err));
    struct cuzk_log_output *output = *out;

    output->options = *options;
    output->log = (struct cuzk_log){options->level, take_line, output};
    pthread_mutex_init(&output->lock, NULL);
    return CUZK_OK;
}

void cuzk_log_output_destroy(struct cuzk_log_output *output)
{
    if (output == NULL)
        return;
    pthread_mutex_destroy(&output->lock);
    cuzk_mem_free(output);
}

const struct cuzk_log *cuzk_log_output_log(struct cuzk_log_output *output)
{
    return &output->log;
}

void cuzk_log_output_change(struct cuzk_log_output *output, const struct cuzk_log_output_options *options)
{
    cuzk_log_set_level(&output->log, options->level);
    pthread_mutex_lock(&output->lock);
    output->options.level = options->level;
    output->options.format = options->format;
    output->options.repeat_ms = options->repeat_ms;
    pthread_mutex_unlock(&output->lock);
}

void cuzk_log_output_of_config(const struct cuzk_config_values *values, struct cuzk_log_output_options *out)
{
    *out = (struct cuzk_log_output_options){.level = CUZK_LOG_INFO, .descriptor = STDERR_FILENO};
    for (unsigned level = CUZK_LOG_ERROR; level <= CUZK_LOG_DEBUG; level++)
        if (strcmp(values->log_level, cuzk_log_level_name((enum cuzk_log_level)level)) == 0)
            out->level = (enum cuzk_log_level)level;
    out->format = strcmp(values->log_format, "json") == 0 ? CUZK_LOG_JSON : CUZK_LOG_LOGFMT;
    out->journal = strcmp(values->log_to, "journald") == 0 ||
                   (strcmp(values->log_to, "auto") == 0 && getenv("JOURNAL_STREAM") != NULL);
    out->repeat_ms = values->log_repeat.value;
}
