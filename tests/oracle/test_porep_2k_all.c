/* Every recorded proof of the 2 KiB circuit, the 13 partitions of the non-interactive sector included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real_key.h"

static struct real_key key;

static void test_prove_fixed__equals_reference_for_every_sector(void **state)
{
    (void)state;
    assert_int_equal(real_key_check_proofs(&key, "proofs.jsonl", NULL), 3);
}

static void test_prove_fixed__equals_reference_for_non_interactive_partitions(void **state)
{
    (void)state;
    assert_int_equal(real_key_check_proofs(&key, "proofs-ni.jsonl", NULL), 13);
}

static int open_key(void **state)
{
    (void)state;
    real_key_open("porep-2k", "porep-2k", &key);
    return 0;
}

static int close_key(void **state)
{
    (void)state;
    real_key_close(&key);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prove_fixed__equals_reference_for_every_sector),
        cmocka_unit_test(test_prove_fixed__equals_reference_for_non_interactive_partitions),
    };

    return cmocka_run_group_tests(tests, open_key, close_key);
}
