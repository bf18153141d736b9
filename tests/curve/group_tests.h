/* Tests that G1 and G2 share: test_g1.c and test_g2.c define F, FIELD(op), GROUP(op), POINT, AFFINE,
 * BYTES, RAW_BYTES, draw_x and cofactor, and include this file. */

static struct test_random rng;
static const uint64_t order[4] = CUZK_FR_MODULUS;

/* a point of the curve, outside the subgroup but for a negligible chance */
static void draw_curve_point(struct AFFINE *out)
{
    F rhs;

    do {
        draw_x(&out->x);
        GROUP(curve_rhs)(&out->x, &rhs);
    } while (!FIELD(sqrt)(&rhs, &out->y));
    if (test_random_u64(&rng) & 1)
        FIELD(neg)(&out->y, &out->y);
}

static void draw_scalar(uint64_t scalar[4])
{
    struct cuzk_fr s;
    uint8_t wide[64];

    test_random_bytes(&rng, wide, sizeof wide);
    cuzk_fr_from_wide_bytes(wide, &s);
    cuzk_fr_to_words(&s, scalar);
}

/* a point of the subgroup, with z other than one */
static void draw_point(struct POINT *out)
{
    uint64_t scalar[4];

    draw_scalar(scalar);
    GROUP(from_affine)(&GROUP(generator), out);
    GROUP(mul)(out, scalar, out);
}

/* bit by bit, by the complete addition alone */
static void slow_mul(const struct POINT *a, const uint64_t *scalar, size_t limbs, struct POINT *out)
{
    struct POINT acc;

    GROUP(identity)(&acc);
    for (size_t i = 64 * limbs; i-- > 0;) {
        GROUP(add)(&acc, &acc, &acc);
        if (scalar[i / 64] >> (i % 64) & 1)
            GROUP(add)(&acc, a, &acc);
    }
    *out = acc;
}

static bool slow_in_subgroup(const struct AFFINE *a)
{
    struct POINT p;

    GROUP(from_affine)(a, &p);
    slow_mul(&p, order, 4, &p);
    return GROUP(is_identity)(&p);
}

static void assert_on_curve(const struct POINT *a)
{
    struct AFFINE affine;

    GROUP(to_affine)(a, &affine);
    assert_true(GROUP(is_on_curve)(&affine));
}

static void test_generator__is_in_the_subgroup(void **state)
{
    struct POINT g, t;

    (void)state;
    assert_true(GROUP(is_on_curve)(&GROUP(generator)));
    assert_true(GROUP(in_subgroup)(&GROUP(generator)));
    GROUP(from_affine)(&GROUP(generator), &g);
    slow_mul(&g, order, 4, &t);
    assert_true(GROUP(is_identity)(&t));
    assert_false(GROUP(is_identity)(&g));
}

static void test_add__is_a_group_law(void **state)
{
    struct POINT a, b, c, left, right, zero;

    (void)state;
    GROUP(identity)(&zero);
    for (int i = 0; i < 50; i++) {
        draw_point(&a);
        draw_point(&b);
        draw_point(&c);
        GROUP(add)(&a, &b, &left);
        assert_on_curve(&left);
        GROUP(add)(&left, &c, &left);
        GROUP(add)(&b, &c, &right);
        GROUP(add)(&right, &a, &right); /* out is an input */
        assert_true(GROUP(equal)(&left, &right));
        assert_false(GROUP(equal)(&left, &a));
        GROUP(add)(&a, &a, &left);
        GROUP(double)(&a, &right);
        assert_true(GROUP(equal)(&left, &right));
        assert_on_curve(&right);
        GROUP(neg)(&a, &b);
        GROUP(add)(&a, &b, &left);
        assert_true(GROUP(is_identity)(&left));
        GROUP(add)(&a, &zero, &left);
        assert_true(GROUP(equal)(&left, &a));
        GROUP(add)(&zero, &a, &left);
        assert_true(GROUP(equal)(&left, &a));
    }
    GROUP(add)(&zero, &zero, &left);
    assert_true(GROUP(is_identity)(&left));
    GROUP(double)(&zero, &left);
    assert_true(GROUP(is_identity)(&left));
    assert_false(GROUP(equal)(&zero, &a));
    assert_true(GROUP(equal)(&zero, &left));
}

