#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/option.h"

struct values {
    bool quiet;
    const char *out;
    const char *backend;
    struct cuzk_option_number threads, memory;
    struct cuzk_option_hex32 seed;
    struct cuzk_option_list pieces;
};

static const struct cuzk_option table[] = {
    {.name = "quiet", .type = CUZK_OPTION_FLAG, .offset = offsetof(struct values, quiet), .help = "h"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct values, out),
     .placeholder = "FILE"},
    {.name = "backend",
     .type = CUZK_OPTION_CHOICE,
     .offset = offsetof(struct values, backend),
     .placeholder = "NAME",
     .choices = "auto|cpu",
     .fallback = "auto"},
    {.name = "threads",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct values, threads),
     .placeholder = "N",
     .environment = "CUZK_TEST_THREADS",
     .min = 1,
     .max = 64},
    {.name = "host-mem",
     .type = CUZK_OPTION_SIZE,
     .offset = offsetof(struct values, memory),
     .min = 1 << 20,
     .placeholder = "SIZE"},
    {.name = "seed",
     .type = CUZK_OPTION_HEX32,
     .offset = offsetof(struct values, seed),
     .placeholder = "HEX32"},
    {.name = "piece",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct values, pieces),
     .placeholder = "FILE"},
};

enum { ROWS = sizeof table / sizeof table[0] };

static enum cuzk_status parse(int argc, const char *const *argv, struct values *values,
                              const char **positional, size_t *positionals, struct cuzk_error *err)
{
    memset(values, 0, sizeof *values);
    return cuzk_option_parse(table, ROWS, argc, argv, values, positional, 2, positionals, err);
}

#define PARSE(...)                                                                                           \
    parse((int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)),                                \
          (const char *const[]){__VA_ARGS__}, &values, positional, &positionals, &err)

static void test_parse__fills_every_type(void **state)
{
    const char *positional[2];
    struct values values;
    struct cuzk_error err;
    size_t positionals;

    (void)state;
    assert_int_equal(PARSE("porep-2k", "--quiet", "--out=x=y", "--threads", "3", "--host-mem", "2GiB",
                           "--seed", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                           "--piece", "a", "--piece", "b", "--", "--quiet"),
                     CUZK_OK);
    assert_true(values.quiet);
    assert_string_equal(values.out, "x=y");
    assert_string_equal(values.backend, "auto");
    assert_true(values.threads.set);
    assert_int_equal(values.threads.value, 3);
    assert_int_equal(values.memory.value, UINT64_C(2) << 30);
    assert_int_equal(values.seed.bytes[31], 0x1f);
    assert_int_equal(values.pieces.count, 2);
    assert_string_equal(values.pieces.items[1], "b");
    assert_int_equal(positionals, 2);
    assert_string_equal(positional[1], "--quiet");
}

static void test_parse__takes_the_environment_below_the_command_line(void **state)
{
    const char *positional[2];
    struct values values;
    struct cuzk_error err;
    size_t positionals;

    (void)state;
    setenv("CUZK_TEST_THREADS", "5", 1);
    assert_int_equal(PARSE("-"), CUZK_OK);
    assert_int_equal(values.threads.value, 5);
    assert_string_equal(positional[0], "-");
    assert_int_equal(PARSE("--threads", "6"), CUZK_OK);
    assert_int_equal(values.threads.value, 6);
    setenv("CUZK_TEST_THREADS", "many", 1);
    assert_int_equal(PARSE("-"), CUZK_ARGUMENT);
    assert_string_equal(err.message, "CUZK_TEST_THREADS: expected a whole number, found 'many'");
    unsetenv("CUZK_TEST_THREADS");
}

static void test_parse__explains_mistakes(void **state)
{
    const char *positional[2];
    struct values values;
    struct cuzk_error err;
    size_t positionals;

    (void)state;
    assert_int_equal(PARSE("--thread", "3"), CUZK_ARGUMENT);
    assert_string_equal(err.message, "--thread: unknown option; did you mean --threads?");
    assert_int_equal(PARSE("--completely-else"), CUZK_ARGUMENT);
    assert_string_equal(err.message, "--completely-else: unknown option");
    assert_int_equal(PARSE("--threads", "0"), CUZK_ARGUMENT);
    assert_string_equal(err.message, "--threads: expected 1 to 64, found 0");
    assert_int_equal(PARSE("--host-mem", "1KiB"), CUZK_ARGUMENT);
    assert_string_equal(err.message, "--host-mem: expected 1MiB or more, found 1KiB");
    assert_int_equal(PARSE("--threads", "18446744073709551617"), CUZK_ARGUMENT);
    assert_int_equal(PARSE("--threads", "1x"), CUZK_ARGUMENT);
    assert_int_equal(PARSE("--threads"), CUZK_ARGUMENT);
    assert_string_equal(err.message, "--threads: needs a value (N)");
    assert_int_equal(PARSE("--threads", "1", "--threads", "2"), CUZK_ARGUMENT);
    assert_int_equal(PARSE("--quiet=yes"), CUZK_ARGUMENT);
    assert_int_equal(PARSE("--backend", "gpu"), CUZK_ARGUMENT);
    assert_int_equal(PARSE("--seed", "00"), CUZK_ARGUMENT);
    assert_int_equal(PARSE("-q"), CUZK_ARGUMENT);
    assert_int_equal(PARSE("a", "b", "c"), CUZK_ARGUMENT);
    assert_string_equal(err.message, "c: unexpected argument");
}

static void test_parse_size__reads_binary_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"2048", 2048},
                {"2KiB", 2048},
                {"512MiB", 512u << 20},
                {"32GiB", UINT64_C(32) << 30},
                {"7B", 7},
                {"1TiB", UINT64_C(1) << 40}};
    static const char *const bad[] = {"", "KiB", "2kib", "-1", "2 KiB", "1.5GiB", "99999999999TiB", "2KiBx"};
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(cuzk_option_parse_size("s", good[i].text, &value, NULL), CUZK_OK);
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(cuzk_option_parse_size("s", bad[i], &value, NULL), CUZK_ARGUMENT);
}

static void test_format_size__is_read_back(void **state)
{
    static const uint64_t sizes[] = {0, 1, 1023, 1024, 2048, 1536, 32768, UINT64_C(64) << 30, 8 << 20};
    char text[24];
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        cuzk_option_format_size(sizes[i], text, sizeof text);
        assert_int_equal(cuzk_option_parse_size("s", text, &value, NULL), CUZK_OK);
        assert_true(value == sizes[i]);
    }
    cuzk_option_format_size(UINT64_C(32) << 30, text, sizeof text);
    assert_string_equal(text, "32GiB");
}

static void test_distance__counts_edits(void **state)
{
    (void)state;
    assert_int_equal(cuzk_option_distance("", ""), 0);
    assert_int_equal(cuzk_option_distance("abc", ""), 3);
    assert_int_equal(cuzk_option_distance("kitten", "sitting"), 3);
    assert_int_equal(cuzk_option_distance("verify", "verfy"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse__fills_every_type),
        cmocka_unit_test(test_parse__takes_the_environment_below_the_command_line),
        cmocka_unit_test(test_parse__explains_mistakes),
        cmocka_unit_test(test_parse_size__reads_binary_units),
        cmocka_unit_test(test_format_size__is_read_back),
        cmocka_unit_test(test_distance__counts_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
