/* What must not be proved, of every kind: one table. Each damage is refused while
 * looking, while decoding or by the check before proving, and the error says what is wrong and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "engine/proof_kind.h"
#include "support/fixture.h"

enum { PROOFS = 3 };

/* Offsets in a 2 KiB PoSt vanilla proof and in a 32 KiB update's: before the Merkle proofs, and in the first.
 */
enum {
    POST_SECTORS = 40,
    POST_PATHS = 48,
    POST_TAG = 56,
    POST_LEVELS = 124,
    POST_LEVEL_SIBLINGS = 132,
    POST_SIBLING = 140,
    UPDATE_APEX = 32,
    UPDATE_CHALLENGES = 40 + 128 * 32,
    UPDATE_TAG = UPDATE_CHALLENGES + 8,
    UPDATE_LEVELS = UPDATE_TAG + 4,
    UPDATE_SIBLING = UPDATE_LEVELS + 16,
};

/* A request whose members are free to be changed. */
struct made {
    struct cuzk_request request;
    struct cuzk_request_blob blobs[PROOFS];
    struct cuzk_request_part parts[PROOFS], randomness_part, commitment_parts[3];
    uint8_t *bytes[PROOFS]; /* with room for 8 bytes more */
    uint8_t randomness[64], commitments[3][40];
    char *text;
};

static void give(struct made *m, unsigned i, const char *folder, const char *file)
{
    size_t length;
    uint8_t *read = fixture_read(&length, "sectors/%s/%s", folder, file);

    m->bytes[i] = calloc(1, length + 8);
    memcpy(m->bytes[i], read, length);
    free(read);
    m->parts[i] = (struct cuzk_request_part){m->bytes[i], length};
    m->blobs[i] = (struct cuzk_request_blob){&m->parts[i], 1, length};
    m->request.vanilla_proof_count = i + 1;
}

static void make_post(struct made *m, const char *folder, enum cuzk_proof_kind kind, uint64_t registered)
{
    size_t length;

    m->text = (char *)fixture_read(&length, "sectors/%s/post.json", folder);
    fixture_json_hex(fixture_json_get(fixture_json_parse(m->text), "randomness"), m->randomness, 32);
    m->randomness_part = (struct cuzk_request_part){m->randomness, 32};
    m->request = (struct cuzk_request){.request_id = "",
                                       .kind = kind,
                                       .sector_size = 2048,
                                       .registered_proof = registered,
                                       .vanilla_proofs = m->blobs,
                                       .randomness = {&m->randomness_part, 1, 32}};
}

static void make_window(struct made *m)
{
    make_post(m, "window-2k", CUZK_PROOF_KIND_WINDOW_POST, 10);
    give(m, 0, "window-2k", "vanilla-1.bin");
    give(m, 1, "window-2k", "vanilla-2.bin");
}

static void make_winning(struct made *m)
{
    make_post(m, "winning-2k", CUZK_PROOF_KIND_WINNING_POST, 0);
    give(m, 0, "winning-2k", "vanilla-42.bin");
}

static void make_update(struct made *m)
{
    static const char *const names[] = {"comm_r_old", "comm_r_new", "comm_d_new"};
    struct cuzk_request_blob *const blobs[] = {&m->request.comm_r_old, &m->request.comm_r_new,
                                               &m->request.comm_d_new};
    size_t length;

    m->text = (char *)fixture_read(&length, "sectors/update-32k/update.json");
    m->request = (struct cuzk_request){
        .request_id = "", .kind = CUZK_PROOF_KIND_SNAP, .sector_size = 32768, .vanilla_proofs = m->blobs};
    for (size_t i = 0; i < 3; i++) {
        fixture_json_hex(fixture_json_get(fixture_json_parse(m->text), names[i]), m->commitments[i], 32);
        m->commitment_parts[i] = (struct cuzk_request_part){m->commitments[i], 32};
        *blobs[i] = (struct cuzk_request_blob){&m->commitment_parts[i], 1, 32};
    }
    give(m, 0, "update-32k", "partition-0.bin");
    give(m, 1, "update-32k", "partition-1.bin");
}

