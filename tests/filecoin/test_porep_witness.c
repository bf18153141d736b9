/* Witnesses of PoRep partitions against the reference's: every aux value through the digest, checkpoints,
 * public inputs, counts; every constraint of the sealed ones holds. `long` as the first argument adds the
 * synthetic sectors above 8 MiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/pool.h"
#include "circuit/circuit.h"
#include "filecoin/c1.h"
#include "filecoin/synth.h"
#include "filecoin/witness_fixture.h"
#include "support/fixture.h"

static bool with_large;
static struct cuzk_pool *pool;

static void must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK)
        fail_msg("%s", err->message);
}

/* A partition's witness, made and ready to be compared. */
struct partition {
    struct cuzk_porep_assignment assignment;
    struct cuzk_circuit circuit;
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness;
};

static void partition_make(const struct cuzk_c1 *c1, unsigned index, struct partition *out)
{
    struct cuzk_error err;

    const struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, c1->sector_size};

    cuzk_c1_assignment(c1, index, &out->assignment);
    must(cuzk_circuit_open(&id, &out->circuit, &err), &err);
    must(cuzk_circuit_layout(&out->circuit, &out->layout, &err), &err);
    must(cuzk_witness_create(&out->layout, &out->witness, &err), &err);
    must(cuzk_circuit_witness(&out->circuit, &out->assignment, pool, NULL, &out->witness, &err), &err);
}

static void partition_free(struct partition *p)
{
    cuzk_witness_destroy(&p->witness);
    cuzk_witness_layout_destroy(&p->layout);
}

static void check_constraints(const struct partition *p)
{
    struct cuzk_error err;

    must(cuzk_circuit_check(&p->circuit, &p->layout, &p->witness, NULL, &err), &err);
}

static void compare(const struct cuzk_c1 *c1, unsigned index, struct fixture_json expected, bool satisfied)
{
    struct partition p;

    partition_make(c1, index, &p);
    witness_fixture_compare(&p.layout, &p.witness, expected);
    if (satisfied)
        check_constraints(&p);
    partition_free(&p);
}

static struct cuzk_c1 *decode(const char *folder, const char *file)
{
    struct cuzk_error err;
    struct cuzk_c1 *c1;
    size_t length;
    uint8_t *bytes = fixture_read(&length, "sectors/%s/%s", folder, file);

    must(cuzk_c1_decode(bytes, length, NULL, &c1, &err), &err);
    free(bytes);
    return c1;
}

