/* The bincode reader, by properties: what is written is read back; every shorter input, every other count,
 * tag, index and element is refused with field and offset, and nothing is allocated by what a length says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "filecoin/bincode.h"
#include "support/random.h"

enum { ROOM = 1 << 16, ROUNDS = 40, SIBLINGS = 128 };

static struct test_random random_source;

struct buffer {
    uint8_t bytes[ROOM];
    size_t length;
};

static enum cuzk_status append(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct buffer *buffer = context;

    (void)err;
    assert_true(buffer->length + n <= ROOM);
    memcpy(buffer->bytes + buffer->length, bytes, n);
    buffer->length += n;
    return CUZK_OK;
}

/* A shape of either kind of tree: levels > 0 says binary. */
struct shape {
    struct cuzk_tree_shape oct;
    unsigned binary_levels;
};

static void draw_shape(struct shape *out)
{
    static const uint8_t arities[] = {0, 2, 4, 8};

    *out = (struct shape){.binary_levels = (unsigned)test_random_below(&random_source, 2) *
                                           (unsigned)(1 + test_random_below(&random_source, 32))};
    out->oct.base_levels = (uint8_t)(1 + test_random_below(&random_source, 9));
    out->oct.sub_arity = arities[test_random_below(&random_source, 4)];
    out->oct.top_arity = out->oct.sub_arity == 0 ? 0 : arities[test_random_below(&random_source, 4)];
}

static unsigned sibling_count(const struct shape *shape)
{
    return shape->binary_levels > 0 ? shape->binary_levels : cuzk_tree_siblings(shape->oct);
}

static void draw_element(struct cuzk_fr *out)
{
    uint8_t bytes[CUZK_FR_BYTES];

    do
        test_random_bytes(&random_source, bytes, sizeof bytes);
    while (!cuzk_fr_from_bytes(bytes, out));
}

static void draw_path(const struct shape *shape, struct cuzk_fr siblings[SIBLINGS],
                      struct cuzk_merkle_path *out)
{
    unsigned bits = shape->binary_levels;

    for (unsigned level = 0; shape->binary_levels == 0 && level < cuzk_tree_levels(shape->oct); level++)
        bits += (unsigned)__builtin_ctz(cuzk_tree_arity(shape->oct, level));
    for (unsigned i = 0; i < sibling_count(shape); i++)
        draw_element(&siblings[i]);
    draw_element(&out->leaf);
    draw_element(&out->root);
    out->siblings = siblings;
    out->index = test_random_below(&random_source, UINT64_C(1) << bits);
}

static void encode(const struct shape *shape, const struct cuzk_merkle_path *path, struct buffer *out)
{
    const struct cuzk_sink sink = {append, out};

    out->length = 0;
    assert_int_equal(shape->binary_levels > 0
                         ? cuzk_bincode_write_binary_proof(sink, shape->binary_levels, path, NULL)
                         : cuzk_bincode_write_oct_proof(sink, shape->oct, path, NULL),
                     CUZK_OK);
}

static enum cuzk_status decode(const struct shape *shape, const uint8_t *bytes, size_t n,
                               struct cuzk_fr_arena *values, struct cuzk_merkle_path *out, uint64_t *left,
                               struct cuzk_error *err)
{
    struct cuzk_bytes cursor;

    cuzk_bytes_init(&cursor, "file", bytes, n);
    const enum cuzk_status status =
        shape->binary_levels > 0
            ? cuzk_bincode_binary_proof(&cursor, "the field", shape->binary_levels, values, out, err)
            : cuzk_bincode_oct_proof(&cursor, "the field", shape->oct, values, out, err);

    *left = cuzk_bytes_left(&cursor);
    return status;
}

static void refused(const struct shape *shape, const uint8_t *bytes, size_t n)
{
    struct cuzk_fr_arena values = {0};
    struct cuzk_merkle_path path;
    struct cuzk_error err = {0};
    uint64_t left;

    assert_int_equal(decode(shape, bytes, n, &values, &path, &left, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "file"));
    assert_non_null(strstr(err.message, "the field"));
    assert_non_null(strstr(err.message, "offset"));
    cuzk_fr_arena_destroy(&values);
}

static void test_proof__is_read_as_it_was_written(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct cuzk_fr siblings[SIBLINGS];
        struct cuzk_fr_arena values = {0};
        struct cuzk_merkle_path path, read;
        struct buffer buffer;
        struct shape shape;
        uint64_t left;

        draw_shape(&shape);
        draw_path(&shape, siblings, &path);
        encode(&shape, &path, &buffer);
        const size_t own = buffer.length;

        buffer.bytes[buffer.length++] = 0x55; /* what follows is not its own */
        assert_int_equal(decode(&shape, buffer.bytes, buffer.length, &values, &read, &left, NULL), CUZK_OK);
        assert_int_equal(left, 1);
        assert_true(cuzk_fr_equal(&read.leaf, &path.leaf) && cuzk_fr_equal(&read.root, &path.root));
        assert_int_equal(read.index, path.index);
        assert_memory_equal(read.siblings, siblings, sibling_count(&shape) * sizeof *siblings);
        buffer.length = 0;
        encode(&shape, &read, &buffer);
        assert_int_equal(buffer.length, own);
        cuzk_fr_arena_destroy(&values);
    }
}

