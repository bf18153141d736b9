#include "server/config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "server/toml.h"

#define KNOBS_SECTION  "knobs."
#define KNOBS_VARIABLE "CUZK_KNOB_"

enum { KEY_ROOM = 96, VARIABLE_ROOM = 64 };

/* What strings of a configuration point to: the document, the file's name, and texts that were put together
 * here, one behind the other. */
struct holder {
    struct cuzk_toml *toml;
    char path[512];
    struct text {
        struct text *next;
        char bytes[];
    } *texts;
};

/* One reading. */
struct reading {
    struct cuzk_config *config;
    struct holder *holder;
    const struct cuzk_option *rows;
    size_t row_count;
    unsigned row_line[CUZK_CONFIG_ROWS_MOST]; /* of the file; 0: not there */
    const struct cuzk_toml_value *knob_value[CUZK_KNOBS];
};

/* ---- places ---- */

#define SERVICE_SOCKET "/run/cuzk/cuzk.sock"

void cuzk_config_default_address(char *text, size_t room)
{
    const char *runtime = getenv("RUNTIME_DIRECTORY"), *user = getenv("XDG_RUNTIME_DIR");

    if (runtime != NULL && *runtime != '\0')
        snprintf(text, room, "unix:%.*s/cuzk.sock", (int)strcspn(runtime, ":"), runtime);
    else if (user != NULL && *user != '\0')
        snprintf(text, room, "unix:%s/cuzk.sock", user);
    else
        snprintf(text, room, "unix:" SERVICE_SOCKET);
}

void cuzk_config_client_address(char *text, size_t room)
{
    cuzk_config_default_address(text, room);
    if (access(text + strlen("unix:"), F_OK) != 0 && access(SERVICE_SOCKET, F_OK) == 0)
        snprintf(text, room, "unix:" SERVICE_SOCKET);
}

void cuzk_config_default_state(char *text, size_t room)
{
    const char *state = getenv("STATE_DIRECTORY"), *user = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state != NULL && *state != '\0')
        snprintf(text, room, "%.*s", (int)strcspn(state, ":"), state);
    else if (user != NULL && *user != '\0')
        snprintf(text, room, "%s/cuzk", user);
    else if (home != NULL && *home != '\0')
        snprintf(text, room, "%s/.local/state/cuzk", home);
    else
        snprintf(text, room, "/var/lib/cuzk");
}

void cuzk_config_knob_variable(enum cuzk_knob knob, char *text, size_t room)
{
    const char *name = cuzk_knob_row(knob)->name;
    size_t used = (size_t)snprintf(text, room, KNOBS_VARIABLE);

    for (; *name != '\0' && used + 1 < room; name++)
        text[used++] = *name == '.' ? '_' : (char)toupper((unsigned char)*name);
    text[used] = '\0';
}

static enum cuzk_status keep(struct holder *holder, const char *bytes, size_t length, const char **out,
                             struct cuzk_error *err)
{
    struct text *text;

    CUZK_TRY(cuzk_mem_alloc(1, sizeof *text + length + 1, "configuration", (void **)&text, err));
    memcpy(text->bytes, bytes, length);
    text->next = holder->texts;
    holder->texts = text;
    *out = text->bytes;
    return CUZK_OK;
}

/* ---- rows ---- */

static void *slot_of(const struct reading *reading, size_t row)
{
    return (char *)&reading->config->values + reading->rows[row].offset;
}

/* The last source that says anything of a list says all of it. */
static void forget_list(const struct reading *reading, size_t row)
{
    if (reading->rows[row].type == CUZK_OPTION_LIST)
        ((struct cuzk_option_list *)slot_of(reading, row))->count = 0;
}

static enum cuzk_status set_row(const struct reading *reading, size_t row, const char *where,
                                const char *text, struct cuzk_error *err)
{
    return cuzk_option_set(&reading->rows[row], &reading->config->values, where, text, err);
}

