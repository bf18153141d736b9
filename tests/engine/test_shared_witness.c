#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/shared_witness.h"

static void make_layout(uint32_t inputs, uint32_t aux, struct cuzk_witness_layout *layout)
{
    uint64_t is_bit[4] = {0x00ff00ff00ff00ff, 0xffffffff, 0, 0};

    assert_true(aux <= 256);
    assert_int_equal(cuzk_witness_layout_create(inputs, aux, is_bit, layout, NULL), CUZK_OK);
}

static void test_create__is_zero_but_for_the_constant(void **state)
{
    struct cuzk_witness_layout layout;
    struct cuzk_shared_witness *shared;
    struct cuzk_fr one;

    (void)state;
    make_layout(3, 200, &layout);
    assert_int_equal(cuzk_shared_witness_create(&layout, &shared, NULL), CUZK_OK);
    cuzk_fr_one(&one);
    assert_true(cuzk_fr_equal(&shared->witness.inputs[0], &one));
    assert_true(cuzk_fr_is_zero(&shared->witness.inputs[2]));
    assert_int_equal(shared->witness.bits[0], 0);
    assert_true(cuzk_fr_is_zero(&shared->witness.wide[layout.aux - layout.bits - 1]));
    assert_int_equal(shared->bytes % 4096, 0);
    assert_int_equal(shared->bytes, cuzk_shared_witness_bytes(&layout));
    cuzk_shared_witness_destroy(shared);
    cuzk_witness_layout_destroy(&layout);
}

static void test_map__sees_what_the_maker_wrote(void **state)
{
    struct cuzk_witness_layout layout;
    struct cuzk_shared_witness *made, *mapped;

    (void)state;
    make_layout(3, 200, &layout);
    assert_int_equal(cuzk_shared_witness_create(&layout, &made, NULL), CUZK_OK);
    cuzk_fr_from_u64(77, &made->witness.inputs[2]);
    made->witness.bits[0] = 0x123456;
    cuzk_fr_from_u64(99, &made->witness.wide[5]);
    assert_int_equal(cuzk_shared_witness_map(dup(made->fd), &layout, &mapped, NULL), CUZK_OK);
    assert_true(mapped->memory != made->memory);
    assert_true(cuzk_fr_equal(&mapped->witness.inputs[2], &made->witness.inputs[2]));
    assert_int_equal(mapped->witness.bits[0], 0x123456);
    assert_true(cuzk_fr_equal(&mapped->witness.wide[5], &made->witness.wide[5]));
    /* who maps it does not wipe it: another device may need it */
    cuzk_shared_witness_destroy(mapped);
    assert_int_equal(made->witness.bits[0], 0x123456);
    cuzk_shared_witness_destroy(made);
    cuzk_witness_layout_destroy(&layout);
}

static void test_destroy__wipes(void **state)
{
    struct cuzk_witness_layout layout;
    struct cuzk_shared_witness *made, *mapped;

    (void)state;
    make_layout(3, 200, &layout);
    assert_int_equal(cuzk_shared_witness_create(&layout, &made, NULL), CUZK_OK);
    made->witness.bits[0] = 0x123456;
    assert_int_equal(cuzk_shared_witness_map(dup(made->fd), &layout, &mapped, NULL), CUZK_OK);
    cuzk_shared_witness_destroy(made);
    assert_int_equal(mapped->witness.bits[0], 0);
    assert_true(cuzk_fr_is_zero(&mapped->witness.inputs[0]));
    cuzk_shared_witness_destroy(mapped);
    cuzk_shared_witness_destroy(NULL);
    cuzk_witness_layout_destroy(&layout);
}

static void test_map__refuses_other_memory(void **state)
{
    struct cuzk_witness_layout layout, larger;
    struct cuzk_shared_witness *made, *mapped;
    struct cuzk_error err;
    int fd;

    (void)state;
    make_layout(3, 60, &layout);
    make_layout(500, 200, &larger);
    assert_int_equal(cuzk_shared_witness_create(&layout, &made, NULL), CUZK_OK);
    assert_int_equal(cuzk_shared_witness_map(dup(made->fd), &larger, &mapped, &err), CUZK_INPUT);
    assert_null(mapped);
    assert_non_null(strstr(err.message, "expected"));
    /* it cannot be cut while somebody reads it */
    assert_int_not_equal(ftruncate(made->fd, 0), 0);
    fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(ftruncate(fd, (off_t)made->bytes), 0);
    assert_int_equal(cuzk_shared_witness_map(fd, &layout, &mapped, &err), CUZK_INPUT);
    assert_int_equal(fcntl(fd, F_GETFD), -1); /* closed */
    fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_int_equal(cuzk_shared_witness_map(fd, &layout, &mapped, &err), CUZK_INPUT);
    assert_int_equal(cuzk_shared_witness_map(-1, &layout, &mapped, &err), CUZK_INPUT);
    cuzk_shared_witness_destroy(made);
    cuzk_witness_layout_destroy(&layout);
    cuzk_witness_layout_destroy(&larger);
}

static void test_create__memory_fails(void **state)
{
    struct cuzk_witness_layout layout;
    struct cuzk_shared_witness *made;
    const size_t before = cuzk_mem_in_use();

    (void)state;
    make_layout(3, 200, &layout);
    const size_t with_layout = cuzk_mem_in_use();

    for (size_t n = 0; n < 2; n++) {
        cuzk_mem_fail_after(n, 0);
        assert_int_equal(cuzk_shared_witness_create(&layout, &made, NULL), CUZK_MEMORY);
        assert_null(made);
        assert_int_equal(cuzk_mem_in_use(), with_layout);
    }
    cuzk_mem_fail_after(SIZE_MAX, 0);
    cuzk_witness_layout_destroy(&layout);
    assert_int_equal(cuzk_mem_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create__is_zero_but_for_the_constant),
        cmocka_unit_test(test_map__sees_what_the_maker_wrote),
        cmocka_unit_test(test_destroy__wipes),
        cmocka_unit_test(test_map__refuses_other_memory),
        cmocka_unit_test(test_create__memory_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
