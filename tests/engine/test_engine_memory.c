/* What the engine itself takes of memory: beyond the planned buffers, which null devices do not have, a
 * partition costs at most 64 KiB, and 100,000 queued jobs 100 MiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/engine_driver.h"
#include "engine/memory_growth.h"
#include "support/temporary.h"

enum { PARTITION_MOST = 64 << 10, QUEUED = 100000, QUEUED_MOST = 100 << 20 };

static void run(struct engine_driver *driver, unsigned proof, unsigned jobs)
{
    char job[16][CUZK_JOB_ID_TEXT];

    for (unsigned i = 0; i < jobs; i++)
        engine_driver_submit(driver, proof, CUZK_PRIORITY_NORMAL, job[i]);
    for (unsigned i = 0; i < jobs; i++) {
        assert_int_equal(engine_driver_await(driver, job[i]).state, CUZK_JOB_DONE);
        cuzk_engine_collected(driver->engine, job[i]);
    }
}

/* `jobs` at once, each of as many partitions as the proof has; several times, as the first is no exception.
 */
static void expect_little(struct engine_driver *driver, const char *preset, unsigned proof,
                          unsigned partitions, unsigned jobs)
{
    for (unsigned again = 0; again < 3; again++) {
        struct memory_growth growth;
        size_t accounted, heap;

        memory_growth_begin(&growth, driver->engine);
        run(driver, proof, jobs);
        memory_growth_end(&growth, driver->engine, &accounted, &heap);
        const size_t most = accounted > heap ? accounted : heap, each = most / ((size_t)jobs * partitions);

        if (each > PARTITION_MOST)
            fail_msg("%s, %u jobs of %u partitions: %zu bytes a partition, %d allowed", preset, jobs,
                     partitions, each, PARTITION_MOST);
    }
}

static void expect_little_of_every_preset(const char *state_directory)
{
    static const char *const presets[] = {"phase-0", "phase-3", "phase-7", "phase-8", "phase-12", "auto"};

    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        struct engine_driver driver;

        engine_driver_init(&driver, presets[i]);
        engine_driver_set(&driver, "batch.wait=0");
        driver.options.state_directory = state_directory;
        engine_driver_open(&driver);
        driver.submitted = i * 1000; /* of its own content: a state directory remembers the others */
        expect_little(&driver, presets[i], 5, 1, 1);
        expect_little(&driver, presets[i], 8, 10, 1);
        expect_little(&driver, presets[i], 8, 10, 8);
        engine_driver_close(&driver);
    }
}

static void test_partition__takes_little_beyond_the_planned_buffers(void **state)
{
    (void)state;
    expect_little_of_every_preset(NULL);
}

static void test_partition__takes_little_with_a_journal(void **state)
{
    char directory[TEMPORARY_BYTES];

    (void)state;
    temporary_make(directory);
    expect_little_of_every_preset(directory);
    temporary_remove(directory);
}

static void test_submit__a_hundred_thousand_wait_in_little(void **state)
{
    const size_t before = cuzk_mem_in_use();
    struct engine_driver driver;
    char job[CUZK_JOB_ID_TEXT];

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.options.jobs_most = QUEUED;
    driver.options.host_stage_ns[CUZK_STAGE_WITNESS] = UINT64_C(3600000000000); /* of the first ones */
    engine_driver_open(&driver);
    const size_t idle = cuzk_mem_in_use();
    struct memory_growth growth;
    size_t accounted, heap;

    memory_growth_begin(&growth, driver.engine);
    for (unsigned i = 0; i < QUEUED; i++)
        engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, job);
    memory_growth_end(&growth, driver.engine, &accounted, &heap);
    assert_true(idle - before + accounted <= QUEUED_MOST);
    assert_true(idle - before + heap <= QUEUED_MOST);
    engine_driver_close(&driver);
    assert_int_equal(cuzk_mem_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partition__takes_little_beyond_the_planned_buffers),
        cmocka_unit_test(test_partition__takes_little_with_a_journal),
        cmocka_unit_test(test_submit__a_hundred_thousand_wait_in_little),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
