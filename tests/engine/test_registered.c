/* Numbers of registered proofs against go-state-types (abi/sector.go), written out here by hand, and what may
 * stand in a request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/registered.h"
#include "filecoin/post.h"
#include "filecoin/seal_proof.h"

#define KIB2   UINT64_C(2048)
#define MIB8   UINT64_C(8388608)
#define MIB512 UINT64_C(536870912)
#define GIB32  UINT64_C(34359738368)
#define GIB64  UINT64_C(68719476736)

static const struct {
    enum cuzk_proof_kind kind;
    uint64_t number, size;
    const char *name; /* without RegisteredSealProof_ and the like */
} known[] = {
    {CUZK_PROOF_KIND_POREP, 0, KIB2, "StackedDrg2KiBV1"},
    {CUZK_PROOF_KIND_POREP, 1, MIB8, "StackedDrg8MiBV1"},
    {CUZK_PROOF_KIND_POREP, 2, MIB512, "StackedDrg512MiBV1"},
    {CUZK_PROOF_KIND_POREP, 3, GIB32, "StackedDrg32GiBV1"},
    {CUZK_PROOF_KIND_POREP, 4, GIB64, "StackedDrg64GiBV1"},
    {CUZK_PROOF_KIND_POREP, 5, KIB2, "StackedDrg2KiBV1_1"},
    {CUZK_PROOF_KIND_POREP, 6, MIB8, "StackedDrg8MiBV1_1"},
    {CUZK_PROOF_KIND_POREP, 7, MIB512, "StackedDrg512MiBV1_1"},
    {CUZK_PROOF_KIND_POREP, 8, GIB32, "StackedDrg32GiBV1_1"},
    {CUZK_PROOF_KIND_POREP, 9, GIB64, "StackedDrg64GiBV1_1"},
    {CUZK_PROOF_KIND_POREP, 10, KIB2, "StackedDrg2KiBV1_1_Feat_SyntheticPoRep"},
    {CUZK_PROOF_KIND_POREP, 11, MIB8, "StackedDrg8MiBV1_1_Feat_SyntheticPoRep"},
    {CUZK_PROOF_KIND_POREP, 12, MIB512, "StackedDrg512MiBV1_1_Feat_SyntheticPoRep"},
    {CUZK_PROOF_KIND_POREP, 13, GIB32, "StackedDrg32GiBV1_1_Feat_SyntheticPoRep"},
    {CUZK_PROOF_KIND_POREP, 14, GIB64, "StackedDrg64GiBV1_1_Feat_SyntheticPoRep"},
    {CUZK_PROOF_KIND_POREP, 15, KIB2, "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep"},
    {CUZK_PROOF_KIND_POREP, 16, MIB8, "StackedDrg8MiBV1_2_Feat_NonInteractivePoRep"},
    {CUZK_PROOF_KIND_POREP, 17, MIB512, "StackedDrg512MiBV1_2_Feat_NonInteractivePoRep"},
    {CUZK_PROOF_KIND_POREP, 18, GIB32, "StackedDrg32GiBV1_2_Feat_NonInteractivePoRep"},
    {CUZK_PROOF_KIND_POREP, 19, GIB64, "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep"},
    {CUZK_PROOF_KIND_WINNING_POST, 0, KIB2, "StackedDrgWinning2KiBV1"},
    {CUZK_PROOF_KIND_WINNING_POST, 1, MIB8, "StackedDrgWinning8MiBV1"},
    {CUZK_PROOF_KIND_WINNING_POST, 2, MIB512, "StackedDrgWinning512MiBV1"},
    {CUZK_PROOF_KIND_WINNING_POST, 3, GIB32, "StackedDrgWinning32GiBV1"},
    {CUZK_PROOF_KIND_WINNING_POST, 4, GIB64, "StackedDrgWinning64GiBV1"},
    {CUZK_PROOF_KIND_WINDOW_POST, 5, KIB2, "StackedDrgWindow2KiBV1"},
    {CUZK_PROOF_KIND_WINDOW_POST, 6, MIB8, "StackedDrgWindow8MiBV1"},
    {CUZK_PROOF_KIND_WINDOW_POST, 7, MIB512, "StackedDrgWindow512MiBV1"},
    {CUZK_PROOF_KIND_WINDOW_POST, 8, GIB32, "StackedDrgWindow32GiBV1"},
    {CUZK_PROOF_KIND_WINDOW_POST, 9, GIB64, "StackedDrgWindow64GiBV1"},
    /* go-state-types calls these V1_1, the proofs library V1_2 */
    {CUZK_PROOF_KIND_WINDOW_POST, 10, KIB2, "StackedDrgWindow2KiBV1_2"},
    {CUZK_PROOF_KIND_WINDOW_POST, 11, MIB8, "StackedDrgWindow8MiBV1_2"},
    {CUZK_PROOF_KIND_WINDOW_POST, 12, MIB512, "StackedDrgWindow512MiBV1_2"},
    {CUZK_PROOF_KIND_WINDOW_POST, 13, GIB32, "StackedDrgWindow32GiBV1_2"},
    {CUZK_PROOF_KIND_WINDOW_POST, 14, GIB64, "StackedDrgWindow64GiBV1_2"},
    {CUZK_PROOF_KIND_SNAP, 0, KIB2, NULL},
    {CUZK_PROOF_KIND_SNAP, 1, MIB8, NULL},
    {CUZK_PROOF_KIND_SNAP, 2, MIB512, NULL},
    {CUZK_PROOF_KIND_SNAP, 3, GIB32, NULL},
    {CUZK_PROOF_KIND_SNAP, 4, GIB64, NULL},
};

