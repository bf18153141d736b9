/* C1 outputs: decoded, written back byte for byte, checked, and refused where they are damaged. */
#include "base/buffer.h"
#include "base/mem.h"
#include "filecoin/c1.h"
#include "filecoin/json_patch.h"
#include "filecoin/public_inputs.h"
#include "filecoin/sector.h"

static void expect_same(const struct cuzk_buffer *sink, const uint8_t *bytes, size_t length)
{
    assert_int_equal(sink->length, length);
    assert_memory_equal(sink->bytes, bytes, length);
}

static void test_encode__of_what_was_decoded_is_the_same_text(void **state)
{
    (void)state;
    for (int i = 0; i < SECTORS; i++) {
        size_t length;
        uint8_t *bytes = sector_c1(sector_names[i], &length);
        struct cuzk_buffer text = {0};
        const struct cuzk_sink sink = cuzk_buffer_sink(&text);
        struct cuzk_error err;
        struct cuzk_c1 *c1;

        if (cuzk_c1_decode(bytes, length, NULL, &c1, &err) != CUZK_OK)
            fail_msg("%s: %s", sector_names[i], err.message);
        assert_int_equal(cuzk_c1_encode(c1, &sink, &err), CUZK_OK);
        expect_same(&text, bytes, length);
        cuzk_c1_destroy(c1);
        cuzk_buffer_clear(&text);
        free(bytes);
    }
}

static void test_wrapped__is_decoded_and_written_back(void **state)
{
    size_t length;
    uint8_t *bytes = fixture_read(&length, "sectors/porep-2k/c1_wrapped.json");
    struct cuzk_buffer text = {0};
    const struct cuzk_sink sink = cuzk_buffer_sink(&text);
    struct cuzk_c1 *c1;

    (void)state;
    assert_int_equal(cuzk_c1_decode(bytes, length, NULL, &c1, NULL), CUZK_OK);
    assert_true(c1->wrapped);
    assert_int_equal(c1->sector_number, 1);
    assert_int_equal(cuzk_c1_encode_wrapped(c1, c1->sector_number, &sink, NULL), CUZK_OK);
    expect_same(&text, bytes, length);
    cuzk_c1_destroy(c1);
    cuzk_buffer_clear(&text);
    free(bytes);
}

static void check_inputs(const struct sector *s, const struct cuzk_c1 *c1, const char *name)
{
    size_t length;
    uint8_t *text = fixture_read(&length, "sectors/%s/public_inputs.json", name);
    char *cursor = (char *)text, *line;
    const unsigned count = cuzk_porep_input_count(&c1->shape);
    struct cuzk_fr *computed = malloc(count * sizeof *computed), *assigned = malloc(count * sizeof *assigned);
    unsigned partition = 0;

    for (; (line = fixture_line(&cursor)) != NULL; partition++) {
        const struct fixture_json list = fixture_json_get(fixture_json_parse(line), "inputs");
        struct fixture_json value = {0};
        struct cuzk_porep_assignment assignment;
        unsigned n = 0;

        assert_int_equal(cuzk_porep_public_inputs(&s->config, c1->replica_id, c1->comm_d, c1->comm_r,
                                                  c1->seed, partition, computed, NULL),
                         CUZK_OK);
        cuzk_c1_assignment(c1, partition, &assignment);
        cuzk_porep_assigned_inputs(&c1->shape, &assignment, assigned);
        for (; fixture_json_next(list, &value); n++) {
            uint8_t bytes[32];
            struct cuzk_fr expected;
            fixture_json_hex(value, bytes, 32);
            assert_true(cuzk_fr_from_bytes(bytes, &expected));
            assert_true(n < count);
            assert_true(cuzk_fr_equal(&computed[n], &expected));
            assert_true(cuzk_fr_equal(&assigned[n], &expected));
        }
        assert_int_equal(n, count);
    }
    assert_int_equal(partition, s->config.partitions);
    free(computed);
    free(assigned);
    free(text);
}

