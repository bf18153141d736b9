#include "engine/sched_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void driver_config(struct cuzk_sched_config *config, const char *preset)
{
    const struct cuzk_knob_machine machine = {.processors = 8, .devices = 1};

    memset(config, 0, sizeof *config);
    assert_int_equal(cuzk_knobs_preset(preset, &config->knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_resolve(&config->knobs, &machine, NULL), CUZK_OK);
    config->stages = CUZK_STAGE_BIT(CUZK_STAGES) - 1;
    config->devices = 1;
    config->jobs_most = 64;
    config->units_most = 64;
    config->failures_most = 2;
    config->aging_ns = UINT64_C(1000000000000);
}

void driver_open(struct driver *driver, const struct cuzk_sched_config *config)
{
    struct cuzk_error err;

    memset(driver, 0, sizeof *driver);
    driver->config = *config;
    driver->audit = true;
    assert_true(config->units_most <= DRIVER_UNITS);
    if (cuzk_sched_create(config, &driver->sched, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    driver->room = cuzk_sched_room(driver->sched);
    driver->commands = malloc(driver->room * sizeof *driver->commands);
    assert_non_null(driver->commands);
}

void driver_close(struct driver *driver)
{
    cuzk_sched_destroy(driver->sched);
    free(driver->commands);
}

static void mix(struct driver *driver, uint64_t value)
{
    driver->digest = (driver->digest ^ value) * UINT64_C(0x100000001b3);
}

static bool in_section(enum cuzk_sched_stage stage)
{
    return stage == CUZK_STAGE_UPLOAD || stage == CUZK_STAGE_QUOTIENT || stage == CUZK_STAGE_MSM;
}

static bool unit_wanted(const struct driver *driver, uint32_t unit)
{
    struct cuzk_sched_member members[CUZK_SCHED_BATCH_MOST];
    const size_t count = cuzk_sched_members(driver->sched, unit, members);

    for (size_t m = 0; m < count; m++)
        if (driver->jobs[members[m].job] == DRIVER_ALIVE)
            return true;
    return false;
}

/* Devices took units in this step: while nothing has aged, none of a higher class may be left behind. */
static void check_order(const struct driver *driver)
{
    for (size_t i = 0; driver->now < driver->config.aging_ns && i < driver->picked_count; i++)
        for (uint32_t u = 0; u < driver->config.units_most; u++)
            if (driver->ready[u] != 0 &&
                driver->priority[driver->ready[u]] > driver->priority[driver->picked[i]] &&
                unit_wanted(driver, u))
                fail_msg("job %u is picked up before job %u", (unsigned)driver->picked[i],
                         (unsigned)driver->ready[u]);
}

static void started(struct driver *driver, const struct cuzk_sched_command *command)
{
    const bool split = driver->config.knobs.value[CUZK_KNOB_DEVICE_LOCK] == CUZK_DEVICE_LOCK_SPLIT;

    if (command->stage != CUZK_STAGE_RELEASE && command->stage != CUZK_STAGE_DROP &&
        !unit_wanted(driver, command->unit))
        fail_msg("%s of unit %u that nobody wants", cuzk_sched_stage_name(command->stage), command->unit);
    for (size_t i = 0; i < driver->running_count; i++) {
        const struct driver_running *other = &driver->running[i];

        if (other->unit == command->unit && other->stage == command->stage)
            fail_msg("%s of unit %u runs twice", cuzk_sched_stage_name(command->stage), command->unit);
        if (other->stage == CUZK_STAGE_WITNESS && command->stage == CUZK_STAGE_WITNESS)
            assert_int_not_equal(other->worker, command->worker);
        if (in_section(other->stage) && in_section(command->stage) && other->device == command->device &&
            (!split || (other->stage == CUZK_STAGE_UPLOAD) == (command->stage == CUZK_STAGE_UPLOAD)))
            fail_msg("two units under the lock of device %u", command->device);
    }
    assert_true(driver->running_count < DRIVER_RUNNING);
    driver->running[driver->running_count++] = (struct driver_running){
        command->unit, command->generation, command->worker, command->device, command->job, command->stage};
    driver->starts[command->stage]++;
    if (command->stage == CUZK_STAGE_WITNESS)
        driver->given_up[command->unit] = false;
    else if (command->stage == CUZK_STAGE_SETUP) /* where it does not exist a unit is not seen to be taken */
        driver->picked[driver->picked_count++] = command->job;
    driver->ready[command->unit] = 0;
}

static void ended(struct driver *driver, uint64_t job, enum driver_job state)
{
    assert_int_equal(driver->jobs[job], DRIVER_ALIVE);
    driver->jobs[job] = state;
}

static void judge(struct driver *driver, const struct cuzk_sched_command *command)
{
    mix(driver, (uint64_t)command->kind << 32 | (uint64_t)command->stage << 16 | command->reason);
    mix(driver, command->job);
    mix(driver, (uint64_t)command->unit << 32 | command->generation);
    mix(driver, (uint64_t)command->worker << 32 | command->device);
    switch (command->kind) {
    case CUZK_COMMAND_ACCEPTED:
        assert_int_not_equal(driver->jobs[command->job], DRIVER_ALIVE);
        driver->jobs[command->job] = DRIVER_ALIVE;
        break;
    case CUZK_COMMAND_START:
        started(driver, command);
        break;
    case CUZK_COMMAND_ABANDON:
        for (size_t i = 0; command->lost && i < driver->running_count;)
            if (driver->running[i].unit == command->unit &&
                driver->running[i].generation == command->generation)
                driver->running[i] = driver->running[--driver->running_count];
            else
                i++;
        if (!command->lost)
            driver->given_up[command->unit] = true;
        else if (!driver->given_up[command->unit])
            driver->ready[command->unit] = command->job; /* it goes elsewhere with its witness */
        break;
    case CUZK_COMMAND_DONE:
        ended(driver, command->job, DRIVER_DONE);
        break;
    case CUZK_COMMAND_FAILED:
        ended(driver, command->job, DRIVER_FAILED);
        break;
    case CUZK_COMMAND_CANCELLED:
        ended(driver, command->job, DRIVER_CANCELLED);
        break;
    case CUZK_COMMAND_DRAINED:
        assert_false(driver->drained);
        driver->drained = true;
        assert_int_equal(driver->running_count, 0);
        break;
    case CUZK_COMMAND_DUPLICATE:
    case CUZK_COMMAND_REJECTED:
    case CUZK_COMMAND_FLUSH:
    case CUZK_COMMAND_NOT_RUNNING:
        break;
    }
}

void driver_step(struct driver *driver, const struct cuzk_sched_event *event)
{
    struct cuzk_error err;

    if (cuzk_sched_step(driver->sched, event, driver->commands, driver->room, &driver->count, &err) !=
        CUZK_OK)
        fail_msg("%s", err.message);
    driver->picked_count = 0;
    for (size_t i = 0; i < driver->count; i++)
        judge(driver, &driver->commands[i]);
    check_order(driver);
    if (driver->audit && cuzk_sched_check(driver->sched, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

struct cuzk_sched_job driver_job(uint64_t id, enum cuzk_priority priority, uint32_t partitions)
{
    struct cuzk_sched_job job = {
        .id = id,
        .priority = priority,
        .batchable = true,
        .partitions = partitions,
        .host_peak = 20,
        .host_held = 16,
        .host_dropped = 4,
        .device_memory = 12,
    };

    memcpy(job.key, &id, sizeof id);
    job.key[31] = 1;
    return job;
}

void driver_submit(struct driver *driver, struct cuzk_sched_job job)
{
    const struct cuzk_sched_event event = {.kind = CUZK_EVENT_SUBMIT, .now_ns = driver->now, .submit = &job};

    driver->priority[job.id] = job.priority;
    driver_step(driver, &event);
}

void driver_event(struct driver *driver, enum cuzk_sched_event_kind kind, uint64_t job_or_device)
{
    struct cuzk_sched_event event = {.kind = kind, .now_ns = driver->now};

    if (kind == CUZK_EVENT_DEVICE_LOST || kind == CUZK_EVENT_DEVICE_READY)
        event.device = (uint32_t)job_or_device;
    else
        event.job = job_or_device;
    driver_step(driver, &event);
}

void driver_end(struct driver *driver, size_t index, enum cuzk_sched_outcome outcome)
{
    const struct driver_running run = driver->running[index];
    struct cuzk_sched_event event = {.kind = CUZK_EVENT_STAGE, .now_ns = driver->now};

    driver->running_count--;
    memmove(&driver->running[index], &driver->running[index + 1],
            (driver->running_count - index) * sizeof driver->running[0]);
    event.stage.unit = run.unit;
    event.stage.generation = run.generation;
    event.stage.stage = run.stage;
    event.stage.outcome = outcome;
    if (run.stage == CUZK_STAGE_WITNESS && outcome == CUZK_OUTCOME_OK)
        driver->ready[run.unit] = run.job;
    driver_step(driver, &event);
}

bool driver_end_stage(struct driver *driver, enum cuzk_sched_stage stage)
{
    for (size_t i = 0; i < driver->running_count; i++)
        if (driver->running[i].stage == stage) {
            driver_end(driver, i, CUZK_OUTCOME_OK);
            return true;
        }
    return false;
}

void driver_run_out(struct driver *driver)
{
    while (driver->running_count > 0)
        driver_end(driver, 0, CUZK_OUTCOME_OK);
}

uint32_t driver_runs(const struct driver *driver, enum cuzk_sched_stage stage)
{
    uint32_t runs = 0;

    for (size_t i = 0; i < driver->running_count; i++)
        runs += driver->running[i].stage == stage;
    return runs;
}

const struct cuzk_sched_command *driver_said(const struct driver *driver, enum cuzk_sched_command_kind kind)
{
    for (size_t i = 0; i < driver->count; i++)
        if (driver->commands[i].kind == kind)
            return &driver->commands[i];
    return NULL;
}

/* ---- shorthands ---- */

void driver_set(struct cuzk_sched_config *config, const char *assignment)
{
    struct cuzk_error err;

    if (cuzk_knobs_set(&config->knobs, assignment, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

void driver_open_with(struct driver *driver, const char *preset, const char *first, const char *second)
{
    struct cuzk_sched_config config;

    driver_config(&config, preset);
    if (first != NULL)
        driver_set(&config, first);
    if (second != NULL)
        driver_set(&config, second);
    driver_open(driver, &config);
}

size_t driver_find(const struct driver *driver, uint64_t job, enum cuzk_sched_stage stage)
{
    for (size_t i = 0; i < driver->running_count; i++)
        if (driver->running[i].job == job && driver->running[i].stage == stage)
            return i;
    fail_msg("%s of job %u does not run", cuzk_sched_stage_name(stage), (unsigned)job);
    return 0;
}

bool driver_job_runs(const struct driver *driver, uint64_t job)
{
    for (size_t i = 0; i < driver->running_count; i++)
        if (driver->running[i].job == job)
            return true;
    return false;
}

void driver_end_all(struct driver *driver, enum cuzk_sched_stage stage)
{
    while (driver_end_stage(driver, stage))
        ;
}
