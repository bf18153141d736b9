/* PoSt requests: what is refused by looking, by decoding and by checking; what a request derives equals the
 * recorded public inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/post_case.h"
#include "support/fixture.h"

enum { WINNING_2K = 0, WINDOW_V1_2K = 5, WINDOW_2K = 10, SECTORS = 2 };

/* A request of window-2k, its members free to be changed. */
struct made {
    struct cuzk_request request;
    struct cuzk_request_part randomness_part, parts[SECTORS];
    struct cuzk_request_blob blobs[SECTORS];
    uint8_t randomness[33];
    char *text;
};

static void make(struct made *m)
{
    static const char *const files[SECTORS] = {"vanilla-2.bin", "vanilla-1.bin"};
    size_t length;

    memset(m, 0, sizeof *m);
    m->text = (char *)fixture_read(&length, "sectors/window-2k/post.json");
    fixture_json_hex(fixture_json_get(fixture_json_parse(m->text), "randomness"), m->randomness, 32);
    m->randomness[31] |= 0xc0; /* which the chain clears */
    m->randomness_part = (struct cuzk_request_part){m->randomness, 32};
    for (size_t i = 0; i < SECTORS; i++) {
        m->parts[i].data = fixture_read(&m->parts[i].length, "sectors/window-2k/%s", files[i]);
        m->blobs[i] = (struct cuzk_request_blob){&m->parts[i], 1, m->parts[i].length};
    }
    m->request = (struct cuzk_request){.request_id = "wpost",
                                       .kind = CUZK_PROOF_KIND_WINDOW_POST,
                                       .sector_size = 2048,
                                       .registered_proof = WINDOW_2K,
                                       .vanilla_proofs = m->blobs,
                                       .vanilla_proof_count = SECTORS,
                                       .randomness = {&m->randomness_part, 1, 32}};
}

static void unmake(struct made *m)
{
    for (size_t i = 0; i < SECTORS; i++)
        free((void *)(uintptr_t)m->parts[i].data);
    free(m->text);
}

static void refused(struct made *m, enum cuzk_proof_kind kind, const char *named)
{
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(kind);
    struct cuzk_circuit_id circuit;
    struct cuzk_error err;
    unsigned partitions;

    m->request.kind = kind;
    assert_int_equal(row->look(&m->request, &circuit, &partitions, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, named));
}

static void test_look__names_the_field(void **state)
{
    struct made m;

    (void)state;
    make(&m);
    m.request.registered_proof = WINNING_2K;
    refused(&m, CUZK_PROOF_KIND_WINDOW_POST, "registered_proof");
    m.request.registered_proof = 15;
    refused(&m, CUZK_PROOF_KIND_WINDOW_POST, "registered_proof");
    m.request.registered_proof = WINDOW_2K + 1;
    refused(&m, CUZK_PROOF_KIND_WINDOW_POST, "sector_size");
    m.request.registered_proof = WINDOW_2K;
    refused(&m, CUZK_PROOF_KIND_WINNING_POST, "registered_proof");
    m.request.randomness.length = m.randomness_part.length = 31;
    refused(&m, CUZK_PROOF_KIND_WINDOW_POST, "randomness");
    m.request.randomness.length = m.randomness_part.length = 33;
    refused(&m, CUZK_PROOF_KIND_WINDOW_POST, "randomness");
    m.request.randomness.length = m.randomness_part.length = 32;
    m.request.vanilla_proof_count = 0;
    refused(&m, CUZK_PROOF_KIND_WINDOW_POST, "vanilla_proofs");
    m.request.vanilla_proof_count = 3;
    refused(&m, CUZK_PROOF_KIND_WINDOW_POST, "vanilla_proofs");
    m.request.registered_proof = WINNING_2K;
    m.request.vanilla_proof_count = 2;
    refused(&m, CUZK_PROOF_KIND_WINNING_POST, "vanilla_proofs");
    unmake(&m);
}