static void make_porep(struct made *m)
{
    m->request = (struct cuzk_request){.request_id = "",
                                       .kind = CUZK_PROOF_KIND_POREP,
                                       .sector_size = 2048,
                                       .registered_proof = 5,
                                       .miner_id = 1000,
                                       .sector_number = 1,
                                       .vanilla_proofs = m->blobs};
    give(m, 0, "porep-2k", "c1.json");
    m->request.vanilla_proof = m->blobs[0];
    m->request.vanilla_proof_count = 0;
}

static void unmake(struct made *m)
{
    for (size_t i = 0; i < PROOFS; i++)
        free(m->bytes[i]);
    free(m->text);
}

/* ---- damages ---- */

static void length_of(struct made *m, unsigned i, size_t length)
{
    m->parts[i].length = length;
    m->blobs[i].length = length;
}

static void no_proofs(struct made *m)
{
    m->request.vanilla_proof_count = 0;
}

static void one_more(struct made *m)
{
    m->blobs[m->request.vanilla_proof_count] = m->blobs[0];
    m->request.vanilla_proof_count++;
}

static void one_less(struct made *m)
{
    m->request.vanilla_proof_count--;
}

static void twice(struct made *m)
{
    m->blobs[1] = m->blobs[0];
}

static void swapped(struct made *m)
{
    const struct cuzk_request_blob first = m->blobs[0];

    m->blobs[0] = m->blobs[1];
    m->blobs[1] = first;
}

static void empty_proof(struct made *m)
{
    length_of(m, 0, 0);
}

static void truncated(struct made *m)
{
    length_of(m, 0, m->parts[0].length - 1);
}

static void extended(struct made *m)
{
    length_of(m, 0, m->parts[0].length + 1);
}

static void of_other_kind(struct made *m)
{
    m->request.registered_proof = m->request.kind == CUZK_PROOF_KIND_WINNING_POST ? 5 : 0;
}

static void of_other_size(struct made *m)
{
    m->request.registered_proof += 3;
}

static void no_size(struct made *m)
{
    m->request.sector_size = 0;
}

static void randomness_length(struct made *m, size_t length)
{
    m->randomness_part.length = length;
    m->request.randomness.length = length;
}

static void randomness_short(struct made *m)
{
    randomness_length(m, 31);
}

static void randomness_long(struct made *m)
{
    randomness_length(m, 33);
}

static void randomness_none(struct made *m)
{
    randomness_length(m, 0);
}

static void randomness_other(struct made *m)
{
    m->randomness[31] ^= 0x20; /* the highest bit that counts */
}

static void put(struct made *m, size_t offset, uint64_t value)
{
    cuzk_store_u64le(value, m->bytes[0] + offset);
}

static void other_sector(struct made *m)
{
    put(m, 0, 77);
}

static void large_comm_r(struct made *m)
{
    memset(m->bytes[0] + 8, 0xff, 32);
}

static void other_comm_r(struct made *m)
{
    m->bytes[0][8] ^= 1;
}

static void huge_sectors(struct made *m)
{
    put(m, POST_SECTORS, UINT64_MAX);
}

static void huge_paths(struct made *m)
{
    put(m, POST_PATHS, UINT64_C(1) << 40);
}

static void huge_levels(struct made *m)
{
    put(m, POST_LEVELS, UINT64_MAX);
}

static void huge_siblings(struct made *m)
{
    put(m, POST_LEVEL_SIBLINGS, UINT64_C(1) << 61);
}

static void other_tag(struct made *m)
{
    m->bytes[0][POST_TAG] = 2;
}

static void wrong_sibling(struct made *m)
{
    m->bytes[0][POST_SIBLING] ^= 1;
}

static void wrong_comm_c(struct made *m)
{
    m->bytes[0][m->parts[0].length - 64] ^= 1;
}

static void other_partition(struct made *m)
{
    m->request.registered_proof = 5; /* before api 1.2.0 a sector's place counts */
    m->request.partition_index = 1;
}

static void huge_apex(struct made *m)
{
    put(m, UPDATE_APEX, UINT64_MAX);
}

static void huge_challenges(struct made *m)
{
    put(m, UPDATE_CHALLENGES, UINT64_C(1) << 33);
}

static void update_tag(struct made *m)
{
    m->bytes[0][UPDATE_TAG] ^= 1;
}

static void update_levels(struct made *m)
{
    put(m, UPDATE_LEVELS, UINT64_C(1) << 62);
}

static void update_sibling(struct made *m)
{
    m->bytes[0][UPDATE_SIBLING] ^= 1;
}

