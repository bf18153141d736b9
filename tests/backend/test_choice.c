/* Names of backends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/choice.h"
#include "backend/cuda/cuda.h"

static void test_backend_open__knows_its_names(void **state)
{
    struct cuzk_backend *backend;
    struct cuzk_error err = {0};
    int devices = 0;
    const bool cuda = cuzk_cuda_device_count(&devices, NULL) == CUZK_OK && devices > 0;

    (void)state;
    assert_int_equal(cuzk_backend_open("cpu", NULL, &backend, &err), CUZK_OK);
    assert_string_equal(backend->ops->name, "cpu");
    cuzk_backend_destroy(backend);
    assert_int_equal(cuzk_backend_open("auto", NULL, &backend, &err), CUZK_OK);
    assert_string_equal(backend->ops->name, cuda ? "cuda" : "cpu");
    cuzk_backend_destroy(backend);
}

static void test_backend_open__refuses_and_never_falls_back(void **state)
{
    static const char *const wrong[] = {"", "gpu", "cud", "cuda:", "cpu:0", "CPU"};
    struct cuzk_backend *backend;
    struct cuzk_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(cuzk_backend_open(wrong[i], NULL, &backend, &err), CUZK_ARGUMENT);
        assert_null(backend);
        assert_non_null(strstr(err.message, "auto"));
    }
    /* no machine has these */
    assert_int_not_equal(cuzk_backend_open("cuda:4096", NULL, &backend, &err), CUZK_OK);
    assert_null(backend);
    assert_int_not_equal(cuzk_backend_open("cuda:GPU-0", NULL, &backend, &err), CUZK_OK);
    assert_null(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backend_open__knows_its_names),
        cmocka_unit_test(test_backend_open__refuses_and_never_falls_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
