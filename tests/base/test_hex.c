#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/hex.h"

static void test_decode__is_the_inverse_of_encode(void **state)
{
    uint8_t bytes[256], back[256];
    char text[513];

    (void)state;
    for (int i = 0; i < 256; i++)
        bytes[i] = (uint8_t)i;
    cuzk_hex_encode(bytes, 256, text);
    assert_int_equal(strlen(text), 512);
    assert_memory_equal(text + 2 * 0xa0, "a0a1", 4);
    assert_int_equal(cuzk_hex_decode("x", text, 512, back, 256, NULL), CUZK_OK);
    assert_memory_equal(bytes, back, 256);
    assert_int_equal(cuzk_hex_decode("x", "AbCd", 4, back, 2, NULL), CUZK_OK);
    assert_int_equal(back[0], 0xab);
    assert_int_equal(back[1], 0xcd);
}

static void test_decode__refuses_other_lengths_and_characters(void **state)
{
    struct cuzk_error err;
    uint8_t bytes[2];

    (void)state;
    assert_int_equal(cuzk_hex_decode("comm_r", "abc", 3, bytes, 2, &err), CUZK_INPUT);
    assert_string_equal(err.message, "comm_r: expected 4 hex digits, found 3 characters");
    for (int c = 1; c < 256; c++) {
        char text[] = "ab0d";

        text[2] = (char)c;
        const int good = strchr("0123456789abcdefABCDEF", c) != NULL;
        assert_int_equal(cuzk_hex_decode("x", text, 4, bytes, 2, &err), good ? CUZK_OK : CUZK_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode__is_the_inverse_of_encode),
        cmocka_unit_test(test_decode__refuses_other_lengths_and_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
