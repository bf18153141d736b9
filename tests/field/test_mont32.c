/* The GPU's carry-chain arithmetic, run on the host, against the 64-bit headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "field/fp.h"
#include "field/fp_divsteps32.h"
#include "field/fr.h"
#include "support/random.h"

static struct test_random rng;

#define DEFINE_TEST(field, words, bits)                                                                      \
    static void draw_##field(struct cuzk_##field *out)                                                       \
    {                                                                                                        \
        do {                                                                                                 \
            test_random_bytes(&rng, out->l, sizeof out->l);                                                  \
            out->l[sizeof out->l / 8 - 1] &= (UINT64_C(1) << ((bits) % 64)) - 1;                             \
        } while (!cuzk_##field##_words_are_reduced(out->l));                                                 \
    }                                                                                                        \
    static void test_##field##_mont32__equals_the_64_bit_header(void **state)                                \
    {                                                                                                        \
        struct cuzk_##field a, b, expected, got;                                                             \
        uint32_t x[words], y[words], z[words];                                                               \
        (void)state;                                                                                         \
        for (int i = 0; i < 50000; i++) {                                                                    \
            draw_##field(&a);                                                                                \
            draw_##field(&b);                                                                                \
            cuzk_##field##_split(&a, x);                                                                     \
            cuzk_##field##_split(&b, y);                                                                     \
            cuzk_##field##_mul(&a, &b, &expected);                                                           \
            cuzk_##field##_mont32_mul(x, y, z);                                                              \
            cuzk_##field##_join(z, &got);                                                                    \
            assert_memory_equal(&expected, &got, sizeof got);                                                \
            cuzk_##field##_add(&a, &b, &expected);                                                           \
            cuzk_##field##_mont32_add(x, y, z);                                                              \
            cuzk_##field##_join(z, &got);                                                                    \
            assert_memory_equal(&expected, &got, sizeof got);                                                \
            cuzk_##field##_sub(&a, &b, &expected);                                                           \
            cuzk_##field##_mont32_sub(x, y, x);                                                              \
            cuzk_##field##_join(x, &got);                                                                    \
            assert_memory_equal(&expected, &got, sizeof got);                                                \
        }                                                                                                    \
    }
DEFINE_TEST(fr, 8, 255)
DEFINE_TEST(fp, 12, 381)

static void test_fp_mont32_sqr__equals_the_product(void **state)
{
    struct cuzk_fp a, one, expected, got;
    uint32_t x[12];

    (void)state;
    cuzk_fp_one(&one);
    for (int i = 0; i < 50000; i++) {
        draw_fp(&a);
        if (i == 0)
            cuzk_fp_zero(&a);
        if (i == 1)
            cuzk_fp_neg(&one, &a);
        if (i >= 2 && i < 100) { /* words of ones and of zeros: carries run far */
            for (int k = 0; k < 6; k++)
                a.l[k] = a.l[k] & 1 ? UINT64_MAX : 0;
            a.l[5] &= UINT64_C(0x1a00000000000000);
        }
        if (i == 100) { /* p - 1 */
            const struct cuzk_fp p = {CUZK_FP_MODULUS};
            a = p;
            a.l[0]--;
        }
        cuzk_fp_split(&a, x);
        cuzk_fp_mul(&a, &a, &expected);
        cuzk_fp_mont32_sqr(x, x);
        cuzk_fp_join(x, &got);
        assert_memory_equal(&expected, &got, sizeof got);
    }
}

static void test_fp_divsteps32_inverse__times_the_value_is_one(void **state)
{
    struct cuzk_fp a, b, one;

    (void)state;
    cuzk_fp_one(&one);
    for (int i = 0; i < 5000; i++) {
        draw_fp(&a);
        if (i == 0)
            cuzk_fp_zero(&a);
        if (i == 1)
            a = one;
        if (i == 2)
            cuzk_fp_neg(&one, &a);
        cuzk_fp_divsteps32_inverse(&a, &b);
        if (cuzk_fp_is_zero(&a)) {
            assert_true(cuzk_fp_is_zero(&b));
            continue;
        }
        cuzk_fp_mul(&a, &b, &b);
        assert_memory_equal(&b, &one, sizeof one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fr_mont32__equals_the_64_bit_header),
        cmocka_unit_test(test_fp_mont32__equals_the_64_bit_header),
        cmocka_unit_test(test_fp_mont32_sqr__equals_the_product),
        cmocka_unit_test(test_fp_divsteps32_inverse__times_the_value_is_one),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
