#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "server/message_maker.h"
#include "server/submit_request.h"

enum { POREP = 1, SNAP = 2, WINDOW = 3, WINNING = 4 };

static struct test_random random;
static struct message_maker maker;
static uint8_t blob[20000];

static enum cuzk_status read_request(struct cuzk_submit_request *out, struct cuzk_error *err)
{
    struct cuzk_protowire wire;

    cuzk_protowire_init(&wire, "SubmitProofRequest", maker.parts, maker.count);
    return cuzk_submit_request_read(&wire, out, err);
}

static void begin(uint64_t kind, uint64_t size, uint64_t registered)
{
    maker.length = 0;
    message_bytes(&maker, 1, "id", 2);
    message_number(&maker, 2, kind);
    message_number(&maker, 3, size);
    message_number(&maker, 4, registered);
}

static void assert_blob(const struct cuzk_request_blob *found, const void *bytes, size_t n)
{
    size_t at = 0;

    assert_int_equal(found->length, n);
    for (size_t i = 0; i < found->count; i++) {
        assert_memory_equal(found->parts[i].data, (const uint8_t *)bytes + at, found->parts[i].length);
        at += found->parts[i].length;
    }
    assert_int_equal(at, n);
}

static void test_read__takes_byte_strings_from_where_they_are(void **state)
{
    struct cuzk_submit_request request;
    struct cuzk_error err;
    uint8_t digest[32], first[32];

    (void)state;
    test_random_bytes(&random, blob, sizeof blob);
    for (int round = 0; round < 200; round++) {
        begin(POREP, 2048, 5);
        message_number(&maker, 5, 3);
        message_bytes(&maker, 10, blob, sizeof blob);
        message_bytes(&maker, 11, blob, 7);
        message_bytes(&maker, 11, blob, 0);
        message_bytes(&maker, 11, blob + 100, 900);
        message_number(&maker, 20, 7);
        message_number(&maker, 21, 1000);
        message_bytes(&maker, 22, blob, 32);
        message_number(&maker, 23, 9);
        message_cut(&maker, &random);
        assert_int_equal(read_request(&request, &err), CUZK_OK);
        assert_string_equal(request.request.request_id, "id");
        assert_int_equal(request.request.kind, CUZK_PROOF_KIND_POREP);
        assert_int_equal(request.request.sector_size, 2048);
        assert_int_equal(request.request.registered_proof, 5);
        assert_true(request.request.has_priority);
        assert_int_equal(request.request.priority, CUZK_PRIORITY_HIGH);
        assert_int_equal(request.request.sector_number, 7);
        assert_int_equal(request.request.miner_id, 1000);
        assert_int_equal(request.request.partition_index, 9);
        assert_blob(&request.request.vanilla_proof, blob, sizeof blob);
        assert_int_equal(request.request.vanilla_proof_count, 3);
        assert_blob(&request.request.vanilla_proofs[0], blob, 7);
        assert_blob(&request.request.vanilla_proofs[1], blob, 0);
        assert_blob(&request.request.vanilla_proofs[2], blob + 100, 900);
        assert_blob(&request.request.randomness, blob, 32);
        /* nothing was copied */
        for (size_t i = 0; i < request.request.vanilla_proof.count; i++) {
            const uint8_t *part = request.request.vanilla_proof.parts[i].data;

            assert_true(part >= maker.bytes && part < maker.bytes + maker.length);
        }
        cuzk_request_digest(&request.request, digest);
        if (round == 0)
            memcpy(first, digest, sizeof first);
        assert_memory_equal(digest, first, sizeof first); /* one content, one digest, however it is cut */
        cuzk_submit_request_close(&request);
    }
}

static void test_read__commitments_in_both_forms_are_one(void **state)
{
    static const uint8_t sealed[] = {0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20};
    static const uint8_t unsealed[] = {0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20};
    struct cuzk_submit_request request;
    struct cuzk_error err;

    (void)state;
    test_random_bytes(&random, blob, 96);
    for (int cid = 0; cid < 2; cid++) {
        begin(SNAP, 2048, 0);
        for (unsigned i = 0; i < 3; i++) {
            const uint8_t *prefix = i < 2 ? sealed : unsealed;
            const size_t n = cid == 0 ? 0 : i < 2 ? sizeof sealed : sizeof unsealed;

            message_varint(&maker, (30 + i) << 3 | 2);
            message_varint(&maker, n + 32);
            message_raw(&maker, prefix, n);
            message_raw(&maker, blob + (size_t)32 * i, 32);
        }
        message_cut(&maker, &random);
        assert_int_equal(read_request(&request, &err), CUZK_OK);
        assert_blob(&request.request.comm_r_old, blob, 32);
        assert_blob(&request.request.comm_r_new, blob + 32, 32);
        assert_blob(&request.request.comm_d_new, blob + 64, 32);
        cuzk_submit_request_close(&request);
    }
}

static void refuses(const char *words)
{
    struct cuzk_submit_request request;
    struct cuzk_error err = {0};
    const size_t before = cuzk_mem_in_use();

    message_cut(&maker, &random);
    assert_int_equal(read_request(&request, &err), CUZK_INPUT);
    if (strstr(err.message, words) == NULL)
        fail_msg("'%s' lacks '%s'", err.message, words);
    assert_int_equal(cuzk_mem_in_use(), before);
}

