#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/fixture.h"

/* Key stream of an all-zero key and nonce, blocks 0 and 1 (RFC 8439, appendix A.1, test vectors 1 and 2). */
static const char zero_key_stream[] = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da4159"
                                      "7c5157488d7724e03fb8d84a376a43b8f41518"
                                      "a11cc387b669b2ee6586"
                                      "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721"
                                      "769ce64e43d57133b074d839d531ed1f28510a"
                                      "fb45ace10a1f4b794d6f";

static void test_seeded__is_the_rfc_8439_key_stream(void **state)
{
    static const uint8_t zero[32];
    uint8_t want[128], got[128];
    struct cuzk_random random;

    (void)state;
    fixture_hex(zero_key_stream, want, 128);
    for (size_t step = 1; step <= 128; step++) { /* however it is cut */
        cuzk_random_init_seeded(&random, zero);
        for (size_t at = 0; at < 128; at += step)
            assert_int_equal(cuzk_random_bytes(&random, got + at, at + step <= 128 ? step : 128 - at, NULL),
                             CUZK_OK);
        assert_memory_equal(got, want, 128);
    }
    cuzk_random_wipe(&random);
    for (size_t i = 0; i < sizeof random; i++)
        assert_int_equal(((const uint8_t *)&random)[i], 0);
}

static void test_system__differs_each_time(void **state)
{
    struct cuzk_random random;
    uint8_t one[64] = {0}, other[64] = {0};

    (void)state;
    cuzk_random_init_system(&random);
    assert_int_equal(cuzk_random_bytes(&random, one, sizeof one, NULL), CUZK_OK);
    assert_int_equal(cuzk_random_bytes(&random, other, sizeof other, NULL), CUZK_OK);
    assert_memory_not_equal(one, other, sizeof one);
}

static void test_seeded__ends_rather_than_repeats(void **state)
{
    static const uint8_t seed[32] = {1};
    struct cuzk_random random;
    uint8_t byte;

    (void)state;
    cuzk_random_init_seeded(&random, seed);
    random.block = UINT32_MAX;
    assert_int_equal(cuzk_random_bytes(&random, &byte, 1, NULL), CUZK_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeded__is_the_rfc_8439_key_stream),
        cmocka_unit_test(test_system__differs_each_time),
        cmocka_unit_test(test_seeded__ends_rather_than_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
