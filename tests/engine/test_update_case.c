/* Updates as requests: what the fields must be, commitments raw and as CIDs, cases, witnesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "circuit/circuit.h"
#include "engine/update_case.h"
#include "support/fixture.h"

enum { PARTITIONS = 2 };

static const uint8_t sealed_cid[] = {0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20};
static const uint8_t unsealed_cid[] = {0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20};

/* The request of a fixture, every blob in one part. */
struct made {
    struct cuzk_request request;
    struct cuzk_request_blob blobs[PARTITIONS + 1];
    struct cuzk_request_part parts[PARTITIONS + 1], commitment_parts[3];
    uint8_t commitments[3][40];
    uint8_t *bytes[PARTITIONS];
};

static void commitment(struct made *made, unsigned i, struct fixture_json record, const char *name,
                       struct cuzk_request_blob *out)
{
    fixture_json_hex(fixture_json_get(record, name), made->commitments[i], 32);
    made->commitment_parts[i] = (struct cuzk_request_part){made->commitments[i], 32};
    *out = (struct cuzk_request_blob){&made->commitment_parts[i], 1, 32};
}

static void make(const char *folder, unsigned partitions, struct made *made)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "sectors/%s/update.json", folder);
    const struct fixture_json record = fixture_json_parse(text);

    memset(made, 0, sizeof *made);
    made->request.request_id = "update";
    made->request.kind = CUZK_PROOF_KIND_SNAP;
    made->request.sector_size = fixture_json_u64(fixture_json_get(record, "sector_size"));
    commitment(made, 0, record, "comm_r_old", &made->request.comm_r_old);
    commitment(made, 1, record, "comm_r_new", &made->request.comm_r_new);
    commitment(made, 2, record, "comm_d_new", &made->request.comm_d_new);
    for (unsigned k = 0; k < partitions; k++) {
        made->bytes[k] = fixture_read(&length, "sectors/%s/partition-%u.bin", folder, k);
        made->parts[k] = (struct cuzk_request_part){made->bytes[k], length};
        made->blobs[k] = (struct cuzk_request_blob){&made->parts[k], 1, length};
    }
    made->request.vanilla_proofs = made->blobs;
    made->request.vanilla_proof_count = partitions;
    free(text);
}

static void drop(struct made *made)
{
    for (unsigned k = 0; k < PARTITIONS; k++)
        free(made->bytes[k]);
}

static void check(const char *folder, unsigned partitions)
{
    struct cuzk_circuit_id id;
    struct cuzk_circuit circuit;
    struct cuzk_witness_layout layout;
    struct cuzk_case *that;
    struct cuzk_error err;
    struct made made;
    unsigned count;

    make(folder, partitions, &made);
    assert_int_equal(cuzk_update_look(&made.request, &id, &count, &err), CUZK_OK);
    assert_int_equal(count, partitions);
    assert_int_equal(id.kind, CUZK_CIRCUIT_SNAP);
    assert_true(id.sector_size == made.request.sector_size);
    if (cuzk_update_open(&made.request, NULL, &that, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    drop(&made); /* the case owns what it needs */
    assert_int_equal(that->ops->check(that, NULL, &err), CUZK_OK);
    assert_int_equal(cuzk_circuit_open(&id, &circuit, NULL), CUZK_OK);
    assert_int_equal(cuzk_circuit_layout(&circuit, &layout, NULL), CUZK_OK);
    for (unsigned k = 0; k < partitions; k++) {
        struct cuzk_witness witness;
        assert_int_equal(cuzk_witness_create(&layout, &witness, NULL), CUZK_OK);
        assert_int_equal(that->ops->witness(that, k, &circuit, NULL, NULL, &witness, &err), CUZK_OK);
        assert_int_equal(cuzk_circuit_check(&circuit, &layout, &witness, NULL, &err), CUZK_OK);
        cuzk_witness_destroy(&witness);
    }
    cuzk_witness_layout_destroy(&layout);
    cuzk_case_close(that);
}

static void test_update_case__requests_become_witnesses(void **state)
{
    (void)state;
    check("update-2k", 1);
    check("update-32k", 2);
}

static void test_update_case__commitments_may_be_cids(void **state)
{
    struct cuzk_circuit_id id;
    struct cuzk_error err;
    struct made made;
    unsigned count;

    (void)state;
    make("update-2k", 1, &made);
    for (unsigned i = 0; i < 3; i++) {
        const uint8_t *prefix = i < 2 ? sealed_cid : unsealed_cid;
        const size_t n = i < 2 ? sizeof sealed_cid : sizeof unsealed_cid;
        memmove(made.commitments[i] + n, made.commitments[i], 32);
        memcpy(made.commitments[i], prefix, n);
        made.commitment_parts[i].length = n + 32;
    }
    made.request.comm_r_old.length = made.request.comm_r_new.length = 40;
    made.request.comm_d_new.length = 39;
    assert_int_equal(cuzk_update_look(&made.request, &id, &count, &err), CUZK_OK);
    made.commitments[1][3] ^= 1;
    assert_int_equal(cuzk_update_look(&made.request, &id, &count, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "comm_r_new"));
    drop(&made);
}

static void refuse(const char *field, const struct cuzk_request *request)
{
    struct cuzk_circuit_id id;
    struct cuzk_error err = {0};
    unsigned count;

    assert_int_equal(cuzk_update_look(request, &id, &count, &err), CUZK_INPUT);
    if (strstr(err.message, field) != err.message)
        fail_msg("expected an error about %s, found: %s", field, err.message);
}

static void test_update_look__names_the_field(void **state)
{
    struct made made;

    (void)state;
    make("update-2k", 1, &made);
    struct cuzk_request r = made.request;
    r.sector_size = 1000;
    refuse("sector_size", &r);
    r = made.request;
    r.registered_proof = 5;
    refuse("registered_proof", &r);
    r.registered_proof = 3;
    refuse("registered_proof", &r);
    r = made.request;
    r.vanilla_proof_count = 0;
    refuse("vanilla_proofs", &r);
    r = made.request;
    r.vanilla_proof = made.blobs[0];
    refuse("vanilla_proof", &r);
    r = made.request;
    r.comm_d_new.length = 31;
    made.commitment_parts[2].length = 31;
    refuse("comm_d_new", &r);
    made.commitment_parts[2].length = 32;
    memset(made.commitments[0], 0xff, 32);
    refuse("comm_r_old", &made.request);
    drop(&made);
}

static void test_update_open__damaged_proofs_name_their_place(void **state)
{
    struct cuzk_case *that;
    struct cuzk_error err;
    struct made made;

    (void)state;
    make("update-32k", 2, &made);
    made.bytes[1][32] ^= 1; /* the count of apex leaves */
    assert_int_equal(cuzk_update_open(&made.request, NULL, &that, &err), CUZK_INPUT);
    assert_null(that);
    assert_non_null(strstr(err.message, "vanilla_proofs[1]"));
    assert_non_null(strstr(err.message, "offset 32"));
    made.bytes[1][32] ^= 1;
    made.bytes[0][45] ^= 1; /* an apex leaf */
    assert_int_equal(cuzk_update_open(&made.request, NULL, &that, &err), CUZK_OK);
    assert_int_equal(that->ops->check(that, NULL, &err), CUZK_INVALID);
    assert_non_null(strstr(err.message, "partition 0"));
    cuzk_case_close(that);
    drop(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_update_case__requests_become_witnesses),
        cmocka_unit_test(test_update_case__commitments_may_be_cids),
        cmocka_unit_test(test_update_look__names_the_field),
        cmocka_unit_test(test_update_open__damaged_proofs_name_their_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