static void test_read__refuses_and_names_the_field(void **state)
{
    static char name[CUZK_REQUEST_ID_MOST + 1];

    (void)state;
    begin(0, 2048, 5);
    refuses("SubmitProofRequest: proof_kind: not given");
    begin(POREP, 0, 5);
    refuses("sector_size: not given");
    begin(POREP, 4096, 5);
    refuses("registered_proof: 5 is of sectors of 2048 bytes, sector_size says 4096");
    begin(POREP, 2048, 20);
    refuses("registered_proof: 20 is no number of this proof_kind");
    begin(WINDOW, 2048, 4);
    refuses("registered_proof: 4 is no number of this proof_kind");
    begin(WINNING, 2048, 5);
    refuses("registered_proof: 5 is no number of this proof_kind");
    begin(SNAP, 2048, UINT64_MAX);
    refuses("registered_proof: 18446744073709551615 is no number");
    begin(POREP, 2048, 5);
    memset(name, 'x', sizeof name);
    message_bytes(&maker, 1, name, sizeof name);
    refuses("request_id: 257 bytes, at most 256 are expected");
    begin(SNAP, 2048, 0);
    message_bytes(&maker, 30, blob, 31);
    refuses("comm_r_old: expected 32 bytes, or the 40 of the CIDv1 of a sealed commitment, found 31");
    begin(SNAP, 2048, 0);
    memset(blob, 0, 64);
    message_bytes(&maker, 32, blob, 39);
    refuses("comm_d_new: 39 bytes that do not begin as the CIDv1 of an unsealed commitment");
    begin(WINDOW, 2048, 10);
    for (int i = 0; i <= CUZK_REQUEST_VANILLA_MOST; i++)
        message_bytes(&maker, 11, blob, 1);
    refuses("vanilla_proofs: more than 4096 of them");
}

/* Sizes that are registered nowhere exist for tests: their number is 0. */
static void test_read__unregistered_sizes_have_number_zero(void **state)
{
    struct cuzk_submit_request request;
    struct cuzk_error err;

    (void)state;
    begin(POREP, 16384, 0);
    message_whole(&maker);
    assert_int_equal(read_request(&request, &err), CUZK_OK);
    cuzk_submit_request_close(&request);
    begin(POREP, 16384, 5);
    refuses("registered_proof: 5 is of sectors of 2048 bytes");
}

static void test_in_prove__finds_the_request_inside(void **state)
{
    static uint8_t inside[256];
    struct cuzk_protowire wire, inner;
    struct cuzk_submit_request request;
    struct cuzk_error err;

    (void)state;
    begin(WINNING, 2048, 0);
    message_bytes(&maker, 22, "0123456789abcdef0123456789abcdef", 32);
    const size_t n = maker.length;

    memcpy(inside, maker.bytes, n);
    for (int round = 0; round < 100; round++) {
        maker.length = 0;
        message_number(&maker, 9, 1);
        message_bytes(&maker, 1, inside, n);
        message_bytes(&maker, 12, inside, n);
        message_cut(&maker, &random);
        cuzk_protowire_init(&wire, "ProveRequest", maker.parts, maker.count);
        assert_int_equal(cuzk_submit_request_in_prove(&wire, &inner, &err), CUZK_OK);
        assert_int_equal(cuzk_submit_request_read(&inner, &request, &err), CUZK_OK);
        assert_int_equal(request.request.kind, CUZK_PROOF_KIND_WINNING_POST);
        assert_blob(&request.request.randomness, "0123456789abcdef0123456789abcdef", 32);
        cuzk_submit_request_close(&request);
    }
    message_bytes(&maker, 1, inside, n);
    message_whole(&maker);
    cuzk_protowire_init(&wire, "ProveRequest", maker.parts, maker.count);
    assert_int_equal(cuzk_submit_request_in_prove(&wire, &inner, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "ProveRequest: submit: given twice"));
    maker.length = 0;
    message_number(&maker, 1, 1);
    message_whole(&maker);
    cuzk_protowire_init(&wire, "ProveRequest", maker.parts, maker.count);
    assert_int_equal(cuzk_submit_request_in_prove(&wire, &inner, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "submit: wire type 0 where 2 is expected (offset 0)"));
    maker.length = 0;
    message_whole(&maker);
    cuzk_protowire_init(&wire, "ProveRequest", maker.parts, maker.count);
    assert_int_equal(cuzk_submit_request_in_prove(&wire, &inner, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "submit: not given"));
}

static void test_read__failed_allocations_end_in_an_error(void **state)
{
    struct cuzk_submit_request request;
    struct cuzk_error err;
    enum cuzk_status status;
    unsigned failures = 0;

    (void)state;
    begin(POREP, 2048, 5);
    message_bytes(&maker, 10, blob, 100);
    message_bytes(&maker, 11, blob, 100);
    message_cut(&maker, &random);
    for (unsigned at = 0;; at++) {
        const size_t before = cuzk_mem_in_use();

        cuzk_mem_fail_after(at, 0);
        status = read_request(&request, &err);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        if (status == CUZK_OK)
            break;
        failures++;
        assert_int_equal(cuzk_mem_in_use(), before);
    }
    assert_true(failures >= 4);
    cuzk_submit_request_close(&request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__takes_byte_strings_from_where_they_are),
        cmocka_unit_test(test_read__commitments_in_both_forms_are_one),
        cmocka_unit_test(test_read__refuses_and_names_the_field),
        cmocka_unit_test(test_read__unregistered_sizes_have_number_zero),
        cmocka_unit_test(test_in_prove__finds_the_request_inside),
        cmocka_unit_test(test_read__failed_allocations_end_in_an_error),
    };

    test_random_init(&random);
    return cmocka_run_group_tests_name("server/submit_request", tests, NULL, NULL);
}
