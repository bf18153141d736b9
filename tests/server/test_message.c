#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cuzk/v1/proving.pb-c.h"
#include "server/message.h"
#include "server/message_maker.h"

static struct test_random random;
static struct message_maker maker;

static enum cuzk_status read_await(Cuzk__V1__AwaitProofRequest **out, struct cuzk_error *err)
{
    struct cuzk_protowire wire;
    ProtobufCMessage *message;

    cuzk_protowire_init(&wire, "AwaitProofRequest", maker.parts, maker.count);
    const enum cuzk_status status =
        cuzk_message_read(&cuzk__v1__await_proof_request__descriptor, &wire, NULL, &message, err);

    *out = (Cuzk__V1__AwaitProofRequest *)message;
    return status;
}

static void test_read__skips_unknown_fields_and_takes_the_last(void **state)
{
    static const uint8_t large[100000];
    Cuzk__V1__AwaitProofRequest *request;
    struct cuzk_error err;

    (void)state;
    for (int round = 0; round < 100; round++) {
        maker.length = 0;
        message_bytes(&maker, 1, "first", 5);
        message_bytes(&maker, 77, large, sizeof large); /* larger than a message's own fields may be */
        message_number(&maker, 2, 5);
        message_bytes(&maker, 1, "second", 6);
        message_number(&maker, 2, UINT64_MAX);
        message_cut(&maker, &random);
        assert_int_equal(read_await(&request, &err), CUZK_OK);
        assert_string_equal(request->job_id, "second");
        assert_true(request->timeout_ms == UINT64_MAX);
        cuzk_message_free(&request->base);
    }
}

static void test_read__an_empty_message_has_the_defaults(void **state)
{
    Cuzk__V1__AwaitProofRequest *request;
    struct cuzk_error err;

    (void)state;
    maker.length = 0;
    message_whole(&maker);
    assert_int_equal(read_await(&request, &err), CUZK_OK);
    assert_string_equal(request->job_id, "");
    assert_int_equal(request->timeout_ms, 0);
    cuzk_message_free(&request->base);
}

static void refuses(const char *words)
{
    Cuzk__V1__AwaitProofRequest *request;
    struct cuzk_error err = {0};

    message_cut(&maker, &random);
    assert_int_equal(read_await(&request, &err), CUZK_INPUT);
    assert_null(request);
    if (strstr(err.message, words) == NULL)
        fail_msg("'%s' lacks '%s'", err.message, words);
    maker.length = 0;
}

static void test_read__names_what_is_wrong(void **state)
{
    static const char large[CUZK_MESSAGE_SMALL_MOST + 1];

    (void)state;
    maker.length = 0;
    message_number(&maker, 1, 7);
    refuses("job_id: wire type 0 where 2 is expected (offset 0)");
    message_number(&maker, 2, 7);
    message_bytes(&maker, 2, "7", 1);
    refuses("timeout_ms: wire type 2 where 0 is expected (offset 2)");
    message_bytes(&maker, 1, "\xff", 1);
    refuses("job_id: no UTF-8 text without zero bytes (offset 0)");
    message_bytes(&maker, 1, "a\0b", 3);
    refuses("job_id: no UTF-8 text");
    message_bytes(&maker, 1, large, sizeof large);
    refuses("job_id: 65537 bytes, at most 65536 are expected (offset 0)");
    for (int i = 0; i < 30000; i++)
        message_bytes(&maker, 1, "a", 1);
    refuses("fields of more than 65536 bytes together");
}

/* Values that protobuf would cut or take for another are refused. */
static void test_read__numbers_keep_to_their_types(void **state)
{
    static const struct {
        uint32_t field;
        uint64_t value;
        const char *words; /* NULL: fine */
    } cases[] = {
        {2, 4, NULL},
        {2, 5, "proof_kind: 5 is none of its values"},
        {2, UINT64_MAX, "proof_kind: 18446744073709551615 is none"},
        {5, 4, NULL},
        {5, (UINT64_C(1) << 32) + 1, "priority: 4294967297 is none"},
        {23, UINT32_MAX, NULL},
        {23, UINT64_C(1) << 32, "partition_index: 4294967296 is more than 32 bits can hold"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_protowire wire;
        struct cuzk_error err = {0};
        ProtobufCMessage *message;

        maker.length = 0;
        message_number(&maker, cases[i].field, cases[i].value);
        message_cut(&maker, &random);
        cuzk_protowire_init(&wire, "SubmitProofRequest", maker.parts, maker.count);
        const enum cuzk_status status =
            cuzk_message_read(&cuzk__v1__submit_proof_request__descriptor, &wire, NULL, &message, &err);

        assert_int_equal(status, cases[i].words == NULL ? CUZK_OK : CUZK_INPUT);
        if (cases[i].words != NULL && strstr(err.message, cases[i].words) == NULL)
            fail_msg("'%s' lacks '%s'", err.message, cases[i].words);
        cuzk_message_free(message);
    }
}

/* Every allocation may fail: an error, and nothing is left behind. */
static void test_read__failed_allocations_end_in_an_error(void **state)
{
    Cuzk__V1__AwaitProofRequest *request;
    struct cuzk_error err;
    enum cuzk_status status;
    unsigned failures = 0;

    (void)state;
    maker.length = 0;
    message_bytes(&maker, 1, "0000000000000001", 16);
    message_whole(&maker);
    for (unsigned at = 0;; at++) {
        const size_t before = cuzk_mem_in_use();

        cuzk_mem_fail_after(at, 0);
        status = read_await(&request, &err);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        if (status == CUZK_OK)
            break;
        failures++;
        assert_null(request);
        assert_int_equal(cuzk_mem_in_use(), before);
    }
    assert_true(failures >= 3);
    cuzk_message_free(&request->base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__skips_unknown_fields_and_takes_the_last),
        cmocka_unit_test(test_read__an_empty_message_has_the_defaults),
        cmocka_unit_test(test_read__names_what_is_wrong),
        cmocka_unit_test(test_read__numbers_keep_to_their_types),
        cmocka_unit_test(test_read__failed_allocations_end_in_an_error),
    };

    test_random_init(&random);
    return cmocka_run_group_tests_name("server/message", tests, NULL, NULL);
}
