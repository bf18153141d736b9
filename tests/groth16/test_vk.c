/* The verifying key's file form: fixtures round trip, damaged ones are refused with their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "groth16/vk.h"
#include "support/fixture.h"

static const char *const files[] = {"groth16/toy/cubic.vk",      "groth16/toy/five-32.vk",
                                    "groth16/toy/mimc-322.vk",   "groth16/toy/random-5000.vk",
                                    "groth16/porep-2k/vk.bin",   "groth16/window-2k/vk.bin",
                                    "groth16/winning-2k/vk.bin", "groth16/update-2k/vk.bin"};

static enum cuzk_status decode(const uint8_t *data, size_t n, struct cuzk_vk *vk, struct cuzk_error *err)
{
    struct cuzk_bytes bytes;

    cuzk_bytes_init(&bytes, "test.vk", data, n);
    return cuzk_vk_decode(&bytes, vk, err);
}

static void test_vk_decode__round_trips_every_fixture(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct cuzk_bytes bytes;
        struct cuzk_error err;
        struct cuzk_vk vk;
        size_t n;
        uint8_t *data = fixture_read(&n, "%s", files[i]);

        cuzk_bytes_init(&bytes, files[i], data, n);
        assert_int_equal(cuzk_vk_decode(&bytes, &vk, &err), CUZK_OK);
        assert_int_equal(cuzk_bytes_end(&bytes, &err), CUZK_OK);
        assert_int_equal(cuzk_vk_encoded_size(&vk), n);
        uint8_t *again = malloc(n);
        assert_non_null(again);
        cuzk_vk_encode(&vk, again);
        assert_memory_equal(again, data, n);
        free(again);
        free(data);
        cuzk_vk_destroy(&vk);
        assert_null(vk.ic);
    }
}

static void test_vk_decode__refuses_every_truncation(void **state)
{
    struct cuzk_error err;
    struct cuzk_vk vk;
    size_t n;
    uint8_t *data = fixture_read(&n, "groth16/toy/cubic.vk");

    (void)state;
    for (size_t i = 0; i < n; i += i < 16 || i > 860 ? 1 : 37) {
        uint8_t *cut = malloc(i + 1); /* exact, so that a sanitizer sees reads past the end */
        assert_non_null(cut);
        cut = realloc(cut, i == 0 ? 1 : i);
        memcpy(cut, data, i);
        assert_int_equal(decode(cut, i, &vk, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "test.vk: "));
        assert_null(vk.ic);
        free(cut);
    }
    free(data);
}

static void test_vk_decode__names_field_and_offset(void **state)
{
    struct cuzk_error err;
    struct cuzk_vk vk;
    size_t n;
    uint8_t *data = fixture_read(&n, "groth16/toy/cubic.vk");

    (void)state;
    data[868 + 96 + 95] ^= 1;
    assert_int_equal(decode(data, n, &vk, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "ic[1]: point is not on the curve (offset 964)"));
    data[192] |= 0x80;
    assert_int_equal(decode(data, n, &vk, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "beta_g2: "));
    assert_non_null(strstr(err.message, "(offset 192)"));
    free(data);
}

static void test_vk_decode__a_hostile_count_allocates_nothing(void **state)
{
    struct cuzk_error err;
    struct cuzk_vk vk;
    size_t n;
    uint8_t *data = fixture_read(&n, "groth16/toy/cubic.vk");

    (void)state;
    memset(data + 864, 0xff, 4);
    const size_t before = cuzk_mem_peak();
    assert_int_equal(decode(data, n, &vk, &err), CUZK_INPUT);
    assert_true(cuzk_mem_peak() == before);
    free(data);
}

static void test_vk_decode__reports_lack_of_memory(void **state)
{
    struct cuzk_error err;
    struct cuzk_vk vk;
    size_t n;
    uint8_t *data = fixture_read(&n, "groth16/toy/cubic.vk");

    (void)state;
    cuzk_mem_fail_after(0, 1);
    assert_int_equal(decode(data, n, &vk, &err), CUZK_MEMORY);
    cuzk_mem_fail_after(SIZE_MAX, 0);
    assert_null(vk.ic);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vk_decode__round_trips_every_fixture),
        cmocka_unit_test(test_vk_decode__refuses_every_truncation),
        cmocka_unit_test(test_vk_decode__names_field_and_offset),
        cmocka_unit_test(test_vk_decode__a_hostile_count_allocates_nothing),
        cmocka_unit_test(test_vk_decode__reports_lack_of_memory),
    };

    cuzk_vk_destroy(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