static void test_vanilla_proofs__of_the_reference_hold_and_give_its_inputs(void **state)
{
    (void)state;
    for (int i = 0; i < SECTORS; i++) {
        struct sector s = sector_open(sector_names[i]);
        size_t length;
        uint8_t *bytes = sector_c1(sector_names[i], &length);
        struct cuzk_error err;
        struct cuzk_c1 *c1;

        assert_int_equal(cuzk_c1_decode(bytes, length, NULL, &c1, NULL), CUZK_OK);
        assert_int_equal(c1->registered_proof, s.registered_proof);
        if (cuzk_porep_verify_vanilla(NULL, c1, &s.config, &s.owner, &err) != CUZK_OK)
            fail_msg("%s: %s", sector_names[i], err.message);
        assert_int_equal(cuzk_porep_verify_vanilla(NULL, c1, NULL, NULL, &err), CUZK_OK);
        check_inputs(&s, c1, sector_names[i]);
        cuzk_c1_destroy(c1);
        free(bytes);
        sector_close(&s);
    }
}

/* Decodes, then checks with the defaults and the case's own arguments. */
static enum cuzk_status run_case(const struct sector *s, struct fixture_json record, const uint8_t *bytes,
                                 size_t length, struct cuzk_error *err)
{
    const struct fixture_json args = fixture_json_get(record, "args");
    struct cuzk_porep_owner owner = s->owner;
    struct cuzk_c1 *c1;

    if (args.text != NULL && fixture_json_get(args, "sector_id").text != NULL)
        owner.sector_number = vector_u64(args, "sector_id");
    if (args.text != NULL && fixture_json_get(args, "prover_id").text != NULL)
        vector_hex(args, "prover_id", owner.prover_id, 32);
    enum cuzk_status status = cuzk_c1_decode(bytes, length, NULL, &c1, err);
    if (status != CUZK_OK) {
        assert_null(c1);
        assert_true(strstr(err->message, " offset ") != NULL || strstr(err->message, "SectorSize") != NULL);
        return status;
    }
    status = cuzk_porep_verify_vanilla(NULL, c1, &s->config, &owner, err);
    cuzk_c1_destroy(c1);
    return status;
}

static void check_patched(struct fixture_json record, const uint8_t *bytes, size_t length)
{
    uint8_t digest[32], expected[32];

    assert_int_equal(length, vector_u64(record, "result_len"));
    vector_hex(record, "result_sha256", expected, 32);
    cuzk_sha256_digest(bytes, length, digest);
    assert_memory_equal(digest, expected, 32);
}

static void test_malformed__end_as_the_cases_say(void **state)
{
    size_t length, cases = 0;
    uint8_t *text = fixture_read(&length, "sectors/malformed/malformed.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        char *base = fixture_json_string(fixture_json_get(record, "base"));
        char *name = fixture_json_string(fixture_json_get(record, "name"));

        if (strncmp(base, "porep-", 6) == 0) {
            size_t base_length, patched_length;
            uint8_t *whole, *patched;
            struct cuzk_error err = {0};
            const struct fixture_json lenient = fixture_json_get(record, "lenient");

            char *slash = strchr(base, '/');
            *slash = '\0';
            if (strcmp(slash + 1, "c1_wrapped.json") == 0)
                whole = fixture_read(&base_length, "sectors/%s/c1_wrapped.json", base);
            else
                whole = sector_c1(base, &base_length);
            struct sector s = sector_open(base);
            patched = json_patch(whole, base_length, record, &patched_length);
            check_patched(record, patched, patched_length);
            const size_t held = cuzk_mem_in_use();
            const enum cuzk_status status = run_case(&s, record, patched, patched_length, &err);
            assert_int_equal(cuzk_mem_in_use(), held);
            const int either = lenient.text != NULL && fixture_json_bool(lenient);
            enum cuzk_status expected = CUZK_OK;
            if (vector_is(record, "expect", "parse-error") ||
                vector_is(record, "expect", "invalid-proof-data"))
                expected = CUZK_INPUT;
            else if (vector_is(record, "expect", "must-not-verify"))
                expected = CUZK_INVALID;
            else
                assert_true(vector_is(record, "expect", "valid"));
            if (status != expected && !(either && (status == CUZK_OK || status == CUZK_INPUT)))
                fail_msg("%s: %s (%s)", name, cuzk_status_text(status), err.message);
            sector_close(&s);
            free(patched);
            free(whole);
            cases++;
        }
        free(name);
        free(base);
    }
    assert_int_equal(cases, 84);
    free(text);
}

