/* The engine on a real device: the 2 KiB fixture from its C1 bytes to a proof that verifies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/device_local.h"
#include "engine/engine_driver.h"
#include "engine/proof_kind.h"
#include "groth16/params.h"
#include "groth16/verify.h"
#include "srs/directory.h"
#include "support/faulty_backend.h"
#include "support/fixture.h"

enum { STACKED_2K_V1_1 = 5 };

static uint8_t *c1;
static size_t c1_length;

static int read_c1(void **state)
{
    (void)state;
    c1 = fixture_read(&c1_length, "sectors/porep-2k/c1.json");
    return 0;
}

static int free_c1(void **state)
{
    (void)state;
    free(c1);
    return 0;
}

/* ---- requests ---- */

struct c1_request {
    struct cuzk_request_part part;
    struct cuzk_request request;
};

static void make_request(struct c1_request *out, const char *id, const uint8_t *bytes)
{
    memset(out, 0, sizeof *out);
    out->part = (struct cuzk_request_part){bytes, c1_length};
    out->request.request_id = id;
    out->request.kind = CUZK_PROOF_KIND_POREP;
    out->request.sector_size = 2048;
    out->request.registered_proof = STACKED_2K_V1_1;
    out->request.vanilla_proof = (struct cuzk_request_blob){&out->part, 1, c1_length};
}