static void wrong_apex(struct made *m)
{
    m->bytes[0][40] ^= 1;
}

static void wrong_update_comm_c(struct made *m)
{
    m->bytes[0][0] ^= 1;
}

static void short_commitment(struct made *m)
{
    m->commitment_parts[1].length = m->request.comm_r_new.length = 31;
}

static void large_commitment(struct made *m)
{
    memset(m->commitments[2], 0xff, 32);
}

static void swapped_commitments(struct made *m)
{
    const struct cuzk_request_blob old = m->request.comm_r_old;

    m->request.comm_r_old = m->request.comm_r_new;
    m->request.comm_r_new = old;
}

static void other_data(struct made *m)
{
    m->commitments[2][0] ^= 1;
}

static void c1_beside(struct made *m)
{
    m->request.vanilla_proof = m->blobs[0];
}

static void no_c1(struct made *m)
{
    m->request.vanilla_proof = (struct cuzk_request_blob){NULL, 0, 0};
}

static void huge_c1(struct made *m)
{
    m->request.vanilla_proof.length = UINT64_C(1) << 40;
}

static void c1_cut(struct made *m)
{
    truncated(m);
    m->request.vanilla_proof = m->blobs[0];
}

static void c1_longer(struct made *m)
{
    m->bytes[0][m->parts[0].length] = 'x';
    extended(m);
    m->request.vanilla_proof = m->blobs[0];
}

static void of_synthetic(struct made *m)
{
    m->request.registered_proof = 10;
}

static void c1_of_other_size(struct made *m)
{
    m->request.sector_size = 4096;
    m->request.registered_proof = 0;
}

/* ---- the table ---- */

enum stage { LOOK, OPEN, CHECK };