enum { KNOWN = sizeof known / sizeof known[0], NUMBERS = 24 };

static uint64_t known_size(enum cuzk_proof_kind kind, uint64_t number)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].kind == kind && known[i].number == number)
            return known[i].size;
    return 0;
}

static void test_registered__equals_go_state_types(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < CUZK_PROOF_KINDS; kind++)
        for (uint64_t number = 0; number < NUMBERS; number++)
            assert_int_equal(cuzk_registered_sector_size((enum cuzk_proof_kind)kind, number),
                             known_size((enum cuzk_proof_kind)kind, number));
    assert_int_equal(cuzk_registered_sector_size(CUZK_PROOF_KINDS, 0), 0);
    assert_int_equal(cuzk_registered_sector_size(CUZK_PROOF_KIND_POREP, UINT64_MAX), 0);
    for (size_t i = 0; i < KNOWN; i++) {
        const bool porep = known[i].kind == CUZK_PROOF_KIND_POREP;

        if (known[i].name == NULL)
            continue;
        const size_t n = strlen(known[i].name);

        assert_int_equal(porep ? cuzk_seal_proof_number(known[i].name, n)
                               : cuzk_post_proof_number(known[i].name, n),
                         known[i].number);
    }
}

/* What a PoSt number says besides the size. */
static void test_registered__posts_have_their_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < KNOWN; i++) {
        struct cuzk_post_config config;

        if (known[i].kind != CUZK_PROOF_KIND_WINNING_POST && known[i].kind != CUZK_PROOF_KIND_WINDOW_POST)
            continue;
        cuzk_post_config_registered((unsigned)known[i].number, &config);
        assert_int_equal(config.sector_size, known[i].size);
        assert_int_equal(config.winning, known[i].kind == CUZK_PROOF_KIND_WINNING_POST);
        assert_int_equal(config.api_version, known[i].number < 10 ? CUZK_API_1_0_0 : CUZK_API_1_2_0);
    }
}

static void test_number__is_that_of_a_size(void **state)
{
    (void)state;
    assert_int_equal(cuzk_registered_number(CUZK_PROOF_KIND_SNAP, GIB32, false), 3);
    assert_int_equal(cuzk_registered_number(CUZK_PROOF_KIND_WINNING_POST, GIB64, false), 4);
    assert_int_equal(cuzk_registered_number(CUZK_PROOF_KIND_WINDOW_POST, MIB8, true), 6);
    assert_int_equal(cuzk_registered_number(CUZK_PROOF_KIND_WINDOW_POST, MIB8, false), 11);
    assert_int_equal(cuzk_registered_number(CUZK_PROOF_KIND_SNAP, KIB2 * 2, false), 0);
    assert_int_equal(cuzk_registered_number(CUZK_PROOF_KIND_NONE, KIB2, false), 0);
}

/* Every kind, number and size: accepted just where the number is of that size, or where the size has none and
 * no number is given. */
static void test_check__wants_agreement(void **state)
{
    static const uint64_t sizes[] = {KIB2, MIB8, MIB512, GIB32, GIB64, 4096, 16384, 32768, 1000};

    (void)state;
    for (unsigned kind = CUZK_PROOF_KIND_POREP; kind < CUZK_PROOF_KINDS; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (uint64_t number = 0; number < NUMBERS; number++) {
                const struct cuzk_request request = {
                    .kind = (enum cuzk_proof_kind)kind, .sector_size = sizes[i], .registered_proof = number};
                const bool good = i < 5 ? known_size(request.kind, number) == sizes[i] : number == 0;
                struct cuzk_error err = {0};

                assert_int_equal(cuzk_registered_check(&request, &err), good ? CUZK_OK : CUZK_INPUT);
                if (!good)
                    assert_ptr_equal(strstr(err.message, "registered_proof"), err.message);
            }
    const struct cuzk_request none = {.kind = CUZK_PROOF_KIND_POREP};
    struct cuzk_error err;

    assert_int_equal(cuzk_registered_check(&none, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "sector_size"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered__equals_go_state_types),
        cmocka_unit_test(test_registered__posts_have_their_versions),
        cmocka_unit_test(test_number__is_that_of_a_size),
        cmocka_unit_test(test_check__wants_agreement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
