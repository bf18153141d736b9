/* Real 2 KiB proofs with a derived key, byte for byte those that the parameters' own h and l give: on the
 * processor, and on a device, where there is one, whole and with the key in chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real_key.h"

static void check(struct real_key *key)
{
    assert_int_equal(real_key_check_proofs(key, "proofs.jsonl", "sectors/porep-2k"), 1);
}

static void test_prove_fixed__with_a_derived_key_equals_reference(void **state)
{
    static const unsigned mib[] = {0, 2048};
    struct real_key key;

    (void)state;
    real_key_open("porep-2k", "porep-2k", &key);
    real_key_derive(&key);
    check(&key);
    for (size_t i = 0; i < sizeof mib / sizeof mib[0] && real_key_use(&key, "cuda", (uint64_t)mib[i] << 20);
         i++) {
        check(&key);
        print_message("cuda within %u MiB (0: all there is): %llu MiB taken at most\n", mib[i],
                      (unsigned long long)(real_key_peak(&key) >> 20));
    }
    real_key_close(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prove_fixed__with_a_derived_key_equals_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