static const struct {
    void (*make)(struct made *m);
    const char *name;
    void (*damage)(struct made *m);
    enum stage stage;
    const char *says[2];
} bad[] = {
#define POREP   make_porep
#define WINDOW  make_window
#define WINNING make_winning
#define UPDATE  make_update
    {POREP, "no C1 output", no_c1, LOOK, {"vanilla_proof", "found nothing"}},
    {POREP, "a C1 output of 2^40 bytes", huge_c1, LOOK, {"vanilla_proof", "at most"}},
    {POREP, "a number of another size", of_other_size, LOOK, {"registered_proof", "sector_size"}},
    {POREP, "no size", no_size, LOOK, {"sector_size", NULL}},
    {POREP, "another version's number", of_synthetic, OPEN, {"registered_proof", "expected 5"}},
    {POREP, "another size's C1 output", c1_of_other_size, OPEN, {"sector_size", "expected 2048"}},
    {POREP, "a truncated C1 output", c1_cut, OPEN, {"vanilla_proof", "offset"}},
    {POREP, "an extended C1 output", c1_longer, OPEN, {"vanilla_proof", "offset"}},
    {WINDOW, "no sectors", no_proofs, LOOK, {"vanilla_proofs", "found 0"}},
    {WINDOW, "a sector too many", one_more, LOOK, {"vanilla_proofs", "found 3"}},
    {WINDOW, "a sector twice", twice, OPEN, {"sector_id", "sector 1 comes twice"}},
    {WINDOW, "a skipped sector: places move", other_sector, CHECK, {"sector 77", "challenge 0"}},
    {WINDOW, "randomness too short", randomness_short, LOOK, {"randomness", "found 31"}},
    {WINDOW, "randomness too long", randomness_long, LOOK, {"randomness", "found 33"}},
    {WINDOW, "no randomness", randomness_none, LOOK, {"randomness", "found 0"}},
    {WINDOW, "other randomness", randomness_other, CHECK, {"sector 1", "challenge 0"}},
    {WINDOW, "WinningPoSt's number", of_other_kind, LOOK, {"registered_proof", NULL}},
    {WINDOW, "another size's number", of_other_size, LOOK, {"registered_proof", "sector_size"}},
    {WINDOW, "no size", no_size, LOOK, {"sector_size", NULL}},
    {WINDOW, "an empty proof", empty_proof, OPEN, {"vanilla_proofs[0]", "sector_id"}},
    {WINDOW, "a truncated proof", truncated, OPEN, {"vanilla_proofs[0]", "comm_r_last"}},
    {WINDOW, "an extended proof", extended, OPEN, {"vanilla_proofs[0]", "no more bytes"}},
    {WINDOW, "comm_r above the modulus", large_comm_r, OPEN, {"comm_r", "offset 8"}},
    {WINDOW, "another comm_r", other_comm_r, CHECK, {"sector 1", "comm_r"}},
    {WINDOW, "2^64 - 1 sectors", huge_sectors, OPEN, {"number of sectors", "offset 40"}},
    {WINDOW, "2^40 paths", huge_paths, OPEN, {"number of inclusion proofs", "offset 48"}},
    {WINDOW, "2^64 - 1 levels", huge_levels, OPEN, {"inclusion proof 0", "offset 124"}},
    {WINDOW, "2^61 siblings", huge_siblings, OPEN, {"inclusion proof 0", "offset 132"}},
    {WINDOW, "another tag", other_tag, OPEN, {"inclusion proof 0", "offset 56"}},
    {WINDOW, "a wrong sibling", wrong_sibling, CHECK, {"sector 1", "challenge 0"}},
    {WINDOW, "a wrong comm_c", wrong_comm_c, CHECK, {"sector 1", "comm_c"}},
    {WINDOW, "another partition's place", other_partition, CHECK, {"sector 1", "challenge 0"}},
    {WINNING, "no sector", no_proofs, LOOK, {"vanilla_proofs", "found 0"}},
    {WINNING, "two sectors", one_more, LOOK, {"vanilla_proofs", "found 2"}},
    {WINNING, "randomness too short", randomness_short, LOOK, {"randomness", "found 31"}},
    {WINNING, "other randomness", randomness_other, CHECK, {"sector 42", "challenge 0"}},
    {WINNING, "WindowPoSt's number", of_other_kind, LOOK, {"registered_proof", NULL}},
    {WINNING, "another size's number", of_other_size, LOOK, {"registered_proof", "sector_size"}},
    {WINNING, "another sector", other_sector, CHECK, {"sector 77", "challenge 0"}},
    {WINNING, "a truncated proof", truncated, OPEN, {"vanilla_proofs[0]", "comm_r_last"}},
    {WINNING, "an extended proof", extended, OPEN, {"vanilla_proofs[0]", "no more bytes"}},
    {WINNING, "2^64 - 1 sectors", huge_sectors, OPEN, {"number of sectors", "offset 40"}},
    {WINNING, "2^40 paths", huge_paths, OPEN, {"number of inclusion proofs", "offset 48"}},
    {WINNING, "2^61 siblings", huge_siblings, OPEN, {"inclusion proof 0", "offset 132"}},
    {WINNING, "a wrong sibling", wrong_sibling, CHECK, {"sector 42", "challenge 0"}},
    {UPDATE, "no partitions", no_proofs, LOOK, {"vanilla_proofs", "found 0"}},
    {UPDATE, "a partition less", one_less, LOOK, {"vanilla_proofs", "found 1"}},
    {UPDATE, "a partition more", one_more, LOOK, {"vanilla_proofs", "found 3"}},
    {UPDATE, "partitions swapped", swapped, CHECK, {"partition 0", "that of partition 1"}},
    {UPDATE, "a partition twice", twice, CHECK, {"partition 1", "that of partition 0"}},
    {UPDATE, "a C1 output beside", c1_beside, LOOK, {"vanilla_proof:", NULL}},
    {UPDATE, "a number of another size", of_other_size, LOOK, {"registered_proof", "sector_size"}},
    {UPDATE, "no size", no_size, LOOK, {"sector_size", NULL}},
    {UPDATE, "an empty proof", empty_proof, LOOK, {"vanilla_proofs[0]", NULL}},
    {UPDATE, "a truncated proof", truncated, OPEN, {"vanilla_proofs[0]", "challenge 9"}},
    {UPDATE, "an extended proof", extended, OPEN, {"vanilla_proofs[0]", "no more bytes"}},
    {UPDATE, "2^64 - 1 apex leaves", huge_apex, OPEN, {"apex_leafs", "offset 32"}},
    {UPDATE, "2^33 challenges", huge_challenges, OPEN, {"challenge_proofs", "offset 4136"}},
    {UPDATE, "another tag", update_tag, OPEN, {"challenge 0", "proof_r_old"}},
    {UPDATE, "2^62 levels", update_levels, OPEN, {"challenge 0", "proof_r_old"}},
    {UPDATE, "a wrong sibling", update_sibling, CHECK, {"partition 0: challenge 0", "proof_r_old"}},
    {UPDATE, "a wrong apex leaf", wrong_apex, CHECK, {"partition 0", "apex"}},
    {UPDATE, "a wrong comm_c", wrong_update_comm_c, CHECK, {"partition 0", "comm_r_old"}},
    {UPDATE, "a commitment too short", short_commitment, LOOK, {"comm_r_new", NULL}},
    {UPDATE, "a commitment above the modulus", large_commitment, LOOK, {"comm_d_new", NULL}},
    {UPDATE, "commitments swapped", swapped_commitments, CHECK, {"partition 0", "comm_r_old"}},
    {UPDATE, "other data", other_data, CHECK, {"partition 0: challenge 0", NULL}},
};

