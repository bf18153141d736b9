/* The streaming JSON reader: what it takes, what it refuses and where, and that windows of any size change
 * nothing. */
#include "filecoin/json_stream.h"
#include "filecoin/vectors.h"
#include "support/random.h"

static struct test_random rng;

/* Gives a text in pieces of random size through a window. */
struct source {
    const uint8_t *text, *end;
    size_t most; /* bytes at once */
    uint8_t window[2048];
};

static enum cuzk_status refill(void *context, struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    struct source *source = context;
    const size_t rest = (size_t)(reader->end - reader->at);
    const uint64_t offset = cuzk_json_stream_offset(reader);
    size_t n = 1 + test_random_below(&rng, source->most);

    (void)err;
    if (source->text == source->end)
        return CUZK_OK;
    if (n > sizeof source->window - rest)
        n = sizeof source->window - rest;
    if (n > (size_t)(source->end - source->text))
        n = (size_t)(source->end - source->text);
    memmove(source->window, reader->at, rest);
    memcpy(source->window + rest, source->text, n);
    source->text += n;
    reader->start = reader->at = source->window;
    reader->end = source->window + rest + n;
    reader->offset = offset;
    return CUZK_OK;
}

static void open_source(struct source *source, struct cuzk_json_stream *reader, const char *text, size_t most)
{
    source->text = (const uint8_t *)text;
    source->end = source->text + strlen(text);
    source->most = most;
    cuzk_json_stream_open(reader, "test", source->window, 0, NULL);
    reader->refill = refill;
    reader->context = source;
}

static enum cuzk_status skip_whole(struct cuzk_json_stream *reader, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_json_stream_skip(reader, err));
    return cuzk_json_stream_end(reader, err);
}

/* Skips a text whole and in pieces; both must agree, offset and message included. */
static enum cuzk_status skip_text(const char *text, struct cuzk_error *err)
{
    const size_t n = strlen(text);
    uint8_t *exact = malloc(n > 0 ? n : 1);
    struct cuzk_json_stream reader;

    memset(err, 0, sizeof *err);
    memcpy(exact, text, n);
    cuzk_json_stream_open(&reader, "test", exact, n, NULL);
    const enum cuzk_status status = skip_whole(&reader, err);
    free(exact);
    for (size_t most = 1; most < 2000; most = most * 3 + 1) {
        struct cuzk_error other = {0};
        struct source source;
        open_source(&source, &reader, text, most);
        assert_int_equal(skip_whole(&reader, &other), status);
        assert_string_equal(other.message, err->message);
    }
    return status;
}

static void test_skip__takes_what_the_grammar_has(void **state)
{
    static const char *const good[] = {
        "0",
        "-0",
        "10",
        "-12.5e+3",
        "1E9",
        "0.0",
        "true",
        "false",
        "null",
        "\"\"",
        "[]",
        "{}",
        " [ 1 , 2 ]\n",
        "{\"a\":{\"b\":[{},[],\"\"]},\"a\":1}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\"",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"",
    };
    struct cuzk_error err;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (skip_text(good[i], &err) != CUZK_OK)
            fail_msg("%s: %s", good[i], err.message);
}

static void test_skip__refuses_the_rest_and_says_where(void **state)
{
    static const struct {
        const char *text;
        unsigned at;
    } bad[] = {
        {"", 0},
        {" ", 1},
        {"01", 1},
        {"-", 1},
        {"+1", 0},
        {"1.", 2},
        {".5", 0},
        {"1e", 2},
        {"1e+", 3},
        {"truE", 0},
        {"nul", 0},
        {"[1,]", 3},
        {"[1 2]", 3},
        {"[", 1},
        {"{\"a\"}", 4},
        {"{\"a\":1,}", 7},
        {"{a:1}", 1},
        {"{1:2}", 1},
        {"[}", 1},
        {"{]", 1},
        {"\"", 1},
        {"\"\n\"", 1},
        {"\"\\x\"", 2},
        {"\"\\u12g4\"", 5},
        {"\"\\udc00\"", 7},
        {"\"\\ud800x\"", 7},
        {"\"\\ud800\\u0041\"", 13},
        {"\"\x80\"", 1},
        {"\"\xc0\xaf\"", 1},
        {"\"\xe0\x80\xaf\"", 1},
        {"\"\xed\xa0\x80\"", 1},
        {"\"\xf4\x90\x80\x80\"", 1},
        {"\"\xf0\x9f\x98\"", 1},
        {"\"\xff\"", 1},
        {"1 1", 2},
        {"// x", 0},
        {"'a'", 0},
    };
    struct cuzk_error err;
    char where[32];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (skip_text(bad[i].text, &err) != CUZK_INPUT)
            fail_msg("%s is taken", bad[i].text);
        snprintf(where, sizeof where, "(test offset %u)", bad[i].at);
        if (strstr(err.message, where) == NULL)
            fail_msg("%s: %s, not at %u", bad[i].text, err.message, bad[i].at);
    }
}

static void test_skip__bounds_nesting(void **state)
{
    char text[2 * CUZK_JSON_STREAM_DEPTH + 3];
    struct cuzk_error err;

    (void)state;
    memset(text, '[', CUZK_JSON_STREAM_DEPTH);
    memset(text + CUZK_JSON_STREAM_DEPTH, ']', CUZK_JSON_STREAM_DEPTH);
    text[2 * CUZK_JSON_STREAM_DEPTH] = '\0';
    assert_int_equal(skip_text(text, &err), CUZK_OK);
    memset(text, '[', CUZK_JSON_STREAM_DEPTH + 1);
    text[CUZK_JSON_STREAM_DEPTH + 1] = '\0';
    assert_int_equal(skip_text(text, &err), CUZK_INPUT);
}

