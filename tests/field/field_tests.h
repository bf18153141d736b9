/* Tests that Fp and Fr share, against GMP, an unrelated implementation: test_fp.c and test_fr.c define F,
 * FIELD(op), LIMBS, BYTES, MODULUS and BYTE_ORDER_OF_MPZ (1: big-endian, -1: little-endian), and include this
 * file. */

static struct test_random rng;
static mpz_t modulus;

static void load(const uint64_t words[LIMBS], mpz_t out)
{
    mpz_import(out, LIMBS, -1, 8, 0, 0, words);
}

static void value_of(const F *a, mpz_t out)
{
    uint64_t words[LIMBS];
    FIELD(to_words)(a, words);
    assert_true(FIELD(words_are_reduced)(words));
    load(words, out);
}

static void draw(F *out, mpz_t value)
{
    uint64_t words[LIMBS];

    test_random_bytes(&rng, words, sizeof words);
    load(words, value);
    if (test_random_below(&rng, 8) == 0) /* near the modulus */
        mpz_sub_ui(value, modulus, 1 + test_random_below(&rng, 3));
    mpz_mod(value, value, modulus);
    for (int i = 0; i < LIMBS; i++)
        words[i] = 0;
    mpz_export(words, NULL, -1, 8, 0, 0, value);
    FIELD(from_words)(words, out);
}

static void test_ring_operations__equal_gmp(void **state)
{
    mpz_t x, y, expected, got;
    F a, b, c;

    (void)state;
    mpz_inits(x, y, expected, got, NULL);
    for (int i = 0; i < 20000; i++) {
        draw(&a, x);
        draw(&b, y);
        FIELD(add)(&a, &b, &c);
        mpz_add(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        FIELD(sub)(&a, &b, &c);
        mpz_sub(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        FIELD(mul)(&a, &b, &c);
        mpz_mul(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        FIELD(sqr)(&a, &c);
        mpz_mul(expected, x, x);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        FIELD(neg)(&a, &c);
        FIELD(add)(&a, &c, &c);
        assert_true(FIELD(is_zero)(&c));
    }
    mpz_clears(x, y, expected, got, NULL);
}

static void test_operations__let_outputs_alias_inputs(void **state)
{
    mpz_t x, y;
    F a, b, c, d;

    (void)state;
    mpz_inits(x, y, NULL);
    draw(&a, x);
    draw(&b, y);
    FIELD(mul)(&a, &b, &c);
    d = a;
    FIELD(mul)(&d, &b, &d);
    assert_true(FIELD(equal)(&c, &d));
    d = b;
    FIELD(sub)(&a, &d, &d);
    FIELD(sub)(&a, &b, &c);
    assert_true(FIELD(equal)(&c, &d));
    mpz_clears(x, y, NULL);
}

static void test_pow__equals_gmp(void **state)
{
    mpz_t x, e, expected, got;
    F a, b;

    (void)state;
    mpz_inits(x, e, expected, got, NULL);
    for (int i = 0; i < 500; i++) {
        uint64_t words[LIMBS] = {0};
        const size_t limbs = 1 + test_random_below(&rng, LIMBS);
        draw(&a, x);
        test_random_bytes(&rng, words, 8 * limbs);
        if (i < 70) { /* every small exponent, windows at the very end */
            memset(words, 0, sizeof words);
            words[0] = (uint64_t)i;
        }
        mpz_import(e, limbs, -1, 8, 0, 0, words);
        FIELD(pow)(&a, words, limbs, &b);
        mpz_powm(expected, x, e, modulus);
        value_of(&b, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        FIELD(pow)(&a, words, limbs, &a);
        assert_true(FIELD(equal)(&a, &b));
    }
    mpz_clears(x, e, expected, got, NULL);
}

/* Long runs of division steps of each kind: powers of two, small numbers, their opposites, random ones. */
static void test_inverse__equals_gmp(void **state)
{
    mpz_t x, expected, got;
    F a, b;

    (void)state;
    mpz_inits(x, expected, got, NULL);
    for (int i = 0; i < 20000; i++) {
        draw(&a, x);
        if (i < 1200) {
            F two;
            FIELD(from_u64)(2, &two);
            FIELD(from_u64)(1 + (uint64_t)(i / 400), &a);
            for (int k = 0; k < i % 400; k++)
                FIELD(mul)(&a, &two, &a);
            if (i & 1)
                FIELD(neg)(&a, &a);
            value_of(&a, x);
        }
        if (mpz_sgn(x) == 0)
            continue;
        FIELD(inverse)(&a, &b);
        assert_int_not_equal(mpz_invert(expected, x, modulus), 0);
        value_of(&b, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
    }
    mpz_clears(x, expected, got, NULL);
}

static void test_inverse__times_itself_is_one(void **state)
{
    mpz_t x;
    F a, b, one, batch[50], scratch[50], copy[50];

    (void)state;
    mpz_init(x);
    FIELD(one)(&one);
    for (int i = 0; i < 50; i++) {
        draw(&a, x);
        if (i % 7 == 3)
            FIELD(zero)(&a);
        copy[i] = batch[i] = a;
        FIELD(inverse)(&a, &b);
        if (FIELD(is_zero)(&a)) {
            assert_true(FIELD(is_zero)(&b));
            continue;
        }
        FIELD(mul)(&a, &b, &b);
        assert_true(FIELD(equal)(&b, &one));
    }
    FIELD(batch_inverse)(batch, 50, scratch);
    for (int i = 0; i < 50; i++) {
        FIELD(inverse)(&copy[i], &b);
        assert_true(FIELD(equal)(&b, &batch[i]));
    }
    mpz_clear(x);
}

static void test_bytes__round_trip_and_refuse_the_modulus(void **state)
{
    const uint64_t m[LIMBS] = MODULUS;
    uint8_t bytes[BYTES];
    F a, b;
    mpz_t x;

    (void)state;
    mpz_init(x);
    for (int i = 0; i < 100; i++) {
        draw(&a, x);
        FIELD(to_bytes)(&a, bytes);
        assert_true(FIELD(from_bytes)(bytes, &b));
        assert_true(FIELD(equal)(&a, &b));
    }
    load(m, x);
    for (int i = 0; i < BYTES; i++)
        bytes[i] = 0;
    mpz_export(bytes, NULL, BYTE_ORDER_OF_MPZ, 1, 0, 0, x);
    assert_false(FIELD(from_bytes)(bytes, &b));
    mpz_sub_ui(x, x, 1);
    mpz_export(bytes, NULL, BYTE_ORDER_OF_MPZ, 1, 0, 0, x);
    assert_true(FIELD(from_bytes)(bytes, &b));
    mpz_clear(x);
}

#define FIELD_TESTS                                                                                          \
    cmocka_unit_test(test_ring_operations__equal_gmp),                                                       \
        cmocka_unit_test(test_operations__let_outputs_alias_inputs), cmocka_unit_test(test_pow__equals_gmp), \
        cmocka_unit_test(test_inverse__equals_gmp), cmocka_unit_test(test_inverse__times_itself_is_one),     \
        cmocka_unit_test(test_bytes__round_trip_and_refuse_the_modulus)

/* Before the tests. */
static void open_field(void)
{
    const uint64_t m[LIMBS] = MODULUS;

    test_random_init(&rng);
    mpz_init(modulus);
    load(m, modulus);
}