static void test_proof__shorter_inputs_are_refused(void **state)
{
    struct cuzk_fr siblings[SIBLINGS];
    struct cuzk_merkle_path path;
    struct buffer buffer;
    struct shape shape;

    (void)state;
    draw_shape(&shape);
    draw_path(&shape, siblings, &path);
    encode(&shape, &path, &buffer);
    for (size_t n = 0; n < buffer.length; n++)
        refused(&shape, buffer.bytes, n);
}

/* Where the counts, tags and indexes of a proof stand: everything that is no element. */
static size_t find_numbers(const struct shape *shape, size_t offsets[SIBLINGS], bool is_index[SIBLINGS])
{
    const unsigned parts =
        shape->binary_levels > 0 ? 1 : 1 + (shape->oct.sub_arity > 0) + (shape->oct.top_arity > 0);
    size_t count = 0, at = 4 + (parts == 1 ? 64 : 0);

    for (unsigned part = 0; part < parts; part++) {
        const unsigned levels = shape->binary_levels > 0 ? shape->binary_levels
                                : part == 0              ? shape->oct.base_levels
                                                         : 1;
        const unsigned arity = shape->binary_levels > 0 ? 2
                               : part == 0              ? 8
                               : part == 1              ? shape->oct.sub_arity
                                                        : shape->oct.top_arity;

        is_index[count] = false;
        offsets[count++] = at;
        at += 8;
        for (unsigned level = 0; level < levels; level++) {
            is_index[count] = false;
            offsets[count++] = at;
            at += 8 + 32 * (size_t)(arity - 1);
            is_index[count] = true;
            offsets[count++] = at;
            at += 8;
        }
    }
    return count;
}

/* The largest lengths that fit, and lengths that are off by one. */
static void test_proof__other_counts_are_refused(void **state)
{
    static const uint64_t huge[] = {UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 32, UINT64_C(1) << 20};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct cuzk_fr siblings[SIBLINGS];
        struct cuzk_merkle_path path;
        struct buffer buffer;
        struct shape shape;
        size_t offsets[SIBLINGS];
        bool is_index[SIBLINGS];

        draw_shape(&shape);
        draw_path(&shape, siblings, &path);
        encode(&shape, &path, &buffer);
        for (size_t i = find_numbers(&shape, offsets, is_index); i-- > 0;) {
            uint8_t *at = buffer.bytes + offsets[i];
            const uint64_t good = cuzk_load_u64le(at);

            for (size_t k = 0; k < sizeof huge / sizeof huge[0]; k++) {
                cuzk_store_u64le(huge[k], at);
                refused(&shape, buffer.bytes, buffer.length);
            }
            cuzk_store_u64le(is_index[i] ? 8 : good + 1, at);
            refused(&shape, buffer.bytes, buffer.length);
            if (!is_index[i]) {
                cuzk_store_u64le(good - 1, at);
                refused(&shape, buffer.bytes, buffer.length);
            }
            cuzk_store_u64le(good, at);
        }
        for (unsigned tag = 0; tag < 5; tag++) {
            if (cuzk_load_u32le(buffer.bytes) == tag)
                continue;
            const uint32_t good = cuzk_load_u32le(buffer.bytes);

            cuzk_store_u32le(tag, buffer.bytes);
            refused(&shape, buffer.bytes, buffer.length);
            cuzk_store_u32le(good, buffer.bytes);
        }
    }
}

static void test_element__is_canonical(void **state)
{
    static const struct {
        uint8_t first, rest_top;
        bool good;
    } cases[] = {
        {0x00, 0x73, true}, {0x01, 0x73, false}, {0x00, 0x74, false}, {0xff, 0x72, true}, {0, 0xff, false}};
    /* r - 1 in its lower bytes: 0x73eda753299d7d48 3339d80809a1d805 53bda402fffe5bfe ffffffff00000000 */
    static const uint8_t below[32] = {0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe,
                                      0xff, 0x02, 0xa4, 0xbd, 0x53, 0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8,
                                      0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_bytes cursor;
        struct cuzk_error err;
        struct cuzk_fr value;
        uint8_t bytes[32];

        memcpy(bytes, below, sizeof bytes);
        bytes[0] = cases[i].first;
        bytes[31] = cases[i].rest_top;
        cuzk_bytes_init(&cursor, "file", bytes, sizeof bytes);
        assert_int_equal(cuzk_bincode_element(&cursor, "the field", &value, &err),
                         cases[i].good ? CUZK_OK : CUZK_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proof__is_read_as_it_was_written),
        cmocka_unit_test(test_proof__shorter_inputs_are_refused),
        cmocka_unit_test(test_proof__other_counts_are_refused),
        cmocka_unit_test(test_element__is_canonical),
    };

    test_random_init(&random_source);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