static void test_porep_witness__equals_the_sealed_sectors(void **state)
{
    static const struct {
        const char *folder, *c1;
    } sectors[] = {
        {"porep-2k", "c1.json"},       {"porep-2k-b", "c1.json"},      {"porep-2k-v1", "c1.json"},
        {"porep-2k-synth", "c1.json"}, {"porep-2k-ni", "c1.json.zst"}, {"porep-4k", "c1.json"},
        {"porep-16k", "c1.json.zst"},  {"porep-32k", "c1.json.zst"},   {"porep-8m", "c1.json.zst"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof sectors / sizeof sectors[0]; i++) {
        struct cuzk_c1 *c1 = decode(sectors[i].folder, sectors[i].c1);
        size_t length;
        char *text = (char *)fixture_read(&length, "sectors/%s/witness.json", sectors[i].folder);
        char *cursor = text, *line;
        unsigned partition = 0;
        for (; (line = fixture_line(&cursor)) != NULL; partition++)
            compare(c1, partition, fixture_json_parse(line), partition == 0);
        assert_int_equal(partition, c1->partitions);
        free(text);
        cuzk_c1_destroy(c1);
    }
}

/* "32GiB-mix-s1-p0" and the request behind it */
struct synthetic {
    const char *name;
    struct cuzk_synth_request request;
    unsigned partition;
};

static void compare_synthetic(const struct synthetic *synthetic)
{
    struct cuzk_error err;
    struct cuzk_c1 *c1;
    size_t length;
    char *text = (char *)fixture_read(&length, "synthetic/witness/%s.json.zst", synthetic->name);

    must(cuzk_synth_porep(pool, &synthetic->request, NULL, &c1, &err), &err);
    compare(c1, synthetic->partition, fixture_json_parse(text), false);
    cuzk_c1_destroy(c1);
    free(text);
}

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

static void test_porep_witness__equals_the_synthetic_sectors(void **state)
{
    static const struct synthetic sectors[] = {
        {"2KiB-zero-s1-p0", {KIB(2), 1, CUZK_SYNTH_ZERO, false}, 0},
        {"2KiB-mix-s63-p0", {KIB(2), 63, CUZK_SYNTH_MIX, false}, 0},
        {"2KiB-mix-s66-p0", {KIB(2), 66, CUZK_SYNTH_MIX, false}, 0},
        {"v1-2KiB-mix-s1-p0", {KIB(2), 1, CUZK_SYNTH_MIX, true}, 0},
        {"4KiB-mix-s1-p0", {KIB(4), 1, CUZK_SYNTH_MIX, false}, 0},
        {"16KiB-mix-s1-p0", {KIB(16), 1, CUZK_SYNTH_MIX, false}, 0},
        {"32KiB-mix-s1-p0", {KIB(32), 1, CUZK_SYNTH_MIX, false}, 0},
        {"8MiB-mix-s1-p0", {MIB(8), 1, CUZK_SYNTH_MIX, false}, 0},
    };
    static const struct synthetic large[] = {
        {"2KiB-mix-s1-p0", {KIB(2), 1, CUZK_SYNTH_MIX, false}, 0},
        {"4KiB-zero-s1-p0", {KIB(4), 1, CUZK_SYNTH_ZERO, false}, 0},
        {"16KiB-zero-s1-p0", {KIB(16), 1, CUZK_SYNTH_ZERO, false}, 0},
        {"32KiB-zero-s1-p0", {KIB(32), 1, CUZK_SYNTH_ZERO, false}, 0},
        {"8MiB-zero-s1-p0", {MIB(8), 1, CUZK_SYNTH_ZERO, false}, 0},
        {"16MiB-mix-s1-p0", {MIB(16), 1, CUZK_SYNTH_MIX, false}, 0},
        {"512MiB-mix-s1-p0", {MIB(512), 1, CUZK_SYNTH_MIX, false}, 0},
        {"1GiB-mix-s1-p0", {GIB(1), 1, CUZK_SYNTH_MIX, false}, 0},
        {"32GiB-zero-s1-p0", {GIB(32), 1, CUZK_SYNTH_ZERO, false}, 0},
        {"32GiB-zero-s1-p9", {GIB(32), 1, CUZK_SYNTH_ZERO, false}, 9},
        {"32GiB-mix-s1-p0", {GIB(32), 1, CUZK_SYNTH_MIX, false}, 0},
        {"64GiB-mix-s1-p0", {GIB(64), 1, CUZK_SYNTH_MIX, false}, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof sectors / sizeof sectors[0]; i++)
        compare_synthetic(&sectors[i]);
    for (size_t i = 0; with_large && i < sizeof large / sizeof large[0]; i++)
        compare_synthetic(&large[i]);
}

/* A damaged value is found, and the place it sits in is named. */
static void test_porep_check__names_what_does_not_hold(void **state)
{
    struct cuzk_c1 *c1 = decode("porep-2k", "c1.json");
    struct cuzk_porep_challenge challenges[2];
    struct cuzk_error err;
    struct partition p;

    (void)state;
    partition_make(c1, 0, &p);
    for (int i = 0; i < 2; i++)
        challenges[i] = p.assignment.challenges[i];
    challenges[1].replica.index ^= 1;
    p.assignment.challenges = challenges;
    cuzk_witness_destroy(&p.witness);
    must(cuzk_witness_create(&p.layout, &p.witness, &err), &err);
    must(cuzk_circuit_witness(&p.circuit, &p.assignment, pool, NULL, &p.witness, &err), &err);
    assert_int_equal(cuzk_circuit_check(&p.circuit, &p.layout, &p.witness, NULL, &err), CUZK_UNSATISFIED);
    assert_non_null(strstr(err.message, "challenge_1/comm_r_last_data_inclusion/enforce root is correct"));
    partition_free(&p);
    cuzk_c1_destroy(c1);
}

/* ---- ending early ---- */

struct wish {
    unsigned asked, granted;       /* so often it may go on */
    uint64_t asked_ns, longest_ns; /* of the processor, between two asks */
};

static bool is_over(void *context)
{
    struct wish *wish = context;
    const uint64_t now = cuzk_clock_cpu_ns();

    if (wish->asked > 0 && now - wish->asked_ns > wish->longest_ns)
        wish->longest_ns = now - wish->asked_ns;
    wish->asked_ns = now;
    return wish->asked++ >= wish->granted;
}

static void test_porep_check__ends_when_it_is_not_wanted(void **state)
{
    struct cuzk_c1 *c1 = decode("porep-2k", "c1.json");
    struct partition p;

    (void)state;
    partition_make(c1, 0, &p);
    for (unsigned granted = 0; granted < 8; granted++) {
        struct wish wish = {.granted = granted};
        const struct cuzk_progress progress = {.cancelled = is_over, .context = &wish};

        assert_int_equal(cuzk_circuit_check(&p.circuit, &p.layout, &p.witness, &progress, NULL),
                         CUZK_CANCELLED);
        assert_int_equal(wish.asked, granted + 1);
    }
    partition_free(&p);
    cuzk_c1_destroy(c1);
}

/* What one thread does of a 32 GiB partition between two asks, of values that say nothing. */
static void test_porep_witness__asks_often_at_32_gib(void **state)
{
    const struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, GIB(32)};
    struct wish wish = {.granted = UINT_MAX};
    const struct cuzk_progress progress = {.cancelled = is_over, .context = &wish};
    struct cuzk_error err;
    struct partition p;

    (void)state;
    if (!with_large)
        skip();
    must(cuzk_circuit_open(&id, &p.circuit, &err), &err);
    must(cuzk_circuit_layout(&p.circuit, &p.layout, &err), &err);
    must(cuzk_witness_create(&p.layout, &p.witness, &err), &err);
    must(cuzk_circuit_witness(&p.circuit, NULL, NULL, &progress, &p.witness, &err), &err);
    print_message("%u asks, the longest time between two: %.1f ms of the processor\n", wish.asked,
                  (double)wish.longest_ns / 1e6);
    assert_true(wish.longest_ns < 200000000);
    partition_free(&p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_porep_witness__equals_the_sealed_sectors),
        cmocka_unit_test(test_porep_witness__equals_the_synthetic_sectors),
        cmocka_unit_test(test_porep_check__names_what_does_not_hold),
        cmocka_unit_test(test_porep_check__ends_when_it_is_not_wanted),
        cmocka_unit_test(test_porep_witness__asks_often_at_32_gib),
    };

    with_large = argc > 1 && strcmp(argv[1], "long") == 0;
    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_pool_destroy(pool);
    return failed;
}
