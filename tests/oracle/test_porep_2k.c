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

/* On a device, where there is one: whole, and within limits that leave the key in fewer and smaller pieces.
 */
static void test_prove_fixed__equals_reference_within_limits_of_device_memory(void **state)
{
    static const unsigned mib[] = {0, 3072, 2048, 1536};
    struct real_key key;

    (void)state;
    real_key_open("porep-2k", "porep-2k", &key);
    for (size_t i = 0; i < sizeof mib / sizeof mib[0]; i++) {
        if (!real_key_use(&key, "cuda", (uint64_t)mib[i] << 20))
            break;
        assert_int_equal(real_key_check_proofs(&key, "proofs.jsonl", "sectors/porep-2k"), 1);
        print_message("within %u MiB (0: all there is): %llu MiB taken at most\n", mib[i],
                      (unsigned long long)(real_key_peak(&key) >> 20));
    }
    real_key_close(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prove_fixed__equals_reference),
        cmocka_unit_test(test_prove_fixed__equals_reference_within_limits_of_device_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