static void submit_bytes(struct engine_driver *driver, const char *id, const uint8_t *bytes,
                         char job[CUZK_JOB_ID_TEXT])
{
    struct cuzk_submission submission;
    struct c1_request made;
    struct cuzk_error err;

    make_request(&made, id, bytes);
    if (cuzk_engine_submit(driver->engine, &made.request, &submission, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    memcpy(job, submission.job_id, CUZK_JOB_ID_TEXT);
}

static struct cuzk_case *open_case(void)
{
    struct c1_request made;
    struct cuzk_case *that;

    make_request(&made, "", c1);
    assert_int_equal(cuzk_proof_kind_row(CUZK_PROOF_KIND_POREP)->open(&made.request, NULL, &that, NULL),
                     CUZK_OK);
    return that;
}

/* By other ways than the engine's: the case of the same bytes, the key from its file. */
static void assert_verifies(const struct engine_result *result)
{
    const struct cuzk_circuit_id circuit = {CUZK_CIRCUIT_POREP, 2048};
    char path[CUZK_PARAMETER_PATH];
    struct cuzk_prepared_vk *vk;
    struct cuzk_params params;
    struct cuzk_case *that;
    struct cuzk_error err;

    assert_int_equal(cuzk_parameter_find(getenv("CUZK_TEST_KEY"), &circuit, ".params", path, &err), CUZK_OK);
    assert_int_equal(cuzk_params_open(path, &params, &err), CUZK_OK);
    assert_int_equal(cuzk_prepared_vk_create(NULL, &params.vk, &vk, &err), CUZK_OK);
    that = open_case();
    const struct cuzk_public_inputs inputs = {that->ops->inputs(that, 0), that->inputs};

    assert_int_equal(result->proof_length, CUZK_PROOF_BYTES);
    if (cuzk_verify(vk, &inputs, result->proof, result->proof_length, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    cuzk_case_close(that);
    cuzk_prepared_vk_destroy(vk);
    cuzk_params_close(&params);
}

static void open_cpu(struct engine_driver *driver, const char *preset)
{
    struct cuzk_error err;

    engine_driver_init(driver, preset);
    driver->options.verify = true;
    driver->options.params_directory = getenv("CUZK_TEST_KEY");
    if (cuzk_device_local_create("cpu", 2, 4, &driver->device[0], &err) != CUZK_OK)
        fail_msg("%s", err.message);
    engine_driver_open(driver);
}

/* Every part is there, and they add up to the whole. */
static void assert_times(const struct cuzk_partition_times *times)
{
    const struct cuzk_backend_times *device = &times->prove.backend;
    uint64_t sum = times->queue_ns + device->upload + device->eval + device->quotient + times->prove.finish;

    assert_true(times->witness_ns > 0);
    assert_true(device->eval > 0);
    assert_true(device->quotient > 0);
    assert_true(times->prove.finish > 0);
    for (int q = 0; q < CUZK_QUERIES; q++) {
        assert_true(device->msm[q] > 0);
        sum += device->msm[q];
    }
    assert_true(sum == times->prove.total);
}

/* ---- tests ---- */

/* As a request, and as a case that is open already. */
static void test_submit__proves_and_verifies(void **state)
{
    static const char *const presets[] = {"auto", "phase-0"};

    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        struct cuzk_case *const that = i == 1 ? open_case() : NULL;
        struct engine_driver driver;
        struct cuzk_engine_status status;
        struct cuzk_submission submission;
        struct cuzk_error err;
        char job[CUZK_JOB_ID_TEXT];

        open_cpu(&driver, presets[i]);
        if (that == NULL) {
            submit_bytes(&driver, "porep-1000-1", c1, job);
        } else {
            if (cuzk_engine_submit_case(driver.engine, CUZK_PROOF_KIND_POREP, that, &submission, &err) !=
                CUZK_OK)
                fail_msg("%s", err.message);
            memcpy(job, submission.job_id, sizeof job);
        }
        const struct engine_result result = engine_driver_await(&driver, job);

        if (result.state != CUZK_JOB_DONE)
            fail_msg("%s: %s", presets[i], result.error);
        assert_verifies(&result);
        assert_times(&result.times);
        engine_driver_drain(&driver);
        cuzk_engine_status(driver.engine, &status);
        assert_int_equal(status.keys, 1);
        assert_int_equal(status.key[0].tier, CUZK_TIER_HOT);
        assert_int_equal(status.key[0].references, 0);
        assert_int_equal(status.sched.host_used, 0);
        engine_driver_close(&driver);
        cuzk_case_close(that); /* still the caller's */
    }
}

/* A digit of a vanilla proof changed: decodes, but does not hold. A brace removed: does not decode. */
static void test_submit__bad_vanilla_proofs_fail_with_the_reason(void **state)
{
    uint8_t *bytes = malloc(c1_length);
    struct engine_driver driver;
    char job[2][CUZK_JOB_ID_TEXT], good[CUZK_JOB_ID_TEXT];

    (void)state;
    assert_non_null(bytes);
    open_cpu(&driver, "auto");
    memcpy(bytes, c1, c1_length);
    uint8_t *place = (uint8_t *)memmem(bytes, c1_length, "\"proof_type\"", 12);

    if (place == NULL)
        place = bytes + c1_length / 2;
    place[1] = '{';
    submit_bytes(&driver, "porep-1000-2", bytes, job[0]);
    memcpy(bytes, c1, c1_length);
    /* replica_id: the public inputs are then other ones than the vanilla proofs have */
    place = (uint8_t *)memmem(bytes, c1_length, "\"replica_id\":[", 14);
    assert_non_null(place);
    place += 14;
    *place = *place == '1' ? '2' : '1';
    submit_bytes(&driver, "porep-1000-2", bytes, job[1]);
    submit_bytes(&driver, "porep-1000-2", c1, good);
    for (unsigned i = 0; i < 2; i++) {
        const struct engine_result result = engine_driver_await(&driver, job[i]);

        assert_int_equal(result.state, CUZK_JOB_FAILED);
        assert_true(strlen(result.error) > 0);
    }
    assert_int_equal(engine_driver_await(&driver, good).state, CUZK_JOB_DONE); /* others are not disturbed */
    engine_driver_close(&driver);
    free(bytes);
}

/* A device whose resident key was damaged: no wrong proof is given out; after two the device begins anew, and
 * the same job is proved. */
static void test_submit__a_device_that_proves_wrong_begins_anew(void **state)
{
    const struct cuzk_local_opener opener = {.open = faulty_backend_open};
    struct engine_driver driver;
    struct cuzk_engine_status status;
    char job[CUZK_JOB_ID_TEXT];
    struct cuzk_error err;
    uint64_t ms;
    bool already;

    (void)state;
    faulty_backend_fail(SIZE_MAX, CUZK_DEVICE);
    engine_driver_init(&driver, "auto");
    driver.options.verify = true;
    driver.options.params_directory = getenv("CUZK_TEST_KEY");
    assert_int_equal(cuzk_device_local_create_with(&opener, "cpu", 2, 4, &driver.device[0], &err), CUZK_OK);
    engine_driver_open(&driver);
    assert_int_equal(cuzk_engine_preload(driver.engine, "porep-2k", &already, &ms, &err), CUZK_OK);
    faulty_backend_spoil();
    submit_bytes(&driver, "porep-1000-1", c1, job);
    const struct engine_result result = engine_driver_await(&driver, job);

    if (result.state != CUZK_JOB_DONE)
        fail_msg("%s", result.error);
    assert_verifies(&result);
    cuzk_engine_status(driver.engine, &status);
    assert_int_equal(status.retries, 2);
    assert_int_equal(status.device[0].restarts, 1);
    engine_driver_close(&driver);
}

static bool is_warm(void *context)
{
    struct cuzk_engine_status status;

    cuzk_engine_status(((struct engine_driver *)context)->engine, &status);
    return status.key[0].warm;
}

static void test_preload__evict__and_back(void **state)
{
    struct engine_driver driver;
    struct cuzk_error err;
    struct cuzk_engine_status status;
    uint64_t ms, freed;
    bool already, was_loaded;

    (void)state;
    open_cpu(&driver, "auto");
    assert_int_equal(cuzk_engine_preload(driver.engine, "porep-2k", &already, &ms, &err), CUZK_OK);
    assert_false(already);
    /* the processor works from the file, which is made warm: it stays in memory when the device gives the key
     * up, until it is evicted too */
    engine_driver_until(is_warm, &driver);
    cuzk_engine_status(driver.engine, &status);
    assert_int_equal(status.key[0].tier, CUZK_TIER_HOT);
    assert_true(status.host_used > status.key[0].bytes);
    assert_int_equal(cuzk_engine_preload(driver.engine, "porep-2k", &already, &ms, &err), CUZK_OK);
    assert_true(already);
    assert_int_equal(cuzk_engine_evict(driver.engine, "porep-2k", &was_loaded, &freed, &err), CUZK_OK);
    assert_true(was_loaded);
    assert_true(freed > status.key[0].bytes);
    cuzk_engine_status(driver.engine, &status);
    assert_int_equal(status.key[0].tier, CUZK_TIER_COLD);
    assert_int_equal(status.host_used, 0);
    assert_int_equal(cuzk_engine_evict(driver.engine, "porep-2k", &was_loaded, &freed, &err), CUZK_OK);
    assert_false(was_loaded);
    assert_int_equal(cuzk_engine_preload(driver.engine, "porep-64g", &already, &ms, &err), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_engine_preload(driver.engine, "porep-3k", &already, &ms, &err), CUZK_ARGUMENT);
    engine_driver_close(&driver);
}

/* The key's bytes are not what its manifest says: nothing is loaded, and the reason is said. */
static void test_preload__refuses_a_wrong_digest(void **state)
{
    static const char manifest[] = "{\"files\": [{\"name\": \"%s\", \"digest\": \"%032d\"}]}";
    const struct cuzk_circuit_id circuit = {CUZK_CIRCUIT_POREP, 2048};
    char folder[] = "/tmp/cuzk-test-key-XXXXXX", real[PATH_MAX];
    char path[CUZK_PARAMETER_PATH], link[CUZK_PARAMETER_PATH], text[512];
    struct engine_driver driver;
    struct cuzk_error err;
    uint64_t ms;
    bool already;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(cuzk_parameter_find(getenv("CUZK_TEST_KEY"), &circuit, ".params", path, &err), CUZK_OK);
    assert_non_null(realpath(path, real));
    assert_int_equal(cuzk_parameter_path(folder, &circuit, ".params", link, &err), CUZK_OK);
    assert_int_equal(symlink(real, link), 0);
    assert_int_equal(cuzk_parameter_path(folder, &circuit, ".test.json", path, &err), CUZK_OK);
    snprintf(text, sizeof text, manifest, strrchr(link, '/') + 1, 7);
    assert_int_equal(cuzk_file_write(path, false, text, strlen(text), &err), CUZK_OK);

    engine_driver_init(&driver, "auto");
    driver.options.verify = true;
    driver.options.params_directory = folder;
    assert_int_equal(cuzk_device_local_create("cpu", 2, 4, &driver.device[0], &err), CUZK_OK);
    engine_driver_open(&driver);
    assert_int_equal(cuzk_engine_preload(driver.engine, "porep-2k", &already, &ms, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "expected 00000000000000000000000000000007"));
    engine_driver_close(&driver);
    unlink(path);
    unlink(link);
    strcat(link, ".digest");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void test_create__real_devices_are_verified(void **state)
{
    struct engine_driver driver;
    struct cuzk_error err;

    (void)state;
    engine_driver_init(&driver, "auto");
    assert_int_equal(cuzk_device_local_create("cpu", 1, 4, &driver.device[0], &err), CUZK_OK);
    assert_int_equal(engine_driver_try(&driver, &err), CUZK_ARGUMENT);
    engine_driver_close(&driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submit__proves_and_verifies),
        cmocka_unit_test(test_submit__bad_vanilla_proofs_fail_with_the_reason),
        cmocka_unit_test(test_submit__a_device_that_proves_wrong_begins_anew),
        cmocka_unit_test(test_preload__evict__and_back),
        cmocka_unit_test(test_preload__refuses_a_wrong_digest),
        cmocka_unit_test(test_create__real_devices_are_verified),
    };

    return cmocka_run_group_tests(tests, read_c1, free_c1);
}
