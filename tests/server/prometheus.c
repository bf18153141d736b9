#include "server/prometheus.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 4096, NAME_ROOM = 256, SAMPLES_MOST = 8192 };

struct state {
    char *why;
    size_t room;
    unsigned line;
    char family[NAME_ROOM], type[32];
    bool has_help, has_type;
    char seen_families[64 * 1024]; /* "\nname\n" */
    char **samples;
    size_t sample_count;
    /* the histogram series being read: labels without le */
    char series[LINE_ROOM];
    double bound, below, infinite;
    bool in_series, has_infinite;
};

static bool fail(struct state *state, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(state->why, state->room, "line %u: %s", state->line, text);
    return false;
}

static size_t name_length(const char *text, bool colon)
{
    size_t n = 0;

    if (isdigit((unsigned char)text[0]))
        return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || (colon && text[n] == ':'))
        n++;
    return n;
}

static bool ends_in(const char *text, const char *end)
{
    return strlen(text) > strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static bool end_series(struct state *state)
{
    if (state->in_series && !state->has_infinite)
        return fail(state, "histogram series '%s' has no +Inf bucket", state->series);
    return true;
}

static bool begin_family(struct state *state, const char *name)
{
    char wanted[NAME_ROOM + 3];

    if (!end_series(state))
        return false;
    if (state->has_help && !state->has_type)
        return fail(state, "%s has HELP and no TYPE", state->family);
    snprintf(wanted, sizeof wanted, "\n%s\n", name);
    if (strstr(state->seen_families, wanted) != NULL)
        return fail(state, "family %s comes twice", name);
    strncat(state->seen_families, wanted, sizeof state->seen_families - strlen(state->seen_families) - 1);
    snprintf(state->family, sizeof state->family, "%s", name);
    state->has_help = true;
    state->has_type = false;
    state->in_series = false;
    return true;
}

static bool comment(struct state *state, const char *line)
{
    char name[NAME_ROOM], rest[LINE_ROOM];

    if (sscanf(line, "# HELP %255s %4095[^\n]", name, rest) == 2) {
        if (name_length(name, true) != strlen(name))
            return fail(state, "bad name %s", name);
        return begin_family(state, name);
    }
    if (sscanf(line, "# TYPE %255s %4095[^\n]", name, rest) == 2) {
        if (!state->has_help || state->has_type || strcmp(name, state->family) != 0)
            return fail(state, "TYPE of %s does not follow its HELP", name);
        if (strcmp(rest, "counter") != 0 && strcmp(rest, "gauge") != 0 && strcmp(rest, "histogram") != 0)
            return fail(state, "type %s", rest);
        if ((strcmp(rest, "counter") == 0) != ends_in(name, "_total"))
            return fail(state, "%s is a %s", name, rest);
        if (ends_in(name, "_count") || ends_in(name, "_sum") || ends_in(name, "_bucket"))
            return fail(state, "%s ends as a histogram's samples do", name);
        snprintf(state->type, sizeof state->type, "%.*s", (int)sizeof state->type - 1, rest);
        state->has_type = true;
        return true;
    }
    return fail(state, "neither HELP nor TYPE: %s", line);
}

/* Reads {a="b",...}; copies them without le to `series`, le's value to `bound`. */
static bool labels(struct state *state, const char **at, char *series, size_t room, char *bound)
{
    size_t used = 0;

    bound[0] = series[0] = '\0';
    if (**at != '{')
        return true;
    (*at)++;
    for (bool first = true; **at != '}'; first = false) {
        char value[LINE_ROOM];
        size_t n = 0;

        if (!first && *(*at)++ != ',')
            return fail(state, "labels are not separated by a comma");
        const char *name = *at;
        const size_t length = name_length(name, false);

        if (length == 0)
            return fail(state, "bad label name at %s", name);
        *at += length;
        if ((*at)[0] != '=' || (*at)[1] != '"')
            return fail(state, "label %.*s has no quoted value", (int)length, name);
        for (*at += 2; **at != '"' && n + 2 < sizeof value; (*at)++) {
            if (**at == '\\') {
                value[n++] = *(*at)++;
                if (**at != '\\' && **at != '"' && **at != 'n')
                    return fail(state, "bad escape in label %.*s", (int)length, name);
            }
            if (**at == '\0')
                return fail(state, "label %.*s does not end", (int)length, name);
            value[n++] = **at;
        }
        value[n] = '\0';
        if (**at != '"')
            return fail(state, "label %.*s does not end", (int)length, name);
        (*at)++;
        if (length == 2 && strncmp(name, "le", 2) == 0)
            snprintf(bound, 64, "%.63s", value);
        else
            used += (size_t)snprintf(series + used, room - used, "%.*s=%s,", (int)length, name, value);
        if (used >= room)
            return fail(state, "labels are too long");
    }
    (*at)++;
    return true;
}

static bool bucket(struct state *state, const char *series, const char *bound_text, double value)
{
    char *end;

    if (bound_text[0] == '\0')
        return fail(state, "a bucket without le");
    const double bound = strcmp(bound_text, "+Inf") == 0 ? INFINITY : strtod(bound_text, &end);

    if (!state->in_series || strcmp(series, state->series) != 0) {
        if (!end_series(state))
            return false;
        snprintf(state->series, sizeof state->series, "%s", series);
        state->in_series = true;
        state->bound = -INFINITY;
        state->below = 0;
        state->has_infinite = false;
    }
    if (!(bound > state->bound))
        return fail(state, "le %s does not ascend", bound_text);
    if (value < state->below)
        return fail(state, "bucket le %s holds less than the one below", bound_text);
    state->bound = bound;
    state->below = value;
    if (isinf(bound)) {
        state->has_infinite = true;
        state->infinite = value;
    }
    return true;
}

static bool sample(struct state *state, const char *line)
{
    char name[NAME_ROOM], series[LINE_ROOM], bound[64];
    const char *at = line;
    char *end;
    const size_t length = name_length(line, true);

    if (length == 0 || length >= sizeof name)
        return fail(state, "no metric name: %s", line);
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    at += length;
    if (!labels(state, &at, series, sizeof series, bound))
        return false;
    for (size_t i = 0; i < state->sample_count; i++)
        if (strncmp(state->samples[i], line, (size_t)(at - line)) == 0 &&
            state->samples[i][at - line] == '\0')
            return fail(state, "%s comes twice", state->samples[i]);
    if (state->sample_count == SAMPLES_MOST)
        return fail(state, "too many samples for this check");
    state->samples[state->sample_count++] = strndup(line, (size_t)(at - line));
    if (*at++ != ' ')
        return fail(state, "no single space before the value");
    const double value = strtod(at, &end);

    if (end == at || *end != '\0' || isspace((unsigned char)*at))
        return fail(state, "bad value '%s'", at);
    if (!state->has_type)
        return fail(state, "sample %s has no TYPE before it", name);
    if (strcmp(state->type, "histogram") != 0) {
        if (strcmp(name, state->family) != 0)
            return fail(state, "sample %s within family %s", name, state->family);
        if (strcmp(state->type, "counter") == 0 && !(value >= 0))
            return fail(state, "counter %s is %g", name, value);
        return true;
    }
    if (strncmp(name, state->family, strlen(state->family)) != 0)
        return fail(state, "sample %s within family %s", name, state->family);
    const char *suffix = name + strlen(state->family);

    if (strcmp(suffix, "_bucket") == 0)
        return bucket(state, series, bound, value);
    if (!state->in_series || strcmp(series, state->series) != 0)
        return fail(state, "%s without its buckets", name);
    if (strcmp(suffix, "_count") == 0 && value != state->infinite)
        return fail(state, "count %g, +Inf bucket %g", value, state->infinite);
    return strcmp(suffix, "_count") == 0 || strcmp(suffix, "_sum") == 0 ||
           fail(state, "sample %s within histogram %s", name, state->family);
}

bool prometheus_check(const char *text, char *why, size_t room)
{
    struct state *state = calloc(1, sizeof *state);
    bool good = true;

    state->why = why;
    state->room = room;
    state->samples = calloc(SAMPLES_MOST, sizeof *state->samples);
    why[0] = '\0';
    while (good && *text != '\0') {
        char line[LINE_ROOM];
        const char *end = strchr(text, '\n');

        state->line++;
        if (end == NULL) {
            good = fail(state, "the last line does not end");
        } else if ((size_t)(end - text) >= sizeof line) {
            good = fail(state, "line too long");
        } else {
            snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
            good = line[0] == '#' ? comment(state, line) : sample(state, line);
            text = end + 1;
        }
    }
    good = good && end_series(state);
    if (good && state->has_help && !state->has_type)
        good = fail(state, "%s has HELP and no TYPE", state->family);
    if (good && state->sample_count == 0)
        good = fail(state, "no samples");
    for (size_t i = 0; i < state->sample_count; i++)
        free(state->samples[i]);
    free(state->samples);
    free(state);
    return good;
}

double prometheus_value(const char *text, const char *sample_name)
{
    const size_t length = strlen(sample_name);

    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, sample_name, length) == 0 && at[length] == ' ')
            return strtod(at + length + 1, NULL);
    }
    return NAN;
}

bool prometheus_monotonic(const char *before, const char *after, char *why, size_t room)
{
    for (const char *at = before; *at != '\0'; at = strchr(at, '\n') + 1) {
        char line[LINE_ROOM];

        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        char *value = strrchr(line, ' ');
        const size_t name = name_length(line, true);
        char metric[NAME_ROOM];

        snprintf(metric, sizeof metric, "%.*s", (int)name, line);
        if (line[0] == '#' || value == NULL ||
            !(ends_in(metric, "_total") || ends_in(metric, "_bucket") || ends_in(metric, "_count") ||
              ends_in(metric, "_sum")))
            continue;
        *value = '\0';
        if (!(prometheus_value(after, line) >= strtod(value + 1, NULL))) {
            snprintf(why, room, "%s fell from %s to %g", line, value + 1, prometheus_value(after, line));
            return false;
        }
    }
    return true;
}
