#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "engine/engine_driver.h"
#include "filecoin/seal_proof.h"

enum { PATIENCE_S = 240 }; /* only what hangs takes that long, whatever runs beside */

void engine_driver_init(struct engine_driver *driver, const char *preset)
{
    struct cuzk_error err;

    memset(driver, 0, sizeof *driver);
    if (cuzk_knobs_preset(preset, &driver->options.knobs, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    driver->device_count = 1;
    driver->slots = 16;
    driver->options.threads = 2;
    driver->options.jobs_most = 1000;
    driver->options.failures_most = 2;
    driver->options.aging_ms = 60000;
    driver->options.result_keep_ms = 600000;
}

void engine_driver_set(struct engine_driver *driver, const char *assignment)
{
    struct cuzk_error err;

    if (cuzk_knobs_set(&driver->options.knobs, assignment, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

enum cuzk_status engine_driver_try(struct engine_driver *driver, struct cuzk_error *err)
{
    for (unsigned d = 0; d < driver->device_count; d++)
        if (driver->device[d] == NULL &&
            cuzk_device_null_create(&driver->behaviour[d], driver->slots, &driver->device[d], err) != CUZK_OK)
            fail_msg("%s", err->message);
    driver->options.devices = driver->device;
    driver->options.device_count = driver->device_count;
    return cuzk_engine_create(&driver->options, &driver->engine, err);
}

void engine_driver_open(struct engine_driver *driver)
{
    struct cuzk_error err;

    if (engine_driver_try(driver, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

void engine_driver_close(struct engine_driver *driver)
{
    cuzk_engine_destroy(driver->engine);
    driver->engine = NULL;
    memset(driver->device, 0, sizeof driver->device);
}

enum cuzk_status engine_driver_request(struct engine_driver *driver, unsigned proof,
                                       enum cuzk_priority priority, struct cuzk_submission *out,
                                       struct cuzk_error *err)
{
    uint8_t content[64] = {0};
    const struct cuzk_request_part part = {content, sizeof content};
    char id[40];
    const uint64_t number = driver->submitted++;

    memcpy(content, &number, sizeof number);
    snprintf(id, sizeof id, "porep-1000-%llu", (unsigned long long)number);
    const struct cuzk_request request = {
        .request_id = id,
        .kind = CUZK_PROOF_KIND_POREP,
        .sector_size = cuzk_seal_proof_sector_size(proof),
        .registered_proof = proof,
        .has_priority = true,
        .priority = priority,
        .vanilla_proof = {&part, 1, sizeof content},
        .sector_number = number,
        .miner_id = 1000,
    };

    return cuzk_engine_submit(driver->engine, &request, out, err);
}

void engine_driver_submit(struct engine_driver *driver, unsigned proof, enum cuzk_priority priority,
                          char job[CUZK_JOB_ID_TEXT])
{
    struct cuzk_submission submission;
    struct cuzk_error err;

    if (engine_driver_request(driver, proof, priority, &submission, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    assert_false(submission.duplicate);
    memcpy(job, submission.job_id, CUZK_JOB_ID_TEXT);
}

/* ---- waiting ---- */

struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool called;
    struct engine_result result;
};

static void on_end(void *context, const struct cuzk_job_result *result)
{
    struct waiter *waiter = context;

    pthread_mutex_lock(&waiter->lock);
    waiter->result.state = result->state;
    waiter->result.proof_length = result->proof_length;
    waiter->result.total_ms = result->total_ms;
    if (result->proof != NULL && result->proof_length <= sizeof waiter->result.proof)
        memcpy(waiter->result.proof, result->proof, result->proof_length);
    if (result->times != NULL)
        waiter->result.times = result->times[0];
    if (result->error != NULL)
        snprintf(waiter->result.error, sizeof waiter->result.error, "%s", result->error);
    waiter->called = true;
    pthread_cond_signal(&waiter->changed);
    pthread_mutex_unlock(&waiter->lock);
}

static void on_drained(void *context)
{
    const struct cuzk_job_result result = {0};

    on_end(context, &result);
}

static void wait_for(struct waiter *waiter, const char *what)
{
    struct timespec until;
    int result = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&waiter->lock);
    while (!waiter->called && result == 0)
        result = pthread_cond_timedwait(&waiter->changed, &waiter->lock, &until);
    pthread_mutex_unlock(&waiter->lock);
    if (result != 0)
        fail_msg("%s: nothing for %d s", what, PATIENCE_S);
    pthread_mutex_destroy(&waiter->lock);
    pthread_cond_destroy(&waiter->changed);
}

struct engine_result engine_driver_await(struct engine_driver *driver, const char *job)
{
    struct waiter waiter = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    uint64_t watch;

    cuzk_engine_watch(driver->engine, job, on_end, &waiter, &watch);
    wait_for(&waiter, job);
    return waiter.result;
}

void engine_driver_drain(struct engine_driver *driver)
{
    struct waiter waiter = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

    cuzk_engine_drain(driver->engine, on_drained, &waiter);
    wait_for(&waiter, "drain");
}

void engine_driver_until(bool (*holds)(void *context), void *context)
{
    const uint64_t end = cuzk_clock_ns() + PATIENCE_S * UINT64_C(1000000000);
    const struct timespec pause = {0, 1000000};

    while (!holds(context)) {
        if (cuzk_clock_ns() > end)
            fail_msg("it does not come about in %d s", PATIENCE_S);
        nanosleep(&pause, NULL);
    }
}
