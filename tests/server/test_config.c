#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/mem.h"
#include "server/config.h"
#include "server/config_print.h"

static char path[64];

static int make_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/cuzk-test-config-%d.toml", (int)getpid());
    unsetenv("CUZK_CONFIG");
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static enum cuzk_status read_text(const char *text, const struct cuzk_option_given *flags,
                                  struct cuzk_config **out, struct cuzk_error *err)
{
    assert_int_equal(cuzk_file_write(path, true, text, strlen(text), NULL), CUZK_OK);
    return cuzk_config_read(path, flags, out, err);
}

static const char *source_of(const struct cuzk_config *config, const char *key)
{
    size_t count;
    const struct cuzk_option *rows = cuzk_config_rows(&count);

    for (size_t i = 0; i < count; i++)
        if (rows[i].key != NULL && strcmp(rows[i].key, key) == 0)
            return config->source[i];
    fail_msg("no row %s", key);
    return NULL;
}

static void test_read__the_later_source_wins_and_is_named(void **state)
{
    struct cuzk_option_given flags = {2, {{"log-level", "error"}, {"set", "batch.max=4"}}};
    struct cuzk_config *config;
    struct cuzk_error err;
    char expected[96];

    (void)state;
    setenv("CUZK_LOG_FORMAT", "json", 1);
    setenv("CUZK_LOG_LEVEL", "debug", 1);
    setenv("CUZK_KNOB_WORKERS_PER_DEVICE", "3", 1);
    setenv("CUZK_PRELOAD", "porep-2k, porep-8m", 1);
    assert_int_equal(read_text("[log]\nformat = \"logfmt\"\nlevel = \"warning\"\nrepeat = \"1m\"\n"
                               "[memory]\nhost = 1073741824\n[engine]\ndevices = [\"cpu\", \"null\"]\n"
                               "[pipeline]\npreset = \"phase-3\"\n[knobs]\nbatch.wait = 7\n"
                               "workers_per_device = 2\nbatch.max = 3\n",
                               &flags, &config, &err),
                     CUZK_OK);
    assert_string_equal(config->values.log_level, "error");
    assert_string_equal(source_of(config, "log.level"), "--log-level");
    assert_string_equal(config->values.log_format, "json");
    assert_string_equal(source_of(config, "log.format"), "CUZK_LOG_FORMAT");
    assert_int_equal(config->values.log_repeat.value, 60000);
    snprintf(expected, sizeof expected, "%s:4", path);
    assert_string_equal(source_of(config, "log.repeat"), expected);
    assert_string_equal(source_of(config, "queue.aging"), "default");
    assert_int_equal(config->values.host_mem.value, 1 << 30);
    assert_int_equal(config->values.devices.count, 2);
    assert_string_equal(config->values.devices.items[1], "null");
    assert_int_equal(config->values.preload.count, 2);
    assert_string_equal(config->values.preload.items[1], "porep-8m");
    assert_int_equal(config->knobs.value[CUZK_KNOB_BATCH_WAIT], 7);
    assert_int_equal(config->knobs.value[CUZK_KNOB_BATCH_MAX], 4);
    assert_string_equal(config->knob_source[CUZK_KNOB_BATCH_MAX], "--set");
    assert_int_equal(config->knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE], 3);
    assert_string_equal(config->knob_source[CUZK_KNOB_WORKERS_PER_DEVICE], "CUZK_KNOB_WORKERS_PER_DEVICE");
    assert_string_equal(config->knob_source[CUZK_KNOB_OVERLAP], "preset phase-3");
    snprintf(expected, sizeof expected, "%s:10", path);
    cuzk_config_destroy(config);
    unsetenv("CUZK_LOG_FORMAT");
    unsetenv("CUZK_LOG_LEVEL");
    unsetenv("CUZK_KNOB_WORKERS_PER_DEVICE");
    unsetenv("CUZK_PRELOAD");
}

