#include "server/config_print.h"

#include <stdio.h>
#include <string.h>

#include "bench/emit.h"

#define PRINT(...) cuzk_bench_emit(out, __VA_ARGS__)

enum { VALUE_ROOM = 1024, WIDTH = 100, VARIABLE_ROOM = 64 };

static size_t section_length(const struct cuzk_option *row)
{
    return strcspn(row->key, ".");
}

/* Whether a row begins another section than the one before it. */
static bool begins_section(const struct cuzk_option *rows, size_t i)
{
    return i == 0 || rows[i - 1].key == NULL || section_length(&rows[i - 1]) != section_length(&rows[i]) ||
           strncmp(rows[i - 1].key, rows[i].key, section_length(&rows[i])) != 0;
}

/* "# " before every line, broken at spaces. */
static void comment(struct cuzk_bench_emit *out, const char *text)
{
    size_t column = 0;

    while (*text != '\0') {
        const size_t word = strcspn(text, " ");

        if (column > 0 && column + 1 + word > WIDTH) {
            PRINT("\n");
            column = 0;
        }
        PRINT("%s%.*s", column == 0 ? "# " : " ", (int)word, text);
        column += word + (column == 0 ? 2 : 1);
        text += word;
        text += strspn(text, " ");
    }
    PRINT("\n");
}

/* The default as it would stand in a file; an example of the type where there is none. */
static void default_value(const struct cuzk_option *row, char *text, size_t room)
{
    const char *fallback = row->fallback;

    if (fallback == NULL) {
        snprintf(text, room, "%s", row->example != NULL ? row->example : "\"\"");
        return;
    }
    if (row->type == CUZK_OPTION_LIST)
        snprintf(text, room, fallback != NULL ? "[\"%s\"]" : "[]", fallback);
    else if (row->type == CUZK_OPTION_NUMBER || row->type == CUZK_OPTION_SWITCH)
        snprintf(text, room, "%s", fallback != NULL ? fallback : "");
    else
        snprintf(text, room, fallback != NULL ? "\"%s\"" : "\"\"", fallback);
}

/* "a, b" of "a|b". */
static void list_choices(const char *choices, char *text, size_t room)
{
    size_t used = 0;

    for (const char *at = choices; *at != '\0' && used + 3 < room; at++) {
        if (*at == '|') {
            text[used++] = ',';
            text[used++] = ' ';
        } else {
            text[used++] = *at;
        }
    }
    text[used] = '\0';
}

/* What bounds a value: "1 to 1024", "a|b"; "" for nothing. */
static void bounds(const struct cuzk_option *row, char *text, size_t room)
{
    char least[24], most[24];

    text[0] = '\0';
    if (row->choices != NULL) {
        list_choices(row->choices, text, room);
        return;
    }
    if (row->min == 0 && row->max == 0)
        return;
    if (row->type == CUZK_OPTION_SIZE) {
        cuzk_option_format_size(row->min, least, sizeof least);
        cuzk_option_format_size(row->max, most, sizeof most);
    } else if (row->type == CUZK_OPTION_DURATION) {
        cuzk_option_format_duration(row->min, least, sizeof least);
        cuzk_option_format_duration(row->max, most, sizeof most);
    } else {
        snprintf(least, sizeof least, "%llu", (unsigned long long)row->min);
        snprintf(most, sizeof most, "%llu", (unsigned long long)row->max);
    }
    if (row->max == 0)
        snprintf(text, room, "%s or more", least);
    else
        snprintf(text, room, "%s to %s", least, most);
}

static void knob_bounds(const struct cuzk_knob_row *row, char *text, size_t room)
{
    if (row->choices == NULL) {
        snprintf(text, room, "%u to %u%s%s", row->zero != NULL && row->min == 0 ? 1 : row->min, row->max,
                 row->zero != NULL ? ", or " : "", row->zero != NULL ? row->zero : "");
        return;
    }
    list_choices(row->choices, text, room);
}

static bool is_word(const struct cuzk_knob_row *row, const char *value)
{
    return row->choices != NULL || (row->zero != NULL && strcmp(value, row->zero) == 0);
}

/* ---- the sample ---- */

static void sample_knobs(struct cuzk_bench_emit *out)
{
    struct cuzk_knobs knobs;

    PRINT("\n[knobs]\n");
    comment(out, "Knobs that differ from the preset. The values below are those of auto.");
    if (cuzk_knobs_preset("auto", &knobs, NULL) != CUZK_OK)
        return;
    for (unsigned i = 0; i < CUZK_KNOBS; i++) {
        const struct cuzk_knob_row *row = cuzk_knob_row((enum cuzk_knob)i);
        char value[32], range[256], text[512];

        cuzk_knob_format((enum cuzk_knob)i, knobs.value[i], value, sizeof value);
        knob_bounds(row, range, sizeof range);
        snprintf(text, sizeof text, "%s (%s)", row->meaning, range);
        PRINT("\n");
        comment(out, text);
        PRINT("# %s = %s%s%s\n", row->name, is_word(row, value) ? "\"" : "", value,
              is_word(row, value) ? "\"" : "");
    }
}

