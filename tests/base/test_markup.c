/* Text that a page or a drawing shows must not become part of its markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/markup.h"

static void test_escape__leaves_nothing_reserved(void **state)
{
    char room[64];

    (void)state;
    assert_string_equal(cuzk_markup_escape("a<b>&\"c\n\x01", room, sizeof room), "a&lt;b&gt;&amp;&quot;c  ");
    assert_string_equal(cuzk_markup_escape("", room, sizeof room), "");
}

static void test_escape__is_cut_between_entities(void **state)
{
    (void)state;
    for (size_t size = 8; size < 40; size++) {
        char room[41];

        memset(room, 'x', sizeof room);
        const size_t n = strlen(cuzk_markup_escape("\"\"\"\"\"\"\"\"", room, size));

        assert_true(n < size);
        assert_true(n % 6 == 0);
        assert_int_equal(room[size], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape__leaves_nothing_reserved),
        cmocka_unit_test(test_escape__is_cut_between_entities),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