static void test_read__mistakes_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[log]\nlevle = \"info\"\n", ":2:9: log.levle: unknown key; did you mean log.level?"},
        {"[lgo]\nlevel = \"info\"\n", ":1:1: lgo: unknown section; did you mean log?"},
        {"[lgo]\n", ":1:1: lgo: unknown section; did you mean log?"},
        {"level = \"info\"\n", ":1:9: level: unknown key; did you mean log.level?"},
        {"[frobnicate]\nx = 1\n", "frobnicate: unknown section; `cuzk config docs` lists all"},
        {"[log]\nlevel = 3\n", ":2:9: log.level: expected a string, found a whole number, 3"},
        {"[log]\nlevel = \"loud\"\n",
         ":2:9: log.level: expected one of error|warning|info|debug, found 'loud'"},
        {"[log]\nlevel = \"info\"\nlevel = \"info\"\n", ":3:"},
        {"[log]\nlevel = \"info\"\n\"level\" = \"info\"\n", ":3:"},
        {"[memory]\nhost = true\n",
         ":2:8: memory.host: expected a size: \"64GiB\" or a number of bytes, found "
         "true or false, true"},
        {"[memory]\nhost = \"64 apples\"\n", ":2:8: memory.host: expected a size such as"},
        {"[memory]\nhost = -5\n", ":2:8: memory.host: expected a size such as"},
        {"[memory]\nhost = 1.5\n", "found a number with a fraction"},
        {"[memory]\nhost = 12\n", "expected 1MiB or more, found 12"},
        {"[queue]\naging = 30\n",
         ":2:9: queue.aging: expected a duration: \"30s\", found a whole number, 30"},
        {"[queue]\naging = 1979-05-27\n", "found a time"},
        {"[queue]\njobs_most = 0\n", ":2:13: queue.jobs_most: expected 1 to 1000000, found 0"},
        {"[engine]\nthreads = \"4\"\n", "expected a whole number, found a string, 4"},
        {"[engine]\ndevices = [\"cpu\", 4]\n",
         ":2:19: engine.devices: expected a list of strings, found in it a "
         "whole number, 4"},
        {"[engine]\ndevices = [[\"cpu\"]]\n", "found in it a list"},
        {"[engine]\nparams_dir = \"a\\u0000b\"\n", "a zero byte in the string"},
        {"[knobs]\nbatch.maxx = 3\n", ":2:14: knobs.batch.maxx: unknown knob; did you mean batch.max?"},
        {"[knobs]\nbatch.max = 0\n", ":2:13: knobs.batch.max: expected"},
        {"[knobs]\nbatch.max = 2\n\"batch.max\" = 2\n",
         ":3:15: knobs.batch.max: given a second time, after line 2"},
        {"[knobs]\noverlap = \"most\"\n", "expected one of none|proof|partition|sectors, found 'most'"},
        {"[knobs]\noverlap = [1]\n", "expected a string or a whole number, found a list"},
        {"[log\nlevel = 1", ":1:"},
        {"level = ", ":1:"},
        {"\xff\xfe", ":1:"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_config *config;
        struct cuzk_error err = {0};

        assert_int_equal(read_text(cases[i].text, NULL, &config, &err), CUZK_INPUT);
        assert_null(config);
        assert_int_equal(strncmp(err.message, path, strlen(path)), 0);
        if (strstr(err.message, cases[i].message) == NULL)
            fail_msg("%s\nsays     %s\nexpected %s", cases[i].text, err.message, cases[i].message);
    }
}