/* "a, b" as the items of a list; anything else as it is. */
static enum cuzk_status set_text(const struct reading *reading, size_t row, const char *where,
                                 const char *text, struct cuzk_error *err)
{
    if (reading->rows[row].type != CUZK_OPTION_LIST)
        return set_row(reading, row, where, text, err);
    for (;;) {
        text += strspn(text, " ");
        size_t length = strcspn(text, ",");
        const size_t step = length + (text[length] == ',');

        while (length > 0 && text[length - 1] == ' ')
            length--;
        if (length > 0) {
            const char *item;

            CUZK_TRY(keep(reading->holder, text, length, &item, err));
            CUZK_TRY(set_row(reading, row, where, item, err));
        }
        if (step == length && text[step] == '\0')
            return CUZK_OK;
        text += step;
        if (*text == '\0')
            return CUZK_OK;
    }
}

static enum cuzk_status take_defaults(const struct reading *reading, struct cuzk_error *err)
{
    for (size_t i = 0; i < reading->row_count; i++) {
        snprintf(reading->config->source[i], CUZK_CONFIG_SOURCE, "default");
        if (reading->rows[i].fallback != NULL)
            CUZK_TRY(set_row(reading, i, reading->rows[i].name, reading->rows[i].fallback, err));
    }
    return CUZK_OK;
}

static enum cuzk_status take_environment(const struct reading *reading, struct cuzk_error *err)
{
    for (size_t i = 0; i < reading->row_count; i++) {
        const char *variable = reading->rows[i].environment;
        const char *text = variable != NULL ? getenv(variable) : NULL;

        if (text == NULL || *text == '\0')
            continue;
        forget_list(reading, i);
        CUZK_TRY(set_text(reading, i, variable, text, err));
        snprintf(reading->config->source[i], CUZK_CONFIG_SOURCE, "%s", variable);
    }
    return CUZK_OK;
}

static enum cuzk_status take_flags(const struct reading *reading, const struct cuzk_option_given *flags,
                                   struct cuzk_error *err)
{
    bool seen[CUZK_CONFIG_ROWS_MOST] = {false};

    for (size_t k = 0; flags != NULL && k < flags->count; k++) {
        const struct cuzk_option *row = cuzk_option_find(reading->rows, reading->row_count,
                                                         flags->items[k].name, strlen(flags->items[k].name));
        char where[VARIABLE_ROOM];

        if (row == NULL)
            return cuzk_error_set(err, CUZK_INTERNAL, "--%s: no option of the configuration",
                                  flags->items[k].name);
        const size_t i = (size_t)(row - reading->rows);

        if (!seen[i])
            forget_list(reading, i);
        seen[i] = true;
        snprintf(where, sizeof where, "--%s", row->name);
        CUZK_TRY(set_row(reading, i, where, flags->items[k].text, err));
        snprintf(reading->config->source[i], CUZK_CONFIG_SOURCE, "%s", where);
    }
    return CUZK_OK;
}

/* ---- the file ---- */

static const char *expected(const struct cuzk_option *row)
{
    switch (row->type) {
    case CUZK_OPTION_NUMBER:
        return "a whole number";
    case CUZK_OPTION_SIZE:
        return "a size: \"64GiB\" or a number of bytes";
    case CUZK_OPTION_DURATION:
        return "a duration: \"30s\"";
    case CUZK_OPTION_SWITCH:
    case CUZK_OPTION_FLAG:
        return "true or false";
    case CUZK_OPTION_LIST:
        return "a list of strings";
    default:
        return "a string";
    }
}

static bool accepts(const struct cuzk_option *row, enum cuzk_toml_type type)
{
    switch (row->type) {
    case CUZK_OPTION_NUMBER:
        return type == CUZK_TOML_INTEGER;
    case CUZK_OPTION_SIZE:
        return type == CUZK_TOML_INTEGER || type == CUZK_TOML_STRING;
    case CUZK_OPTION_SWITCH:
    case CUZK_OPTION_FLAG:
        return type == CUZK_TOML_BOOLEAN;
    default:
        return type == CUZK_TOML_STRING;
    }
}