static void test_add_mixed__equals_add(void **state)
{
    struct POINT a, b, expected, got;
    struct AFFINE affine;

    (void)state;
    for (int i = 0; i < 60; i++) {
        draw_point(&a);
        draw_point(&b);
        if (i % 6 == 1)
            b = a;
        if (i % 6 == 2)
            GROUP(neg)(&a, &b);
        if (i % 6 == 3)
            GROUP(identity)(&a);
        if (i % 6 == 4)
            GROUP(identity)(&b);
        GROUP(to_affine)(&b, &affine);
        GROUP(add)(&a, &b, &expected);
        GROUP(add_mixed)(&a, &affine, &got);
        assert_true(GROUP(equal)(&expected, &got));
        GROUP(add_mixed)(&a, &affine, &a);
        assert_true(GROUP(equal)(&expected, &a));
    }
}

static void test_mul__equals_double_and_add(void **state)
{
    struct POINT a, expected, got;
    uint64_t scalar[4];

    (void)state;
    for (int i = 0; i < 20; i++) {
        draw_point(&a);
        test_random_bytes(&rng, scalar, sizeof scalar);
        if (i < 4)
            for (int k = 0; k < 4; k++)
                scalar[k] = i == 3 ? UINT64_MAX : 0;
        if (i == 1)
            scalar[0] = 1;
        if (i == 2)
            for (int k = 0; k < 4; k++)
                scalar[k] = order[k] - (k == 0);
        slow_mul(&a, scalar, 4, &expected);
        GROUP(mul)(&a, scalar, &got);
        assert_true(GROUP(equal)(&expected, &got));
    }
    GROUP(identity)(&a);
    GROUP(mul)(&a, scalar, &got);
    assert_true(GROUP(is_identity)(&got));
}

static void test_batch_to_affine__equals_to_affine(void **state)
{
    struct POINT points[20];
    struct AFFINE batch[20], one;

    (void)state;
    for (int i = 0; i < 20; i++) {
        draw_point(&points[i]);
        if (i % 5 == 2)
            GROUP(identity)(&points[i]);
    }
    GROUP(batch_to_affine)(points, 0, batch);
    GROUP(batch_to_affine)(points, 20, batch);
    for (int i = 0; i < 20; i++) {
        GROUP(to_affine)(&points[i], &one);
        assert_true(GROUP(affine_equal)(&one, &batch[i]));
        assert_int_equal(GROUP(affine_is_identity)(&one), i % 5 == 2);
        struct POINT back;
        GROUP(from_affine)(&one, &back);
        assert_true(GROUP(equal)(&back, &points[i]));
    }
}

static void test_is_on_curve__refuses_moved_points(void **state)
{
    struct AFFINE a;

    (void)state;
    for (int i = 0; i < 20; i++) {
        draw_curve_point(&a);
        assert_true(GROUP(is_on_curve)(&a));
        FIELD(add)(&a.y, &a.x, &a.y);
        assert_false(GROUP(is_on_curve)(&a));
    }
}

static void test_in_subgroup__equals_multiplication_by_the_order(void **state)
{
    struct AFFINE a;
    struct POINT p, t;
    int outside = 0;

    (void)state;
    for (int i = 0; i < 40; i++) {
        draw_curve_point(&a);
        GROUP(from_affine)(&a, &p);
        if (i % 4 == 1) /* into the subgroup */
            slow_mul(&p, cofactor, sizeof cofactor / 8, &p);
        if (i % 4 == 2) /* into the part of cofactor order */
            slow_mul(&p, order, 4, &p);
        if (i % 4 == 3) { /* a good point plus one of cofactor order */
            slow_mul(&p, order, 4, &p);
            draw_point(&t);
            GROUP(add)(&p, &t, &p);
        }
        GROUP(to_affine)(&p, &a);
        const bool expected = slow_in_subgroup(&a);
        assert_int_equal(GROUP(in_subgroup)(&a), expected);
        assert_int_equal(expected, i % 4 == 1);
        outside += !expected;
    }
    assert_int_equal(outside, 30);
    GROUP(identity)(&p);
    GROUP(to_affine)(&p, &a);
    assert_true(GROUP(in_subgroup)(&a));
}

static void test_encoding__round_trips(void **state)
{
    uint8_t bytes[BYTES], raw[RAW_BYTES];
    struct POINT p;
    struct AFFINE a, b;
    struct cuzk_error err;

    (void)state;
    for (int i = 0; i < 50; i++) {
        draw_point(&p);
        if (i == 7)
            GROUP(identity)(&p);
        GROUP(to_affine)(&p, &a);
        GROUP(encode)(&a, bytes);
        assert_int_equal(GROUP(decode)(bytes, &b, &err), CUZK_OK);
        assert_true(GROUP(affine_equal)(&a, &b));
        GROUP(encode_raw)(&a, raw);
        assert_int_equal(GROUP(decode_raw)(raw, &b, &err), CUZK_OK);
        assert_true(GROUP(affine_equal)(&a, &b));
        assert_int_equal(GROUP(decode_raw_unchecked)(raw, &b, &err), CUZK_OK);
        assert_true(GROUP(affine_equal)(&a, &b));
        if (i != 7) {
            assert_memory_equal(bytes + 1, raw + 1, BYTES - 1); /* x is the same in both */
            bytes[0] ^= 0x20;                                   /* the other root */
            assert_int_equal(GROUP(decode)(bytes, &b, NULL), CUZK_OK);
            GROUP(affine_neg)(&b, &b);
            assert_true(GROUP(affine_equal)(&a, &b));
        }
    }
}

