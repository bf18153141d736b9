/* Witnesses of the cases of every kind: they end early where nobody wants them any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "circuit/circuit.h"
#include "oracle/sector_case.h"

struct wish {
    unsigned asked, granted; /* so often it may go on */
};

static bool is_over(void *context)
{
    struct wish *wish = context;

    return wish->asked++ >= wish->granted;
}

static enum cuzk_status make(const struct cuzk_case *that, const struct cuzk_circuit *circuit,
                             const struct cuzk_witness_layout *layout, struct wish *wish)
{
    const struct cuzk_progress progress = {.cancelled = is_over, .context = wish};
    struct cuzk_witness witness;
    struct cuzk_error err;

    assert_int_equal(cuzk_witness_create(layout, &witness, &err), CUZK_OK);
    const enum cuzk_status status =
        that->ops->witness(that, that->partitions - 1, circuit, NULL, &progress, &witness, &err);

    cuzk_witness_destroy(&witness);
    return status;
}

static void test_witness__of_every_kind_ends_when_it_is_not_wanted(void **state)
{
    static const char *const sectors[] = {"sectors/porep-2k", "sectors/winning-2k", "sectors/window-2k-3",
                                          "sectors/update-2k"};

    (void)state;
    for (size_t i = 0; i < sizeof sectors / sizeof sectors[0]; i++) {
        struct wish always = {.granted = UINT32_MAX};
        struct cuzk_witness_layout layout;
        struct cuzk_circuit circuit;
        struct sector_case its;
        struct cuzk_error err;

        sector_case_open(sectors[i], &its);
        assert_int_equal(cuzk_circuit_open(&its.that->circuit, &circuit, &err), CUZK_OK);
        assert_int_equal(cuzk_circuit_layout(&circuit, &layout, &err), CUZK_OK);
        assert_int_equal(make(its.that, &circuit, &layout, &always), CUZK_OK);
        assert_true(always.asked > 1);
        for (unsigned granted = 0; granted < always.asked; granted += 1 + always.asked / 4) {
            struct wish wish = {.granted = granted};

            assert_int_equal(make(its.that, &circuit, &layout, &wish), CUZK_CANCELLED);
            assert_int_equal(wish.asked, granted + 1);
        }
        cuzk_witness_layout_destroy(&layout);
        sector_case_close(&its);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_witness__of_every_kind_ends_when_it_is_not_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