static void test_decode__fails_at_every_allocation_without_a_leak(void **state)
{
    size_t length;
    uint8_t *bytes = fixture_read(&length, "sectors/porep-2k/c1_wrapped.json");
    const size_t held = cuzk_mem_in_use();
    struct cuzk_c1 *c1;
    size_t n = 0;

    (void)state;
    for (;; n++) {
        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = cuzk_c1_decode(bytes, length, NULL, &c1, NULL);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
        assert_null(c1);
        assert_int_equal(cuzk_mem_in_use(), held);
    }
    assert_true(n >= 3);
    cuzk_c1_destroy(c1);
    assert_int_equal(cuzk_mem_in_use(), held);
    free(bytes);
}

static enum cuzk_status full_write(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    size_t *room = context;

    (void)bytes;
    if (n > *room)
        return cuzk_error_set(err, CUZK_IO, "the disk is full");
    *room -= n;
    return CUZK_OK;
}

static void test_encode__passes_on_what_the_sink_says(void **state)
{
    size_t length;
    uint8_t *bytes = sector_c1("porep-2k", &length);
    struct cuzk_error err;
    struct cuzk_c1 *c1;

    (void)state;
    assert_int_equal(cuzk_c1_decode(bytes, length, NULL, &c1, NULL), CUZK_OK);
    for (size_t least = 0; least < length; least += 20011) {
        size_t room = least;
        const struct cuzk_sink sink = {full_write, &room};
        assert_int_equal(cuzk_c1_encode(c1, &sink, &err), CUZK_IO);
        assert_string_equal(err.message, "the disk is full");
        room = least;
        assert_int_equal(cuzk_c1_encode_wrapped(c1, 1, &sink, &err), CUZK_IO);
    }
    cuzk_c1_destroy(c1);
    free(bytes);
}

static void test_check__fails_at_every_allocation_without_a_leak(void **state)
{
    struct sector s = sector_open("porep-2k");
    size_t length, n = 0;
    uint8_t *bytes = sector_c1("porep-2k", &length);
    struct cuzk_c1 *c1;

    (void)state;
    assert_int_equal(cuzk_c1_decode(bytes, length, NULL, &c1, NULL), CUZK_OK);
    const size_t held = cuzk_mem_in_use();
    for (;; n++) {
        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = cuzk_porep_verify_vanilla(NULL, c1, &s.config, &s.owner, NULL);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_int_equal(cuzk_mem_in_use(), held);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
    }
    assert_int_equal(n, 1);
    cuzk_c1_destroy(c1);
    free(bytes);
    sector_close(&s);
}

static void test_check__refuses_a_configuration_of_another_size(void **state)
{
    size_t length;
    uint8_t *bytes = sector_c1("porep-2k", &length);
    struct cuzk_porep_owner owner = {.sector_number = 1};
    struct cuzk_porep_config config;
    struct cuzk_c1 *c1;

    (void)state;
    assert_int_equal(cuzk_c1_decode(bytes, length, NULL, &c1, NULL), CUZK_OK);
    cuzk_porep_config_registered(6, &config);
    assert_int_equal(cuzk_porep_verify_vanilla(NULL, c1, &config, NULL, NULL), CUZK_ARGUMENT);
    cuzk_porep_config_registered(15, &config);
    assert_int_equal(cuzk_porep_verify_vanilla(NULL, c1, &config, NULL, NULL), CUZK_ARGUMENT);
    assert_int_equal(cuzk_porep_verify_vanilla(NULL, c1, NULL, &owner, NULL), CUZK_ARGUMENT);
    cuzk_c1_destroy(c1);
    free(bytes);
}

static unsigned warnings_seen;

static void count_warning(void *context, const char *message)
{
    (void)context;
    assert_non_null(strstr(message, "\"surprise\""));
    warnings_seen++;
}

