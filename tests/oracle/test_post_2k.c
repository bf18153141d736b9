/* The real winning-2k and wpost-2k keys from fixed toxic waste, and their proofs with fixed r and s, against
 * the reference's bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real_key.h"

static void test_winning_2k__equals_the_reference(void **state)
{
    struct real_key key;

    (void)state;
    real_key_open("winning-2k", "winning-2k", &key);
    assert_int_equal(real_key_check_proofs(&key, "proofs.jsonl", NULL), 1);
    real_key_close(&key);
}

/* A full partition, one with a place to fill, and both of three sectors. */
static void test_wpost_2k__equals_the_reference(void **state)
{
    struct real_key key;

    (void)state;
    real_key_open("wpost-2k", "window-2k", &key);
    assert_int_equal(real_key_check_proofs(&key, "proofs.jsonl", NULL), 4);
    real_key_close(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winning_2k__equals_the_reference),
        cmocka_unit_test(test_wpost_2k__equals_the_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