static void test_read__a_file_that_was_named_must_be_there_and_small(void **state)
{
    struct cuzk_config *config;
    struct cuzk_error err;
    char *huge;

    (void)state;
    assert_int_equal(cuzk_config_read("/nowhere/cuzk.toml", NULL, &config, &err), CUZK_NOT_FOUND);
    assert_int_equal(CUZK_NEW(&huge, CUZK_CONFIG_FILE_BYTES_MOST + 2, "huge", &err), CUZK_OK);
    memset(huge, '#', CUZK_CONFIG_FILE_BYTES_MOST + 1);
    assert_int_equal(read_text(huge, NULL, &config, &err), CUZK_INPUT);
    huge[CUZK_CONFIG_FILE_BYTES_MOST] = '\0';
    assert_int_equal(read_text(huge, NULL, &config, &err), CUZK_OK);
    cuzk_config_destroy(config);
    memset(huge, '[', CUZK_CONFIG_FILE_BYTES_MOST); /* deep nesting ends in an error, not on the stack */
    memcpy(huge, "a = ", 4);
    assert_int_equal(read_text(huge, NULL, &config, &err), CUZK_INPUT);
    for (size_t i = 0; i < CUZK_CONFIG_FILE_BYTES_MOST - 2; i++) /* nor do names of many parts: [a.a.a...a] */
        huge[i] = i == 0 ? '[' : i % 2 == 1 ? 'a' : '.';
    memcpy(huge + CUZK_CONFIG_FILE_BYTES_MOST - 2, "]", 2);
    assert_int_equal(read_text(huge, NULL, &config, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "dots"));
    memcpy(huge + 8002, "]", 2); /* as deep as it goes: only unknown */
    assert_int_equal(read_text(huge, NULL, &config, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "unknown section"));
    cuzk_mem_free(huge);
}

static void test_read__mistakes_of_environment_and_flags_name_them(void **state)
{
    struct cuzk_option_given flags = {1, {{"set", "overlap=most"}}};
    struct cuzk_config *config;
    struct cuzk_error err;

    (void)state;
    setenv("CUZK_AGING", "soon", 1);
    assert_int_equal(read_text("", NULL, &config, &err), CUZK_ARGUMENT);
    assert_non_null(strstr(err.message, "CUZK_AGING: expected a duration"));
    unsetenv("CUZK_AGING");
    assert_int_equal(read_text("", &flags, &config, &err), CUZK_ARGUMENT);
    assert_non_null(strstr(err.message, "--set: overlap: expected one of"));
    setenv("CUZK_PRESET", "phase-99", 1);
    assert_int_equal(read_text("", NULL, &config, &err), CUZK_ARGUMENT);
    assert_int_equal(strncmp(err.message, "CUZK_PRESET: ", 13), 0);
    unsetenv("CUZK_PRESET");
    setenv("CUZK_KNOB_BATCH_MAX", "many", 1);
    assert_int_equal(read_text("", NULL, &config, &err), CUZK_ARGUMENT);
    assert_int_equal(strncmp(err.message, "CUZK_KNOB_BATCH_MAX: ", 21), 0);
    unsetenv("CUZK_KNOB_BATCH_MAX");
}

