/* Derived keys that are missing, made in the background: when, with what memory, how it ends, and when the
 * key is taken up. What makes them is a stand-in; the devices are null devices, the parameters are real. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "circuit/circuit.h"
#include "engine/engine_driver.h"
#include "engine/made_parameters.h"
#include "srs/cache.h"
#include "srs/derived_key.h"
#include "support/temporary.h"

enum { KEY = 64 << 20, UNIT = 1 << 20 };

static const uint64_t ms = 1000000;
static char parameters[TEMPORARY_BYTES]; /* of two circuits */
static char folder[TEMPORARY_BYTES];     /* a copy, for one test */

/* ---- the stand-in ---- */

static struct {
    atomic_uint begun, ended, cancelled;
    atomic_bool may_end;
} deriver;

static enum cuzk_status derive(const struct cuzk_derived_job *job, bool *made, struct cuzk_error *note,
                               struct cuzk_error *err)
{
    char place[CUZK_PARAMETER_PATH];

    *note = (struct cuzk_error){0};
    *made = false;
    assert_true(job->background);
    assert_string_equal(job->device, "null");
    atomic_fetch_add(&deriver.begun, 1);
    while (!atomic_load(&deriver.may_end)) {
        const enum cuzk_status status = cuzk_progress_check(job->progress, err);

        if (status != CUZK_OK) {
            atomic_fetch_add(&deriver.cancelled, 1);
            return status;
        }
        cuzk_progress_report(job->progress, "points of h", 1, 2);
        cuzk_clock_pause_ms(1);
    }
    if (!cuzk_cache_place(job->params_path, CUZK_DERIVED_SUFFIX, place))
        return cuzk_error_set(err, CUZK_IO, "no place");
    CUZK_TRY(cuzk_file_write(place, false, "derived", 7, err));
    atomic_fetch_add(&deriver.ended, 1);
    *made = true;
    return CUZK_OK;
}

static bool has_begun(void *context)
{
    (void)context;
    return atomic_load(&deriver.begun) > 0;
}

static bool has_ended(void *context)
{
    (void)context;
    return atomic_load(&deriver.ended) > 0;
}

static bool was_cancelled(void *context)
{
    (void)context;
    return atomic_load(&deriver.cancelled) > 0;
}

/* ---- a job that lasts as long as it is wanted ---- */

static const struct cuzk_fr *no_inputs(const struct cuzk_case *that, unsigned partition)
{
    static const struct cuzk_fr zeros[1024];

    (void)that;
    (void)partition;
    return zeros;
}

static enum cuzk_status unwanted_alone_ends_it(const struct cuzk_case *that, unsigned partition,
                                               const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                                               const struct cuzk_progress *progress,
                                               const struct cuzk_witness *witness, struct cuzk_error *err)
{
    (void)that;
    (void)partition;
    (void)circuit;
    (void)pool;
    (void)witness;
    for (;;) {
        CUZK_TRY(cuzk_progress_check(progress, err));
        cuzk_clock_pause_ms(1);
    }
}

static void nothing(struct cuzk_case *that)
{
    (void)that;
}

static const struct cuzk_case_ops lasting_ops = {
    .inputs = no_inputs, .witness = unwanted_alone_ends_it, .close = nothing};

/* ---- engines ---- */

static uint64_t count_of(struct engine_driver *driver, enum cuzk_event_type type)
{
    struct cuzk_event_totals totals;

    cuzk_event_log_totals(cuzk_engine_events(driver->engine), &totals);
    return totals.count[type];
}

static bool is_ready(void *context)
{
    return cuzk_engine_ready(((struct engine_driver *)context)->engine);
}

static bool is_loaded_twice(void *context)
{
    return count_of(context, CUZK_EVENT_TYPE_KEY_LOADED) == 2;
}

static void open_engine(struct engine_driver *driver, uint64_t memory)
{
    static const char *const preload[] = {"winning-2k"};

    memset(&deriver, 0, sizeof deriver);
    temporary_make(folder);
    temporary_copy(parameters, folder);
    engine_driver_init(driver, "auto");
    driver->options.verify = true;
    driver->options.params_directory = folder;
    driver->options.preload = preload;
    driver->options.preload_count = 1;
    driver->options.derive = derive;
    driver->behaviour[0].memory = memory;
    driver->behaviour[0].need.key_device = KEY;
    driver->behaviour[0].need.unit_device = UNIT;
    engine_driver_open(driver);
    engine_driver_until(is_ready, driver);
}

static void close_engine(struct engine_driver *driver)
{
    engine_driver_close(driver);
    temporary_remove(folder);
}

