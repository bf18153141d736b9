/* The real snap-2k key from fixed toxic waste, and its proof with fixed r and s, against the reference's
 * bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real_key.h"

static void test_snap_2k__equals_the_reference(void **state)
{
    struct real_key key;

    (void)state;
    real_key_open("snap-2k", "update-2k", &key);
    assert_int_equal(real_key_check_proofs(&key, "proofs.jsonl", NULL), 1);
    real_key_close(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snap_2k__equals_the_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