static void test_open__derives_the_recorded_inputs(void **state)
{
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(CUZK_PROOF_KIND_WINDOW_POST);
    size_t length;
    char *text = (char *)fixture_read(&length, "sectors/window-2k/public_inputs.json");
    struct fixture_json input = {0};
    struct cuzk_circuit_id circuit;
    struct cuzk_error err;
    struct cuzk_case *that;
    unsigned partitions, i = 0;
    struct made m;

    (void)state;
    make(&m);
    assert_false(row->batchable);
    assert_int_equal(row->priority, CUZK_PRIORITY_HIGH);
    assert_int_equal(cuzk_proof_kind_row(CUZK_PROOF_KIND_WINNING_POST)->priority, CUZK_PRIORITY_CRITICAL);
    assert_int_equal(row->look(&m.request, &circuit, &partitions, &err), CUZK_OK);
    assert_int_equal(circuit.kind, CUZK_CIRCUIT_WPOST);
    assert_int_equal(partitions, 1);
    if (row->open(&m.request, NULL, &that, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(that->partitions, 1);
    const struct cuzk_fr *inputs = that->ops->inputs(that, 0);

    for (; fixture_json_next(fixture_json_get(fixture_json_parse(text), "inputs"), &input); i++) {
        uint8_t wanted[CUZK_FR_BYTES], own[CUZK_FR_BYTES];

        fixture_json_hex(input, wanted, sizeof wanted);
        cuzk_fr_to_bytes(&inputs[i], own);
        assert_memory_equal(wanted, own, sizeof own);
    }
    assert_int_equal(i, that->inputs);
    assert_int_equal(that->ops->check(that, NULL, &err), CUZK_OK);
    cuzk_case_close(that);
    free(text);
    unmake(&m);
}

static void test_open__refuses_what_is_not_so(void **state)
{
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(CUZK_PROOF_KIND_WINDOW_POST);
    struct cuzk_error err;
    struct cuzk_case *that;
    struct made m;

    (void)state;
    make(&m);
    const struct cuzk_request_blob second = m.blobs[1];

    m.blobs[1] = m.blobs[0];
    assert_int_equal(row->open(&m.request, NULL, &that, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "sector 2 comes twice"));
    assert_null(that);
    m.blobs[1] = second;
    m.parts[1].length--;
    m.blobs[1].length--;
    assert_int_equal(row->open(&m.request, NULL, &that, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "vanilla_proofs[1]: comm_r_last"));
    m.parts[1].length++;
    m.blobs[1].length++;

    /* other randomness: other challenges */
    m.randomness[0] ^= 1;
    assert_int_equal(row->open(&m.request, NULL, &that, &err), CUZK_OK);
    assert_int_equal(that->ops->check(that, NULL, &err), CUZK_INVALID);
    assert_non_null(strstr(err.message, "sector 1: challenge "));
    cuzk_case_close(that);
    m.randomness[0] ^= 1;

    /* in the legacy version a sector's place counts: the second partition's challenges are others */
    m.request.registered_proof = WINDOW_V1_2K;
    m.request.partition_index = 1;
    assert_int_equal(row->open(&m.request, NULL, &that, &err), CUZK_OK);
    assert_int_equal(that->ops->check(that, NULL, &err), CUZK_INVALID);
    cuzk_case_close(that);
    m.request.registered_proof = WINDOW_2K;
    assert_int_equal(row->open(&m.request, NULL, &that, &err), CUZK_OK);
    assert_int_equal(that->ops->check(that, NULL, &err), CUZK_OK);
    cuzk_case_close(that);
    unmake(&m);
}

/* A witness that ends with other inputs is of a request that is not right, and the check says why. */
static void test_compare_inputs__says_what_the_check_says(void **state)
{
    struct made m;
    struct cuzk_case *that;
    struct cuzk_error err;

    (void)state;
    make(&m);
    assert_int_equal(cuzk_window_open(&m.request, NULL, &that, &err), CUZK_OK);
    struct cuzk_fr *inputs = calloc(that->inputs + 1, sizeof *inputs);
    const struct cuzk_witness witness = {.inputs = inputs};

    memcpy(inputs + 1, that->ops->inputs(that, 0), that->inputs * sizeof *inputs);
    assert_int_equal(cuzk_case_compare_inputs(that, 0, &witness, NULL, &err), CUZK_OK);
    inputs[that->inputs] = (struct cuzk_fr){0};
    assert_int_equal(cuzk_case_compare_inputs(that, 0, &witness, NULL, &err), CUZK_INVALID);
    assert_non_null(strstr(err.message, "is not the one that a verifier derives"));
    cuzk_case_close(that);
    m.randomness[0] ^= 1;
    assert_int_equal(cuzk_window_open(&m.request, NULL, &that, &err), CUZK_OK);
    assert_int_equal(cuzk_case_compare_inputs(that, 0, &witness, NULL, &err), CUZK_INVALID);
    assert_non_null(strstr(err.message, "challenge"));
    cuzk_case_close(that);
    free(inputs);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_look__names_the_field),
        cmocka_unit_test(test_open__derives_the_recorded_inputs),
        cmocka_unit_test(test_open__refuses_what_is_not_so),
        cmocka_unit_test(test_compare_inputs__says_what_the_check_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