static void test_unknown_members__are_reported(void **state)
{
    static const char extra[] = "{\"surprise\":{\"a\":[1,-2.5e3,true,\"\\u00e9\\ud83d\\ude00\",null,{}]},";
    size_t length;
    uint8_t *bytes = sector_c1("porep-2k", &length);
    const struct cuzk_json_warnings warnings = {count_warning, NULL};
    uint8_t *more = malloc(length + sizeof extra);
    struct cuzk_c1 *c1;

    (void)state;
    memcpy(more, extra, sizeof extra - 1);
    memcpy(more + sizeof extra - 1, bytes + 1, length - 1);
    warnings_seen = 0;
    assert_int_equal(cuzk_c1_decode(more, length + sizeof extra - 2, &warnings, &c1, NULL), CUZK_OK);
    assert_int_equal(warnings_seen, 1);
    cuzk_c1_destroy(c1);
    free(more);
    free(bytes);
}

static void test_unknown_members__are_reported_a_few_times_only(void **state)
{
    size_t length, n = 1;
    uint8_t *bytes = sector_c1("porep-2k", &length);
    const struct cuzk_json_warnings warnings = {count_warning, NULL};
    uint8_t *more = malloc(length + 1000 * 16);
    struct cuzk_c1 *c1;

    (void)state;
    more[0] = '{';
    for (int i = 0; i < 1000; i++, n += 13)
        memcpy(more + n, "\"surprise\":0,", 13);
    memcpy(more + n, bytes + 1, length - 1);
    warnings_seen = 0;
    assert_int_equal(cuzk_c1_decode(more, n + length - 1, &warnings, &c1, NULL), CUZK_OK);
    assert_int_equal(warnings_seen, CUZK_JSON_STREAM_WARNINGS);
    cuzk_c1_destroy(c1);
    free(more);
    free(bytes);
}

static void test_duplicate_members__are_refused(void **state)
{
    size_t length;
    uint8_t *bytes = sector_c1("porep-2k", &length);
    const char *seed = strstr((char *)bytes, ",\"seed\":[");
    const char *after = strchr(seed, ']') + 1;
    const size_t n = (size_t)(after - seed), end = (size_t)((const uint8_t *)after - bytes);
    uint8_t *twice = malloc(length + n);
    struct cuzk_error err;
    struct cuzk_c1 *c1;

    (void)state;
    memcpy(twice, bytes, end);
    memcpy(twice + end, seed, n);
    memcpy(twice + end + n, after, length - end);
    assert_int_equal(cuzk_c1_decode(twice, length + n, NULL, &c1, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "\"seed\" occurs twice"));
    free(twice);
    free(bytes);
}

static void test_decode__of_every_truncation_is_an_error(void **state)
{
    size_t length;
    uint8_t *bytes = sector_c1("porep-2k", &length);

    (void)state;
    for (size_t n = 0; n < length; n += n < 700 || n > length - 300 ? 1 : 997) {
        uint8_t *exact = malloc(n > 0 ? n : 1); /* so that a sanitizer sees reads behind the end */
        struct cuzk_c1 *c1;
        memcpy(exact, bytes, n);
        assert_int_equal(cuzk_c1_decode(exact, n, NULL, &c1, NULL), CUZK_INPUT);
        free(exact);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode__of_what_was_decoded_is_the_same_text),
        cmocka_unit_test(test_wrapped__is_decoded_and_written_back),
        cmocka_unit_test(test_vanilla_proofs__of_the_reference_hold_and_give_its_inputs),
        cmocka_unit_test(test_malformed__end_as_the_cases_say),
        cmocka_unit_test(test_decode__fails_at_every_allocation_without_a_leak),
        cmocka_unit_test(test_encode__passes_on_what_the_sink_says),
        cmocka_unit_test(test_check__fails_at_every_allocation_without_a_leak),
        cmocka_unit_test(test_check__refuses_a_configuration_of_another_size),
        cmocka_unit_test(test_unknown_members__are_reported),
        cmocka_unit_test(test_unknown_members__are_reported_a_few_times_only),
        cmocka_unit_test(test_duplicate_members__are_refused),
        cmocka_unit_test(test_decode__of_every_truncation_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