/* Every count around the lanes, one bad point at every place, infinity in between, at every level. */
static void test_decode_many__equals_decode(void **state)
{
    enum { MOST = 67 };
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 10, 11, 31, 32, 33, 36, 64, 67};
    static uint8_t encoded[MOST][BYTES];
    static struct AFFINE points[MOST], got[MOST];
    const uint8_t *at[MOST];
    const enum cuzk_cpu_level best = cuzk_cpu_level();
    struct POINT p;
    uint8_t off_subgroup[BYTES], off_curve[BYTES];
    struct AFFINE bad;
    F rhs, root;

    (void)state;
    for (int i = 0; i < MOST; i++) {
        draw_point(&p);
        if (i == 20)
            GROUP(identity)(&p);
        GROUP(to_affine)(&p, &points[i]);
        GROUP(encode)(&points[i], encoded[i]);
        at[i] = encoded[i];
    }
    draw_curve_point(&bad);
    GROUP(encode)(&bad, off_subgroup);
    do {
        draw_x(&bad.x);
        GROUP(curve_rhs)(&bad.x, &rhs);
    } while (FIELD(sqrt)(&rhs, &root));
    GROUP(encode)(&bad, off_curve);
    for (enum cuzk_cpu_level level = CUZK_CPU_PORTABLE; level <= best; level++) {
        cuzk_cpu_set_level(level);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const size_t n = counts[i];
            memset(got, 0xff, sizeof got);
            assert_true(GROUP(decode_many)(at, n, got));
            for (size_t k = 0; k < n; k++)
                assert_true(GROUP(affine_equal)(&got[k], &points[k]));
        }
        for (size_t k = 0; k < 40; k += level == CUZK_CPU_IFMA ? 1 : 13) {
            uint8_t unreduced[BYTES];
            memset(unreduced, 0x9f, sizeof unreduced);
            at[k] = k % 3 == 0 ? off_subgroup : k % 3 == 1 ? off_curve : unreduced;
            assert_false(GROUP(decode_many)(at, 40, got));
            at[k] = encoded[k];
        }
    }
    cuzk_cpu_set_level(best);
}

/* every value of the three flag bits on a good point and on infinity, both encodings */
static void test_decode__wants_the_right_flags(void **state)
{
    uint8_t bytes[BYTES], raw[RAW_BYTES];
    struct AFFINE a;
    struct cuzk_error err;

    (void)state;
    for (unsigned flags = 0; flags < 8; flags++) {
        GROUP(encode)(&GROUP(generator), bytes);
        bytes[0] = (uint8_t)((bytes[0] & 0x1f) | flags << 5);
        enum cuzk_status status = GROUP(decode)(bytes, &a, &err);
        assert_int_equal(status, flags == 4 || flags == 5 ? CUZK_OK : CUZK_INPUT);
        GROUP(encode_raw)(&GROUP(generator), raw);
        raw[0] = (uint8_t)((raw[0] & 0x1f) | flags << 5);
        status = GROUP(decode_raw)(raw, &a, &err);
        assert_int_equal(status, flags == 0 ? CUZK_OK : CUZK_INPUT);
        status = GROUP(decode_raw_unchecked)(raw, &a, &err);
        assert_int_equal(status, flags == 0 ? CUZK_OK : CUZK_INPUT);
        memset(bytes, 0, sizeof bytes);
        bytes[0] = (uint8_t)(flags << 5);
        status = GROUP(decode)(bytes, &a, &err);
        if (flags == 6) {
            assert_int_equal(status, CUZK_OK);
            assert_true(GROUP(affine_is_identity)(&a));
        } else {
            assert_int_equal(status, CUZK_INPUT);
        }
        memset(raw, 0, sizeof raw);
        raw[0] = (uint8_t)(flags << 5);
        status = GROUP(decode_raw)(raw, &a, &err);
        assert_int_equal(status, flags == 2 ? CUZK_OK : CUZK_INPUT);
        assert_int_equal(GROUP(decode_raw_unchecked)(raw, &a, &err), flags == 2 ? CUZK_OK : CUZK_INPUT);
    }
}

