/* The real 2 KiB key and a real proof, byte for byte: setup, evaluation, quotient, sums, proof. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real_key.h"

static void test_prove_fixed__equals_reference(void **state)
{
    struct real_key key;

    (void)state;
    real_key_open("porep-2k", "porep-2k", &key);
    assert_int_equal(real_key_check_proofs(&key, "proofs.jsonl", "sectors/porep-2k"), 1);
    real_key_close(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prove_fixed__equals_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