/* The key that was made is taken up once nothing is to be proved, and not before. */
static void test_derive__the_key_is_taken_up_when_nothing_is_to_be_proved(void **state)
{
    struct cuzk_case lasting = {&lasting_ops, {CUZK_CIRCUIT_WINNING, 2048}, 1, 1};
    struct engine_driver driver;
    struct cuzk_submission job;
    struct cuzk_error err;
    bool was_running;

    (void)state;
    open_engine(&driver, 16 * (uint64_t)KEY);
    engine_driver_until(has_begun, &driver);
    if (cuzk_engine_submit_case(driver.engine, CUZK_PROOF_KIND_WINNING_POST, &lasting, &job, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    atomic_store(&deriver.may_end, true);
    engine_driver_until(has_ended, &driver);
    cuzk_clock_pause_ms(50);
    assert_int_equal(count_of(&driver, CUZK_EVENT_TYPE_KEY_EVICTED), 0);
    assert_int_equal(cuzk_engine_cancel(driver.engine, job.job_id, &was_running, &err), CUZK_OK);
    assert_true(was_running);
    assert_int_equal(engine_driver_await(&driver, job.job_id).state, CUZK_JOB_CANCELLED);
    engine_driver_until(is_loaded_twice, &driver);
    assert_int_equal(count_of(&driver, CUZK_EVENT_TYPE_KEY_EVICTED), 1);
    assert_int_equal(atomic_load(&deriver.begun), 1);
    close_engine(&driver);
}

static void test_derive__the_end_of_the_engine_ends_it(void **state)
{
    struct engine_driver driver;

    (void)state;
    open_engine(&driver, 16 * (uint64_t)KEY);
    engine_driver_until(has_begun, &driver);
    const uint64_t begin = cuzk_clock_ns();

    close_engine(&driver);
    assert_int_equal(atomic_load(&deriver.cancelled), 1);
    assert_true(cuzk_clock_ns() - begin < 20000 * ms);
}

static void test_derive__one_that_is_there_is_left_alone(void **state)
{
    struct engine_driver driver;

    (void)state;
    open_engine(&driver, 16 * (uint64_t)KEY);
    atomic_store(&deriver.may_end, true);
    engine_driver_until(is_loaded_twice, &driver);
    engine_driver_close(&driver);
    engine_driver_open(&driver); /* the file is there now */
    engine_driver_until(is_ready, &driver);
    cuzk_clock_pause_ms(50);
    assert_int_equal(atomic_load(&deriver.begun), 1);
    assert_int_equal(count_of(&driver, CUZK_EVENT_TYPE_KEY_LOADED), 1);
    close_engine(&driver);
}

/* Memory for it is planned: a second key that does not fit beside it has it given up, not the first key. */
static void test_derive__gives_way_to_keys(void **state)
{
    struct cuzk_engine_status status;
    struct engine_driver driver;
    struct cuzk_error err;
    bool already;
    uint64_t load_ms;

    (void)state;
    open_engine(&driver, 2 * (uint64_t)KEY + 2 * UNIT);
    engine_driver_until(has_begun, &driver);
    if (cuzk_engine_preload(driver.engine, "winning-4k", &already, &load_ms, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    engine_driver_until(was_cancelled, &driver);
    cuzk_engine_status(driver.engine, &status);
    assert_int_equal(status.keys, 2);
    assert_int_equal(status.key[0].tier, CUZK_TIER_HOT);
    assert_int_equal(status.key[1].tier, CUZK_TIER_HOT);
    close_engine(&driver);
}

static void test_derive__not_where_there_is_no_room(void **state)
{
    struct engine_driver driver;

    (void)state;
    open_engine(&driver, KEY + 2 * UNIT);
    cuzk_clock_pause_ms(50);
    assert_int_equal(atomic_load(&deriver.begun), 0);
    close_engine(&driver);
}

static int make_parameters(void **state)
{
    (void)state;
    temporary_make(parameters);
    return made_parameters("winning-2k", parameters) == 0 && made_parameters("winning-4k", parameters) == 0
               ? 0
               : -1;
}

static int remove_parameters(void **state)
{
    (void)state;
    temporary_remove(parameters);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derive__the_key_is_taken_up_when_nothing_is_to_be_proved),
        cmocka_unit_test(test_derive__the_end_of_the_engine_ends_it),
        cmocka_unit_test(test_derive__one_that_is_there_is_left_alone),
        cmocka_unit_test(test_derive__gives_way_to_keys),
        cmocka_unit_test(test_derive__not_where_there_is_no_room),
    };

    return cmocka_run_group_tests(tests, make_parameters, remove_parameters);
}