static enum cuzk_status fail_at(const struct reading *reading, const struct cuzk_toml_value *value,
                                struct cuzk_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static enum cuzk_status fail_at(const struct reading *reading, const struct cuzk_toml_value *value,
                                struct cuzk_error *err, const char *format, ...)
{
    char reason[384];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return cuzk_error_set(err, CUZK_INPUT, "%s:%u:%u: %.*s: %s", reading->holder->path, value->line,
                          value->column, KEY_ROOM, value->key, reason);
}

/* What a value is called in a message: its type, and its text where it is short. */
static void describe(const struct cuzk_toml_value *value, char *text, size_t room)
{
    if (value->length > 0 && value->length < 40 && strlen(value->text) == value->length)
        snprintf(text, room, "%s, %s", cuzk_toml_type_name(value->type), value->text);
    else
        snprintf(text, room, "%s", cuzk_toml_type_name(value->type));
}

/* Calls of the option's own checks say ARGUMENT and "where: reason"; from a file it is INPUT at a place. */
static enum cuzk_status set_at(const struct reading *reading, size_t row, const struct cuzk_toml_value *value,
                               struct cuzk_error *err)
{
    struct cuzk_error reason;

    if (strlen(value->text) != value->length)
        return fail_at(reading, value, err, "a zero byte in the string");
    if (set_row(reading, row, value->key, value->text, &reason) == CUZK_OK)
        return CUZK_OK;
    const char *colon = strstr(reason.message, ": ");

    return fail_at(reading, value, err, "%s", colon != NULL ? colon + 2 : reason.message);
}

/* A row's value, and where it is a list, its elements, which follow it: *index moves past them. */
static enum cuzk_status take_row(struct reading *reading, size_t row, size_t *index, struct cuzk_error *err)
{
    const struct cuzk_option *option = &reading->rows[row];
    const struct cuzk_toml_value *value = cuzk_toml_at(reading->holder->toml, *index);
    char found[128];

    describe(value, found, sizeof found);
    if (reading->row_line[row] != 0)
        return fail_at(reading, value, err, "given a second time, after line %u", reading->row_line[row]);
    reading->row_line[row] = value->line;
    snprintf(reading->config->source[row], CUZK_CONFIG_SOURCE, "%.*s:%u", CUZK_CONFIG_SOURCE - 16,
             reading->holder->path, value->line);
    forget_list(reading, row);
    if (option->type != CUZK_OPTION_LIST || value->type != CUZK_TOML_ARRAY) {
        if (!accepts(option, value->type))
            return fail_at(reading, value, err, "expected %s, found %s", expected(option), found);
        return set_at(reading, row, value, err);
    }
    for (size_t left = value->elements; left > 0; left--) {
        const struct cuzk_toml_value *element = cuzk_toml_at(reading->holder->toml, ++*index);

        describe(element, found, sizeof found);
        if (element->type != CUZK_TOML_STRING)
            return fail_at(reading, element, err, "expected a list of strings, found in it %s", found);
        CUZK_TRY(set_at(reading, row, element, err));
    }
    return CUZK_OK;
}

static enum cuzk_status take_knob(struct reading *reading, const struct cuzk_toml_value *value,
                                  struct cuzk_error *err)
{
    const char *name = value->key + strlen(KNOBS_SECTION);
    const char *nearest = NULL;
    unsigned best = 4;
    char found[128];

    for (size_t knob = 0; knob < CUZK_KNOBS; knob++) {
        const char *known = cuzk_knob_row((enum cuzk_knob)knob)->name;
        const unsigned distance = cuzk_option_distance(known, name);

        if (strcmp(known, name) != 0) {
            if (distance < best) {
                best = distance;
                nearest = known;
            }
            continue;
        }
        describe(value, found, sizeof found);
        if (value->type != CUZK_TOML_STRING && value->type != CUZK_TOML_INTEGER)
            return fail_at(reading, value, err, "expected a string or a whole number, found %s", found);
        if (reading->knob_value[knob] != NULL)
            return fail_at(reading, value, err, "given a second time, after line %u",
                           reading->knob_value[knob]->line);
        reading->knob_value[knob] = value;
        return CUZK_OK;
    }
    if (nearest != NULL)
        return fail_at(reading, value, err, "unknown knob; did you mean %s?", nearest);
    return fail_at(reading, value, err, "unknown knob");
}

/* Whether a key names a section: some row lies inside it. */
static bool is_section(const struct reading *reading, const char *key)
{
    const size_t n = strlen(key);

    if (strncmp(key, KNOBS_SECTION, n) == 0 && KNOBS_SECTION[n] == '.')
        return true;
    for (size_t i = 0; i < reading->row_count; i++)
        if (reading->rows[i].key != NULL && strncmp(reading->rows[i].key, key, n) == 0 &&
            reading->rows[i].key[n] == '.')
            return true;
    for (size_t knob = 0; knob < CUZK_KNOBS; knob++) { /* "knobs.batch" */
        char full[KEY_ROOM];

        snprintf(full, sizeof full, KNOBS_SECTION "%s", cuzk_knob_row((enum cuzk_knob)knob)->name);
        if (strncmp(full, key, n) == 0 && full[n] == '.')
            return true;
    }
    return false;
}

static enum cuzk_status unknown_key(const struct reading *reading, const struct cuzk_toml_value *value,
                                    struct cuzk_error *err)
{
    const bool table = value->type == CUZK_TOML_TABLE;
    char nearest[KEY_ROOM] = "";
    unsigned best = 4;

    for (size_t i = 0; i < reading->row_count; i++) {
        const char *key = reading->rows[i].key;
        char name[KEY_ROOM];

        if (key == NULL)
            continue;
        snprintf(name, sizeof name, "%.*s", table ? (int)strcspn(key, ".") : (int)strlen(key), key);
        const unsigned distance = cuzk_option_distance(value->key, name);

        if (distance < best) {
            best = distance;
            memcpy(nearest, name, sizeof nearest);
        }
    }
    for (size_t i = 0; i < reading->row_count && nearest[0] == '\0' && !table; i++) {
        /* the right name in the wrong section, or in none */
        const char *key = reading->rows[i].key, *last = strrchr(value->key, '.');

        if (key != NULL && strcmp(strrchr(key, '.') + 1, last != NULL ? last + 1 : value->key) == 0)
            snprintf(nearest, sizeof nearest, "%s", key);
    }
    if (nearest[0] == '\0')
        return fail_at(reading, value, err, "unknown %s; `cuzk config docs` lists all",
                       table ? "section" : "key");
    return fail_at(reading, value, err, "unknown %s; did you mean %s?", table ? "section" : "key", nearest);
}

static enum cuzk_status take_document(struct reading *reading, struct cuzk_error *err)
{
    const struct cuzk_toml *toml = reading->holder->toml;

    for (size_t at = 0; at < cuzk_toml_count(toml); at++) {
        const struct cuzk_toml_value *value = cuzk_toml_at(toml, at);
        size_t row = 0;

        if (value->type == CUZK_TOML_TABLE && is_section(reading, value->key))
            continue;
        if (strncmp(value->key, KNOBS_SECTION, strlen(KNOBS_SECTION)) == 0) {
            CUZK_TRY(take_knob(reading, value, err));
            continue;
        }
        while (row < reading->row_count &&
               (reading->rows[row].key == NULL || strcmp(reading->rows[row].key, value->key) != 0))
            row++;
        if (row == reading->row_count)
            return unknown_key(reading, value, err);
        CUZK_TRY(take_row(reading, row, &at, err));
    }
    return CUZK_OK;
}

static enum cuzk_status take_file(struct reading *reading, const char *path, struct cuzk_error *err)
{
    struct cuzk_file_map map;

    if (path == NULL && (path = getenv(CUZK_CONFIG_VARIABLE)) != NULL && *path == '\0')
        path = NULL;
    if (path == NULL) {
        path = CUZK_CONFIG_PATH;
        if (access(path, F_OK) != 0)
            return CUZK_OK;
    }
    snprintf(reading->holder->path, sizeof reading->holder->path, "%s", path);
    CUZK_TRY(cuzk_file_map_open(path, "configuration", CUZK_CONFIG_FILE_BYTES_MOST, &map, err));
    const enum cuzk_status status = cuzk_toml_read(reading->holder->path, (const char *)map.bytes,
                                                   (size_t)map.length, &reading->holder->toml, err);

    cuzk_file_map_close(&map);
    CUZK_TRY(status);
    reading->config->path = reading->holder->path;
    return take_document(reading, err);
}

/* ---- knobs ---- */

static enum cuzk_status set_knob(struct reading *reading, enum cuzk_knob knob, const char *text,
                                 const char *source, struct cuzk_error *err)
{
    char assignment[KEY_ROOM + 64];

    snprintf(assignment, sizeof assignment, "%s=%s", cuzk_knob_row(knob)->name, text);
    CUZK_TRY(cuzk_knobs_set(&reading->config->knobs, assignment, err));
    snprintf(reading->config->knob_source[knob], CUZK_CONFIG_SOURCE, "%s", source);
    return CUZK_OK;
}

static enum cuzk_status take_knob_flag(struct reading *reading, const char *assignment,
                                       struct cuzk_error *err)
{
    const enum cuzk_status status = cuzk_knobs_set(&reading->config->knobs, assignment, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "--set");
    for (size_t knob = 0; knob < CUZK_KNOBS; knob++) {
        const char *name = cuzk_knob_row((enum cuzk_knob)knob)->name;

        if (strncmp(name, assignment, strlen(name)) == 0 && assignment[strlen(name)] == '=')
            snprintf(reading->config->knob_source[knob], CUZK_CONFIG_SOURCE, "--set");
    }
    return CUZK_OK;
}

static enum cuzk_status take_knobs(struct reading *reading, struct cuzk_error *err)
{
    struct cuzk_config *config = reading->config;

    if (cuzk_knobs_preset(config->values.preset, &config->knobs, err) != CUZK_OK)
        return cuzk_config_blame(config, "pipeline.preset", err);
    for (size_t i = 0; i < CUZK_KNOBS; i++) {
        const enum cuzk_knob knob = (enum cuzk_knob)i;
        const struct cuzk_toml_value *value = reading->knob_value[i];
        char variable[VARIABLE_ROOM], source[CUZK_CONFIG_SOURCE];
        struct cuzk_error reason;

        snprintf(config->knob_source[i], CUZK_CONFIG_SOURCE, "preset %.32s", config->values.preset);
        if (value != NULL) {
            snprintf(source, sizeof source, "%.200s:%u", reading->holder->path, value->line);
            if (set_knob(reading, knob, value->text, source, &reason) != CUZK_OK) {
                const char *colon = strstr(reason.message, ": ");

                return fail_at(reading, value, err, "%s", colon != NULL ? colon + 2 : reason.message);
            }
        }
        cuzk_config_knob_variable(knob, variable, sizeof variable);
        const char *text = getenv(variable);

        if (text != NULL && *text != '\0') {
            const enum cuzk_status set = set_knob(reading, knob, text, variable, err);

            if (set != CUZK_OK)
                return cuzk_error_prefix(err, set, "%s", variable);
        }
    }
    for (size_t i = 0; i < config->values.set.count; i++)
        CUZK_TRY(take_knob_flag(reading, config->values.set.items[i], err));
    return CUZK_OK;
}

/* ---- reading ---- */

static enum cuzk_status take_computed(struct reading *reading, struct cuzk_error *err)
{
    struct cuzk_config_values *values = &reading->config->values;
    char text[512];

    if (values->grpc.count == 0) {
        cuzk_config_default_address(text, sizeof text);
        CUZK_TRY(keep(reading->holder, text, strlen(text), &values->grpc.items[0], err));
        values->grpc.count = 1;
    }
    if (values->state_dir == NULL) {
        cuzk_config_default_state(text, sizeof text);
        CUZK_TRY(keep(reading->holder, text, strlen(text), &values->state_dir, err));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_config_read(const char *path, const struct cuzk_option_given *flags,
                                  struct cuzk_config **out, struct cuzk_error *err)
{
    struct reading reading = {0};
    enum cuzk_status status;

    *out = NULL;
    reading.rows = cuzk_config_rows(&reading.row_count);
    CUZK_TRY(CUZK_NEW(&reading.config, 1, "configuration", err));
    CUZK_TRY_OUT(CUZK_NEW(&reading.holder, 1, "configuration", err));
    reading.config->memory = reading.holder;
    CUZK_TRY_OUT(take_defaults(&reading, err));
    CUZK_TRY_OUT(take_file(&reading, path, err));
    CUZK_TRY_OUT(take_environment(&reading, err));
    CUZK_TRY_OUT(take_flags(&reading, flags, err));
    CUZK_TRY_OUT(take_knobs(&reading, err));
    CUZK_TRY_OUT(take_computed(&reading, err));
    *out = reading.config;
    return CUZK_OK;
out:
    cuzk_config_destroy(reading.config);
    return status;
}

void cuzk_config_destroy(struct cuzk_config *config)
{
    struct holder *holder = config != NULL ? config->memory : NULL;

    if (holder != NULL) {
        cuzk_toml_destroy(holder->toml);
        while (holder->texts != NULL) {
            struct text *next = holder->texts->next;

            cuzk_mem_free(holder->texts);
            holder->texts = next;
        }
    }
    cuzk_mem_free(holder);
    cuzk_mem_free(config);
}