enum cuzk_status cuzk_config_print_sample(struct cuzk_sink sink, struct cuzk_error *err)
{
    struct cuzk_bench_emit emit = {sink, err, CUZK_OK}, *out = &emit;
    size_t count;
    const struct cuzk_option *rows = cuzk_config_rows(&count);

    comment(out, "Configuration of `cuzk serve`. Take away a # to change a line. "
                 "The environment overrides this file, and flags override both.");
    comment(out, "`cuzk config check --config FILE` looks for mistakes, `cuzk config show` prints what is in "
                 "force and where it came from.");
    for (size_t i = 0; i < count; i++) {
        const struct cuzk_option *row = &rows[i];
        char value[VALUE_ROOM], range[256], text[1024];

        if (row->key == NULL)
            continue;
        if (begins_section(rows, i))
            PRINT("\n[%.*s]", (int)section_length(row), row->key);
        bounds(row, range, sizeof range);
        default_value(row, value, sizeof value);
        snprintf(text, sizeof text, "%s%s%s%s%s%s", row->fallback != NULL ? "" : "(example) ", row->help,
                 range[0] != '\0' ? " (" : "", range, range[0] != '\0' ? ")" : "",
                 row->reload ? "; SIGHUP takes a change" : "");
        PRINT("\n");
        comment(out, text);
        PRINT("# %s = %s\n", row->key + section_length(row) + 1, value);
    }
    sample_knobs(out);
    return emit.status;
}

/* ---- the manual ---- */

/* In a table a | ends the cell. */
static void cell(struct cuzk_bench_emit *out, const char *text)
{
    for (; *text != '\0'; text++)
        PRINT(*text == '|' ? "\\%c" : "%c", *text);
}

/* Values that a backend takes for others. */
static void same_values(struct cuzk_bench_emit *out, enum cuzk_knob knob, const char *backend, bool *first)
{
    uint32_t as;
    char text[32], other[32];

    for (uint32_t value = 0; value < cuzk_knob_choices(knob); value++) {
        const char *why = cuzk_knob_taken_for(knob, value, backend, &as);

        cuzk_knob_format(knob, value, text, sizeof text);
        cuzk_knob_format(knob, as, other, sizeof other);
        if (why != NULL)
            PRINT("%s%s: %s is the same as %s: %s", *first ? "" : "; ", backend, text, other, why);
        *first = *first && why == NULL;
    }
}

enum cuzk_status cuzk_config_print_docs(struct cuzk_sink sink, struct cuzk_error *err)
{
    struct cuzk_bench_emit emit = {sink, err, CUZK_OK}, *out = &emit;
    size_t count;
    const struct cuzk_option *rows = cuzk_config_rows(&count);

    PRINT(
        "# Configuration of the daemon\n\n"
        "`cuzk config docs` writes this page and `cuzk config sample` writes packaging/cuzk.toml, both from "
        "the table that\nthe daemon reads its options by.\n\n"
        "A value comes from the default, then the file (`--config FILE`, else `$%s`, else\n`%s` where it is "
        "there), then the environment, then flags; the later wins. A list in the\nenvironment is separated "
        "by commas. Unknown keys, wrong types and keys given twice are refused, with the place.\n"
        "`cuzk config show` prints what is in force and where each value came from; `cuzk config check` only "
        "looks.\n\n"
        "On SIGHUP the daemon reads everything again and takes what has a yes under reload; it names what "
        "waits for a restart.\n",
        CUZK_CONFIG_VARIABLE, CUZK_CONFIG_PATH);
    for (size_t i = 0; i < count; i++) {
        const struct cuzk_option *row = &rows[i];
        char range[256], value[VALUE_ROOM];

        if (row->key == NULL)
            continue;
        if (begins_section(rows, i))
            PRINT("\n## [%.*s]\n\n| key | flag | environment | values | default | reload | meaning "
                  "|\n|---|---|---|---|---|---|---|\n",
                  (int)section_length(row), row->key);
        bounds(row, range, sizeof range);
        default_value(row, value, sizeof value);
        PRINT("| `%s` | `--%s` | `%s` | ", row->key + section_length(row) + 1, row->name, row->environment);
        cell(out, range);
        PRINT(" | %s%s%s | %s | ", row->fallback != NULL ? "`" : "", row->fallback != NULL ? value : "",
              row->fallback != NULL ? "`" : "", row->reload ? "yes" : "");
        cell(out, row->help);
        PRINT(" |\n");
    }
    PRINT("\n## [knobs]\n\nWhat differs from the preset; as flags `--set NAME=VALUE`, in the environment "
          "`CUZK_KNOB_NAME`.\n\n| key | environment | values | since | meaning | means nothing "
          "on |\n|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < CUZK_KNOBS; i++) {
        static const char *const backends[] = {"cpu", "cuda", "null"};
        const struct cuzk_knob_row *row = cuzk_knob_row((enum cuzk_knob)i);
        char range[256], variable[VARIABLE_ROOM];
        bool first = true;

        knob_bounds(row, range, sizeof range);
        cuzk_config_knob_variable((enum cuzk_knob)i, variable, sizeof variable);
        PRINT("| `%s` | `%s` | %s | %s | %s | ", row->name, variable, range, row->since, row->meaning);
        for (size_t b = 0; b < sizeof backends / sizeof backends[0]; b++) {
            const char *reason = cuzk_knob_meaningless((enum cuzk_knob)i, backends[b]);

            if (reason != NULL)
                PRINT("%s%s: %s", first ? "" : "; ", backends[b], reason);
            first = first && reason == NULL;
            same_values(out, (enum cuzk_knob)i, backends[b], &first);
        }
        PRINT(" |\n");
    }
    return emit.status;
}