static void test_decode__refuses_infinity_with_bits_set(void **state)
{
    uint8_t bytes[BYTES] = {0xc0}, raw[RAW_BYTES] = {0x40};
    struct AFFINE a;

    (void)state;
    for (size_t i = 0; i < 8 * sizeof bytes; i++) {
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        if (i != 7 && i != 6)
            assert_int_equal(GROUP(decode)(bytes, &a, NULL), CUZK_INPUT);
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    for (size_t i = 0; i < 8 * sizeof raw; i++) {
        raw[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(GROUP(decode_raw)(raw, &a, NULL), CUZK_INPUT);
        raw[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    assert_int_equal(GROUP(decode_raw)(raw, &a, NULL), CUZK_OK);
}

/* writes p + add at bytes, leaving the flags */
static void put_modulus(uint8_t *bytes, uint64_t add)
{
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    const uint8_t flags = bytes[0] & 0xe0;

    for (int i = 0; i < CUZK_FP_LIMBS; i++) {
        const uint64_t word = __builtin_bswap64(m[CUZK_FP_LIMBS - 1 - i] + (i == 5 ? add : 0));
        memcpy(bytes + 8 * i, &word, 8);
    }
    bytes[0] |= flags;
}

static void test_decode__refuses_unreduced_coordinates(void **state)
{
    struct AFFINE a;
    struct cuzk_error err;

    (void)state;
    for (size_t at = 0; at < RAW_BYTES; at += CUZK_FP_BYTES) {
        for (uint64_t add = 0; add < 5; add++) {
            uint8_t bytes[BYTES], raw[RAW_BYTES];
            GROUP(encode)(&GROUP(generator), bytes);
            GROUP(encode_raw)(&GROUP(generator), raw);
            if (at < BYTES) {
                put_modulus(bytes + at, add);
                assert_int_equal(GROUP(decode)(bytes, &a, &err), CUZK_INPUT);
                assert_non_null(strstr(err.message, "modulus"));
            }
            put_modulus(raw + at, add);
            assert_int_equal(GROUP(decode_raw)(raw, &a, &err), CUZK_INPUT);
            assert_non_null(strstr(err.message, "modulus"));
            assert_int_equal(GROUP(decode_raw_unchecked)(raw, &a, &err), CUZK_INPUT);
        }
    }
}

static void test_decode__refuses_points_off_curve_and_subgroup(void **state)
{
    uint8_t bytes[BYTES], raw[RAW_BYTES];
    struct AFFINE a, b;
    struct cuzk_error err;
    F rhs;

    (void)state;
    for (int i = 0; i < 10; i++) {
        draw_curve_point(&a);
        GROUP(encode)(&a, bytes);
        assert_int_equal(GROUP(decode)(bytes, &b, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "subgroup"));
        assert_true(GROUP(affine_is_identity)(&b));
        GROUP(encode_raw)(&a, raw);
        assert_int_equal(GROUP(decode_raw)(raw, &b, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "subgroup"));
        assert_int_equal(GROUP(decode_raw_unchecked)(raw, &b, &err), CUZK_OK);
        FIELD(add)(&a.y, &a.x, &a.y);
        GROUP(encode_raw)(&a, raw);
        assert_int_equal(GROUP(decode_raw)(raw, &b, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "curve"));
        do {
            draw_x(&a.x);
            GROUP(curve_rhs)(&a.x, &rhs);
        } while (FIELD(sqrt)(&rhs, &b.y));
        GROUP(encode)(&a, bytes);
        assert_int_equal(GROUP(decode)(bytes, &b, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "curve"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generator__is_in_the_subgroup),
        cmocka_unit_test(test_add__is_a_group_law),
        cmocka_unit_test(test_add_mixed__equals_add),
        cmocka_unit_test(test_mul__equals_double_and_add),
        cmocka_unit_test(test_batch_to_affine__equals_to_affine),
        cmocka_unit_test(test_is_on_curve__refuses_moved_points),
        cmocka_unit_test(test_in_subgroup__equals_multiplication_by_the_order),
        cmocka_unit_test(test_encoding__round_trips),
        cmocka_unit_test(test_decode_many__equals_decode),
        cmocka_unit_test(test_decode__wants_the_right_flags),
        cmocka_unit_test(test_decode__refuses_infinity_with_bits_set),
        cmocka_unit_test(test_decode__refuses_unreduced_coordinates),
        cmocka_unit_test(test_decode__refuses_points_off_curve_and_subgroup),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