/* How far a request gets: the status of the step that refuses it. */
static enum cuzk_status try(const struct cuzk_request *request, enum stage *stage, struct cuzk_error *err)
{
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(request->kind);
    struct cuzk_circuit_id circuit;
    struct cuzk_case *that;
    unsigned partitions;

    *stage = LOOK;
    CUZK_TRY(row->look(request, &circuit, &partitions, err));
    *stage = OPEN;
    CUZK_TRY(row->open(request, NULL, &that, err));
    *stage = CHECK;
    const enum cuzk_status status = that->ops->check(that, NULL, err);

    cuzk_case_close(that);
    return status;
}

static void test_bad_input__is_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct made m = {.text = NULL};
        struct cuzk_error err = {0};
        enum stage stage;

        bad[i].make(&m);
        bad[i].damage(&m);
        const enum cuzk_status status = try(&m.request, &stage, &err);

        if (status != (bad[i].stage == CHECK ? CUZK_INVALID : CUZK_INPUT) || stage != bad[i].stage)
            fail_msg("case %zu, %s: status %d at stage %d: %s", i, bad[i].name, status, stage, err.message);
        for (size_t k = 0; k < 2 && bad[i].says[k] != NULL; k++)
            if (strstr(err.message, bad[i].says[k]) == NULL)
                fail_msg("case %zu, %s: expected \"%s\" in: %s", i, bad[i].name, bad[i].says[k], err.message);
        unmake(&m);
    }
}

/* The undamaged ones hold, whatever the two top bits of the randomness are. */
static void test_good_input__holds(void **state)
{
    void (*const makers[])(struct made *m) = {make_porep, make_window, make_winning, make_update};

    (void)state;
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        for (unsigned top = 0; top < 4; top++) {
            struct made m = {.text = NULL};
            struct cuzk_error err = {0};
            enum stage stage;

            makers[i](&m);
            m.randomness[31] = (uint8_t)((m.randomness[31] & 0x3f) | top << 6);
            if (try(&m.request, &stage, &err) != CUZK_OK)
                fail_msg("%s", err.message);
            unmake(&m);
        }
}

/* What a kind's row says of queues and batches. */
static void test_row__says_how_a_kind_is_queued(void **state)
{
    static const struct {
        enum cuzk_proof_kind kind;
        const char *name;
        enum cuzk_priority priority;
        bool batchable;
    } rows[] = {
        {CUZK_PROOF_KIND_POREP, "porep-c2", CUZK_PRIORITY_NORMAL, true},
        {CUZK_PROOF_KIND_SNAP, "snap-update", CUZK_PRIORITY_NORMAL, false},
        {CUZK_PROOF_KIND_WINDOW_POST, "window-post", CUZK_PRIORITY_HIGH, false},
        {CUZK_PROOF_KIND_WINNING_POST, "winning-post", CUZK_PRIORITY_CRITICAL, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(rows[i].kind);

        assert_int_equal(row->kind, rows[i].kind);
        assert_string_equal(row->name, rows[i].name);
        assert_int_equal(row->priority, rows[i].priority);
        assert_int_equal(row->batchable, rows[i].batchable);
    }
    assert_null(cuzk_proof_kind_row(CUZK_PROOF_KIND_NONE));
    assert_null(cuzk_proof_kind_row(CUZK_PROOF_KINDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_input__holds),
        cmocka_unit_test(test_bad_input__is_refused_by_name),
        cmocka_unit_test(test_row__says_how_a_kind_is_queued),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