/* ---- what is in force ---- */

enum cuzk_status cuzk_config_print_effective(const struct cuzk_config *config, const char *backend,
                                             struct cuzk_sink sink, struct cuzk_error *err)
{
    struct cuzk_bench_emit emit = {sink, err, CUZK_OK}, *out = &emit;
    size_t count;
    const struct cuzk_option *rows = cuzk_config_rows(&count);

    for (size_t i = 0; i < count; i++) {
        char value[VALUE_ROOM], line[VALUE_ROOM + 128];

        if (rows[i].key == NULL)
            continue;
        if (begins_section(rows, i))
            PRINT("%s[%.*s]\n", i > 0 ? "\n" : "", (int)section_length(&rows[i]), rows[i].key);
        cuzk_config_format(config, &rows[i], value, sizeof value);
        snprintf(line, sizeof line, "%s%s = %s", value[0] == '\0' ? "# " : "",
                 rows[i].key + section_length(&rows[i]) + 1, value[0] == '\0' ? "not set" : value);
        PRINT("%-48s # %s%s\n", line, config->source[i], rows[i].reload ? "; SIGHUP takes a change" : "");
    }
    PRINT("\n[knobs]\n");
    for (unsigned i = 0; i < CUZK_KNOBS; i++) {
        const struct cuzk_knob_row *row = cuzk_knob_row((enum cuzk_knob)i);
        const char *reason = cuzk_knob_meaningless((enum cuzk_knob)i, backend);
        char value[32], line[VALUE_ROOM];

        cuzk_knob_format((enum cuzk_knob)i, config->knobs.value[i], value, sizeof value);
        snprintf(line, sizeof line, "%s = %s%s%s", row->name, is_word(row, value) ? "\"" : "", value,
                 is_word(row, value) ? "\"" : "");
        PRINT("%-48s # %s", line, config->knob_source[i]);
        if (reason != NULL)
            PRINT("; means nothing on %s: %s", backend, reason);
        uint32_t as;
        const char *why = cuzk_knob_taken_for((enum cuzk_knob)i, config->knobs.value[i], backend, &as);

        cuzk_knob_format((enum cuzk_knob)i, as, value, sizeof value);
        if (why != NULL)
            PRINT("; the same as %s on %s: %s", value, backend, why);
        PRINT("\n");
    }
    return emit.status;
}

void cuzk_config_write(const struct cuzk_config *config, const char *backend, struct cuzk_json_writer *json)
{
    size_t count;
    const struct cuzk_option *rows = cuzk_config_rows(&count);

    cuzk_json_write_member_string(json, "file", config->path);
    cuzk_json_write_member_string(json, "backend", backend);
    cuzk_json_write_key(json, "options");
    cuzk_json_write_array_begin(json);
    for (size_t i = 0; i < count; i++) {
        char value[VALUE_ROOM];

        if (rows[i].key == NULL)
            continue;
        cuzk_config_format(config, &rows[i], value, sizeof value);
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "key", rows[i].key);
        cuzk_json_write_member_string(json, "value", value[0] != '\0' ? value : NULL);
        cuzk_json_write_member_string(json, "source", config->source[i]);
        cuzk_json_write_member_bool(json, "reload", rows[i].reload);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
    cuzk_json_write_key(json, "knobs");
    cuzk_json_write_array_begin(json);
    for (unsigned i = 0; i < CUZK_KNOBS; i++) {
        const char *reason = cuzk_knob_meaningless((enum cuzk_knob)i, backend);
        char value[32];

        cuzk_knob_format((enum cuzk_knob)i, config->knobs.value[i], value, sizeof value);
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "knob", cuzk_knob_row((enum cuzk_knob)i)->name);
        cuzk_json_write_member_string(json, "value", value);
        cuzk_json_write_member_string(json, "source", config->knob_source[i]);
        if (reason != NULL)
            cuzk_json_write_member_string(json, "means_nothing", reason);
        uint32_t as;
        const char *why = cuzk_knob_taken_for((enum cuzk_knob)i, config->knobs.value[i], backend, &as);

        cuzk_knob_format((enum cuzk_knob)i, as, value, sizeof value);
        if (why != NULL) {
            cuzk_json_write_member_string(json, "same_as", value);
            cuzk_json_write_member_string(json, "same_because", why);
        }
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
}