static void test_check__what_only_together_makes_no_sense(void **state)
{
    static const struct {
        const char *text, *message; /* NULL: good */
    } cases[] = {
        {"", NULL},
        {"[listen]\ngrpc = [\"127.0.0.1:9820\", \"[::1]:9820\", \"localhost:1\", \"unix:/tmp/x\"]", NULL},
        {"[listen]\ngrpc = [\"10.0.0.1:9820\"]", "beyond the loopback"},
        {"[listen]\ngrpc = [\"10.0.0.1:9820\"]\n[tls]\ncertificate = \"c\"\nkey = \"k\"",
         "beyond the loopback"},
        {"[listen]\ngrpc = [\"10.0.0.1:9820\"]\n[tls]\ncertificate = \"c\"\nkey = \"k\"\nclient_ca = \"a\"",
         NULL},
        {"[tls]\nkey = \"k\"", "certificate and key are given together"},
        {"[tls]\nclient_ca = \"k\"", "needs certificate and key"},
        {"[listen]\ngrpc = [\"nonsense\"]", "expected unix:PATH, HOST:PORT"},
        {"[listen]\ngrpc = [\"localhost:0\"]", "expected unix:PATH, HOST:PORT"},
        {"[listen]\ngrpc = [\"localhost:70000\"]", "expected unix:PATH, HOST:PORT"},
        {"[listen]\ngrpc = [\"::1:80\"]", "expected unix:PATH, HOST:PORT"},
        {"[listen]\ngrpc = [\"unix:\"]", "names no file"},
        {"[listen]\nhttp = \"off\"", NULL},
        {"[listen]\nhttp = \"0.0.0.0:80\"", "not on the loopback"},
        {"[listen]\nsocket_mode = \"rw\"", "expected three octal digits"},
        {"[listen]\nsocket_mode = \"0888\"", "expected three octal digits"},
        {"[engine]\ndevices = [\"cuda:0\", \"cpu\", \"null:msm=5ms:memory=16GiB\"]", NULL},
        {"[engine]\ndevices = [\"gpu\"]", "expected auto, cpu, cuda"},
        {"[engine]\ndevices = [\"cpu\", \"cpu\"]", "cpu is there twice"},
        {"[engine]\ndevices = [\"null:frob=5ms\"]", "unknown 'frob'; there are witness, "},
        {"[engine]\ndevices = [\"null:msm=5\"]", "expected a duration"},
        {"[engine]\npreload = [\"porep-3k\"]", "engine.preload: "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_config *config;
        struct cuzk_error err = {0};

        assert_int_equal(read_text(cases[i].text, NULL, &config, &err), CUZK_OK);
        if (cuzk_config_check(config, &err) != (cases[i].message != NULL ? CUZK_INPUT : CUZK_OK))
            fail_msg("%s: %s", cases[i].text, err.message);
        if (cases[i].message != NULL && strstr(err.message, ":2: ") == NULL)
            fail_msg("%s: no line is named: %s", cases[i].text, err.message);
        if (cases[i].message != NULL && strstr(err.message, cases[i].message) == NULL)
            fail_msg("%s\nsays     %s\nexpected %s", cases[i].text, err.message, cases[i].message);
        cuzk_config_destroy(config);
    }
}

struct changes {
    unsigned count;
    char text[512];
};

static void note_change(void *context, const char *key, const char *before, const char *after, bool reload)
{
    struct changes *changes = context;

    changes->count++;
    snprintf(changes->text + strlen(changes->text), sizeof changes->text - strlen(changes->text),
             "%s %s %s %d\n", key, before, after, reload);
}

static void test_compare__names_what_changed_and_what_a_running_daemon_takes(void **state)
{
    struct cuzk_config *old, *fresh;
    struct changes changes = {0};
    struct cuzk_error err;

    (void)state;
    assert_int_equal(read_text("", NULL, &old, &err), CUZK_OK);
    assert_int_equal(read_text("[log]\nlevel = \"debug\"\n[memory]\nhost = \"2GiB\"\n[knobs]\nfinalize = "
                               "\"inline\"\n",
                               NULL, &fresh, &err),
                     CUZK_OK);
    cuzk_config_compare(old, old, note_change, &changes);
    assert_int_equal(changes.count, 0);
    cuzk_config_compare(old, fresh, note_change, &changes);
    assert_string_equal(changes.text, "memory.host  \"2GiB\" 0\nlog.level \"info\" \"debug\" 1\n"
                                      "knobs.finalize async inline 0\n");
    cuzk_config_destroy(old);
    cuzk_config_destroy(fresh);
}

static void test_print_effective__is_read_back_as_the_same(void **state)
{
    struct cuzk_buffer sink = {0};
    struct cuzk_config *config, *again;
    struct changes changes = {0};
    struct cuzk_error err;

    (void)state;
    assert_int_equal(read_text("[engine]\nparams_dir = \"a\\\"b\\\\c\\u0007\"\nthreads = 3\n[listen]\ngrpc = "
                               "[\"unix:/a b\", \"localhost:7\"]\n[knobs]\npartition_workers = 5\n",
                               NULL, &config, &err),
                     CUZK_OK);
    assert_int_equal(cuzk_config_print_effective(config, "cpu", cuzk_buffer_sink(&sink), &err), CUZK_OK);
    assert_non_null(strstr(cuzk_buffer_text(&sink), "partition_workers = 5"));
    assert_non_null(
        strstr(cuzk_buffer_text(&sink), "means nothing on cpu: operations are done when their call returns"));
    assert_int_equal(read_text(cuzk_buffer_text(&sink), NULL, &again, &err), CUZK_OK);
    cuzk_config_compare(config, again, note_change, &changes);
    assert_string_equal(changes.text, "");
    cuzk_config_destroy(config);
    cuzk_config_destroy(again);
    cuzk_buffer_clear(&sink);
}

/* Every commented line of the sample is good once the # is taken away. */
static void test_print_sample__every_line_can_be_used(void **state)
{
    static char used[1 << 16];
    struct cuzk_buffer sink = {0};
    struct cuzk_config *config;
    struct cuzk_error err;
    size_t lines = 0, count;

    (void)state;
    assert_int_equal(cuzk_config_print_sample(cuzk_buffer_sink(&sink), &err), CUZK_OK);
    for (char *line = strtok(cuzk_buffer_text(&sink), "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const char *equals = strstr(line, " = ");
        const bool key =
            line[0] == '#' && equals != NULL && strcspn(line + 2, " ") == (size_t)(equals - line - 2);

        strcat(strcat(used, key ? line + 2 : line), "\n");
        lines += key;
    }
    (void)cuzk_config_rows(&count);
    assert_int_equal(lines, count - 1 + CUZK_KNOBS); /* all but --set */
    if (read_text(used, NULL, &config, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(cuzk_config_check(config, &err), CUZK_OK);
    cuzk_config_destroy(config);
    cuzk_buffer_clear(&sink);
}

static void same_as_file(const char *name, enum cuzk_status (*print)(struct cuzk_sink, struct cuzk_error *),
                         const char *command)
{
    struct cuzk_buffer sink = {0};
    struct cuzk_file_map map;
    struct cuzk_error err;

    assert_int_equal(print(cuzk_buffer_sink(&sink), &err), CUZK_OK);
    assert_int_equal(cuzk_file_map_open(name, "committed copy", 0, &map, &err), CUZK_OK);
    if (map.length != sink.length || memcmp(map.bytes, sink.bytes, sink.length) != 0)
        fail_msg("%s is not what the table prints; run `%s`", name, command);
    cuzk_file_map_close(&map);
    cuzk_buffer_clear(&sink);
}

static void test_print__committed_copies_are_what_the_table_prints(void **state)
{
    (void)state;
    same_as_file(CUZK_SOURCE_DIR "/packaging/cuzk.toml", cuzk_config_print_sample,
                 "cuzk config sample --out packaging/cuzk.toml");
    same_as_file(CUZK_SOURCE_DIR "/docs/config.md", cuzk_config_print_docs,
                 "cuzk config docs --out docs/config.md");
}

static void test_read__memory_that_fails_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(cuzk_file_write(path, true, "[engine]\ndevices = [\"cpu\"]\n", 27, NULL), CUZK_OK);
    for (size_t n = 0; n < 64; n++) {
        struct cuzk_config *config;

        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = cuzk_config_read(path, NULL, &config, NULL);

        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_true(status == CUZK_OK || status == CUZK_MEMORY);
        cuzk_config_destroy(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__the_later_source_wins_and_is_named),
        cmocka_unit_test(test_read__mistakes_are_refused_with_their_place),
        cmocka_unit_test(test_read__a_file_that_was_named_must_be_there_and_small),
        cmocka_unit_test(test_read__mistakes_of_environment_and_flags_name_them),
        cmocka_unit_test(test_check__what_only_together_makes_no_sense),
        cmocka_unit_test(test_compare__names_what_changed_and_what_a_running_daemon_takes),
        cmocka_unit_test(test_print_effective__is_read_back_as_the_same),
        cmocka_unit_test(test_print_sample__every_line_can_be_used),
        cmocka_unit_test(test_print__committed_copies_are_what_the_table_prints),
        cmocka_unit_test(test_read__memory_that_fails_is_an_error),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
