#include "backends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "backend/cuda/cuda.h"

void test_backends_open(struct cuzk_pool *pool, struct test_backend table[TEST_BACKENDS])
{
    static const char *const names[] = {"cpu, portable", "cpu, adx", "cpu, ifma"};
    const enum cuzk_cpu_level most = cuzk_cpu_level();

    for (int level = CUZK_CPU_PORTABLE; level <= CUZK_CPU_IFMA; level++) {
        table[level] = (struct test_backend){.name = names[level], .level = (enum cuzk_cpu_level)level};
        if (level <= (int)most)
            assert_int_equal(cuzk_backend_cpu_create(pool, &table[level].backend, NULL), CUZK_OK);
    }
    struct cuzk_error err = {0};
    int devices;
    table[TEST_BACKENDS - 1] = (struct test_backend){.name = "cuda", .level = most};
    if (cuzk_cuda_device_count(&devices, &err) == CUZK_OK && devices > 0)
        assert_int_equal(cuzk_backend_cuda_create(NULL, &table[TEST_BACKENDS - 1].backend, NULL), CUZK_OK);
    else
        print_message("SKIPPED: backend cuda: %s\n", err.message[0] != '\0' ? err.message : "no device");
}

void test_backends_each(const struct test_backend table[TEST_BACKENDS],
                        void (*body)(struct cuzk_backend *backend))
{
    const enum cuzk_cpu_level saved = cuzk_cpu_level();
    unsigned seen = 0;

    for (int k = 0; k < TEST_BACKENDS; k++) {
        if (table[k].backend == NULL)
            continue;
        cuzk_cpu_set_level(table[k].level);
        table[k].backend->memory_limit = 0; /* whatever a test that failed has left */
        body(table[k].backend);
        seen++;
    }
    cuzk_cpu_set_level(saved);
    assert_true(seen > 0);
}

void test_backends_close(struct test_backend table[TEST_BACKENDS])
{
    for (int k = 0; k < TEST_BACKENDS; k++)
        cuzk_backend_destroy(table[k].backend);
}

void test_backends_draw(struct test_random *random, struct cuzk_fr *out)
{
    uint8_t bytes[64];

    do {
        test_random_bytes(random, bytes, sizeof bytes);
        cuzk_fr_from_wide_bytes(bytes, out);
    } while (cuzk_fr_is_zero(out));
}