static void test_string__is_decoded_and_cut(void **state)
{
    struct cuzk_json_stream reader;
    struct source source;
    char text[1000], expected[CUZK_JSON_STREAM_NAME];

    (void)state;
    open_source(&source, &reader, "\"\\u0063omm\\u00e9\\ud83d\\ude00\\n\"", 3);
    assert_int_equal(cuzk_json_stream_string(&reader, NULL), CUZK_OK);
    assert_true(cuzk_json_stream_name_is(&reader, "comm\xc3\xa9\xf0\x9f\x98\x80\n"));
    assert_false(cuzk_json_stream_name_is(&reader, "comm"));
    memset(text, 'x', sizeof text);
    text[0] = '"';
    text[sizeof text - 2] = '"';
    text[sizeof text - 1] = '\0';
    open_source(&source, &reader, text, 100);
    assert_int_equal(cuzk_json_stream_string(&reader, NULL), CUZK_OK);
    assert_int_equal(reader.name_length, sizeof text - 3);
    memset(expected, 'x', sizeof expected);
    assert_memory_equal(reader.name, expected, sizeof expected);
}

static void test_u64__has_its_bounds(void **state)
{
    static const struct {
        const char *text;
        uint64_t most, value;
        int good;
    } cases[] = {
        {"0", 0, 0, 1},
        {"1", 0, 0, 0},
        {"255", 255, 255, 1},
        {"256", 255, 0, 0},
        {"00", 255, 0, 0},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX, 1},
        {"18446744073709551616", UINT64_MAX, 0, 0},
        {"99999999999999999999999999", UINT64_MAX, 0, 0},
        {"-1", 255, 0, 0},
        {"1.0", 255, 0, 0},
        {"1e1", 255, 0, 0},
        {"\"1\"", 255, 0, 0},
        {"", 255, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_json_stream reader;
        uint64_t value = 77;
        cuzk_json_stream_open(&reader, "test", (const uint8_t *)cases[i].text, strlen(cases[i].text), NULL);
        const enum cuzk_status status = cuzk_json_stream_u64(&reader, cases[i].most, &value, NULL);
        assert_int_equal(status, cases[i].good ? CUZK_OK : CUZK_INPUT);
        assert_true(value == (cases[i].good ? cases[i].value : 77));
    }
}

/* Random bytes as text, with white space in half of the rounds (the slow path), read whole and in pieces. */
static void test_bytes32__equals_what_was_written(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        uint8_t bytes[32], got[32];
        char text[600] = "";
        struct cuzk_json_stream reader;
        struct source source;
        size_t n = 0;

        for (int i = 0; i < 32; i++)
            bytes[i] = (uint8_t)(test_random_u64(&rng) >> test_random_below(&rng, 8));
        for (int i = 0; i < 32; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u", i == 0 ? "[" : ",", bytes[i]);
            if (round % 2 == 1 && test_random_below(&rng, 8) == 0)
                text[n++] = " \n\t\r"[test_random_below(&rng, 4)];
        }
        text[n++] = ']';
        text[n] = '\0';
        cuzk_json_stream_open(&reader, "test", (const uint8_t *)text, n + (size_t)(round % 3) * 20, NULL);
        assert_int_equal(cuzk_json_stream_bytes32(&reader, got, NULL), CUZK_OK);
        assert_memory_equal(got, bytes, 32);
        assert_int_equal(cuzk_json_stream_offset(&reader), n);
        open_source(&source, &reader, text, 1 + test_random_below(&rng, 700));
        assert_int_equal(cuzk_json_stream_bytes32(&reader, got, NULL), CUZK_OK);
        assert_memory_equal(got, bytes, 32);
    }
}

/* One character changed in a good text: the fast and the slow path must judge alike. The slow path sees the
 * text with a space in front of the closing bracket. */
static void test_bytes32__judges_alike_on_both_paths(void **state)
{
    static const char alphabet[] = "0123456789,,[] -.e\"\x80";
    char text[600], spaced[600];
    unsigned refused = 0;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        uint8_t fast[32], slow[32];
        struct cuzk_json_stream reader;
        size_t n = 0;

        for (int i = 0; i < 32; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u", i == 0 ? "[" : ",",
                                  (unsigned)test_random_below(&rng, 256));
        text[n++] = ']';
        text[test_random_below(&rng, n - 1)] = alphabet[test_random_below(&rng, sizeof alphabet - 1)];
        memset(text + n, ' ', 64);
        memcpy(spaced, text, n - 1);
        memcpy(spaced + n - 1, " ]", 2);
        cuzk_json_stream_open(&reader, "test", (const uint8_t *)text, n + 64, NULL);
        const enum cuzk_status a = cuzk_json_stream_bytes32(&reader, fast, NULL);
        cuzk_json_stream_open(&reader, "test", (const uint8_t *)spaced, n + 1, NULL);
        const enum cuzk_status b = cuzk_json_stream_bytes32(&reader, slow, NULL);
        assert_int_equal(a, b);
        if (a == CUZK_OK)
            assert_memory_equal(fast, slow, 32);
        else
            refused++;
    }
    assert_true(refused > 1000 && refused < 19000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skip__takes_what_the_grammar_has),
        cmocka_unit_test(test_skip__refuses_the_rest_and_says_where),
        cmocka_unit_test(test_skip__bounds_nesting),
        cmocka_unit_test(test_string__is_decoded_and_cut),
        cmocka_unit_test(test_u64__has_its_bounds),
        cmocka_unit_test(test_bytes32__equals_what_was_written),
        cmocka_unit_test(test_bytes32__judges_alike_on_both_paths),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
