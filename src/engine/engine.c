/* The engine as a whole: made and ended. What it does is in the files engine_*.c. */
#include "engine/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "engine/engine_state.h"

enum {
    EVENTS_KEPT = 16384,
    TASKS_PER_UNIT = 2 * CUZK_STAGES,
    ID_TICKS = 20,     /* numbers of a millisecond, as bits */
    RESERVE_SHIFT = 3, /* an eighth of the machine's memory is left alone */
    DEFAULT_AGING_MS = 60000,
    JOBS_MOST = 1 << 22, /* known at once */
};

/* ---- options ---- */

static enum cuzk_status copy_text(const char *text, char **out, struct cuzk_error *err)
{
    const size_t size = strlen(text) + 1;

    CUZK_TRY(CUZK_NEW(out, size, "an option", err));
    memcpy(*out, text, size);
    return CUZK_OK;
}

static uint64_t machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

static enum cuzk_status check_options(const struct cuzk_engine_options *options, struct cuzk_error *err)
{
    if (options->device_count < 1 || options->device_count > CUZK_SCHED_DEVICES_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "engine: expected 1 to %d devices, found %u",
                              CUZK_SCHED_DEVICES_MOST, options->device_count);
    if (options->jobs_most < 1 || options->jobs_most > JOBS_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "engine: expected room for 1 to %d jobs, found %" PRIu32,
                              JOBS_MOST, options->jobs_most);
    for (size_t i = 0; i < options->preload_count; i++) {
        struct cuzk_circuit_id id;
        const enum cuzk_status status = cuzk_circuit_id_parse(options->preload[i], &id, err);

        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "preload");
    }
    return CUZK_OK;
}

static enum cuzk_status copy_options(struct cuzk_engine *engine, const struct cuzk_engine_options *options,
                                     struct cuzk_error *err)
{
    const uint64_t memory = machine_memory();

    engine->knobs = options->knobs;
    engine->verify = options->verify;
    memcpy(engine->host_stage_ns, options->host_stage_ns, sizeof engine->host_stage_ns);
    engine->threads = options->threads != 0 ? options->threads : cuzk_cpu_count();
    engine->host_budget =
        options->host_budget != 0 ? options->host_budget : memory - (memory >> RESERVE_SHIFT);
    engine->device_budget = options->device_budget;
    engine->result_keep_ns = options->result_keep_ms * CUZK_NS_PER_MS;
    engine->jobs_most = engine->jobs_room = options->jobs_most;
    engine->winning_hot = options->winning_hot;
    engine->log = options->log;
    if (options->params_directory != NULL)
        CUZK_TRY(copy_text(options->params_directory, &engine->params_directory, err));
    CUZK_TRY(CUZK_NEW(&engine->preload, options->preload_count, "preloads", err));
    for (; engine->preload_count < options->preload_count; engine->preload_count++)
        CUZK_TRY(
            copy_text(options->preload[engine->preload_count], &engine->preload[engine->preload_count], err));
    return CUZK_OK;
}

/* The preset that the knobs are, as given. */
static void name_preset(struct cuzk_engine *engine)
{
    const char *name;

    snprintf(engine->preset, sizeof engine->preset, "custom");
    for (size_t i = 0; (name = cuzk_knobs_preset_name(i)) != NULL; i++) {
        struct cuzk_knobs knobs;

        if (cuzk_knobs_preset(name, &knobs, NULL) == CUZK_OK &&
            memcmp(&knobs, &engine->knobs, sizeof knobs) == 0) {
            snprintf(engine->preset, sizeof engine->preset, "%s", name);
            return;
        }
    }
}

/* ---- devices ---- */

static enum cuzk_status open_device(struct cuzk_engine *engine, struct engine_device *device,
                                    struct cuzk_error *err)
{
    const struct cuzk_device_ops *ops = device->device->ops;

    CUZK_TRY(ops->facts(device->device, &device->facts, err));
    device->facts_ns = cuzk_clock_ns();
    device->budget = device->facts.memory_total;
    if (engine->device_budget != 0 && (device->budget == 0 || engine->device_budget < device->budget))
        device->budget = engine->device_budget;
    if (engine->device_budget != 0) /* the backend plans within it */
        device->device->memory_limit = engine->device_budget;
    if (!engine->verify && strcmp(device->facts.backend, "null") != 0)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "engine: proofs of device %u (%s) must be verified; only null devices' are not",
                              device->number, device->facts.backend);
    if (device->device->slots < engine->workers_per_device)
        return cuzk_error_set(err, CUZK_ARGUMENT, "engine: device %u has %u slots, %u workers use it",
                              device->number, device->device->slots, engine->workers_per_device);
    CUZK_TRY(CUZK_NEW(&device->slot_taken, device->device->slots, "slots", err));
    device->slots_free = device->device->slots;
    engine->stages |= device->device->stages;
    return CUZK_OK;
}

static enum cuzk_status open_devices(struct cuzk_engine *engine, struct cuzk_error *err)
{
    const uint32_t workers = engine->knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE];

    if (workers < 1 || workers > sizeof engine->devices[0].lanes / sizeof engine->devices[0].lanes[0])
        return cuzk_error_set(err, CUZK_ARGUMENT, "workers_per_device: expected 1 to 8, found %" PRIu32,
                              workers);
    engine->workers_per_device = workers;
    engine->stages = CUZK_STAGE_BIT(CUZK_STAGE_WITNESS) | CUZK_STAGE_BIT(CUZK_STAGE_SETUP) |
                     CUZK_STAGE_BIT(CUZK_STAGE_UPLOAD) | CUZK_STAGE_BIT(CUZK_STAGE_QUOTIENT) |
                     CUZK_STAGE_BIT(CUZK_STAGE_MSM) | CUZK_STAGE_BIT(CUZK_STAGE_FINISH) |
                     CUZK_STAGE_BIT(CUZK_STAGE_VERIFY) | CUZK_STAGE_BIT(CUZK_STAGE_RELEASE);
    for (unsigned d = 0; d < engine->device_count; d++)
        CUZK_TRY(open_device(engine, &engine->devices[d], err));
    engine->stages &= CUZK_STAGE_BIT(CUZK_STAGES) - 1;
    engine->tiers.devices = engine->device_count;
    engine->tiers.units = engine->knobs.value[CUZK_KNOB_DEVICE_LOCK] == CUZK_DEVICE_LOCK_SPLIT ? 2 : 1;
    engine->tiers.host_budget = engine->host_budget;
    for (unsigned d = 0; d < engine->device_count; d++) {
        engine->tiers.device_budget[d] = engine->devices[d].budget;
        engine->tiers.in_host[d] = engine->devices[d].facts.memory_total == 0;
    }
    return CUZK_OK;
}

/* ---- the core ---- */

/* The machine with the largest of the circuits that are preloaded: others are judged when they are asked for.
 */
static enum cuzk_status resolve_knobs(struct cuzk_engine *engine, struct cuzk_error *err)
{
    struct cuzk_knob_machine machine = {
        .processors = engine->threads,
        .devices = engine->device_count,
        .host_budget = engine->host_budget,
        .device_memory = engine->devices[0].budget,
    };

    for (unsigned d = 1; d < engine->device_count; d++)
        if (engine->devices[d].budget != 0 &&
            (machine.device_memory == 0 || engine->devices[d].budget < machine.device_memory))
            machine.device_memory = engine->devices[d].budget;
    for (size_t i = 0; i < engine->preload_count; i++) {
        struct engine_circuit *circuit;
        struct cuzk_circuit_id id;
        struct cuzk_error why = {0};

        CUZK_TRY(cuzk_circuit_id_parse(engine->preload[i], &id, err));
        if (engine_circuit_find(engine, &id, &circuit, &why) != CUZK_OK)
            continue; /* named when it is preloaded */
        const uint64_t peak = engine_circuit_host_peak(circuit, 0, 1);

        if (peak > machine.partition_peak)
            machine.partition_peak = machine.partition_held = peak;
        if (circuit->need.unit_device > machine.device_partition)
            machine.device_partition = circuit->need.unit_device;
        if (circuit->need.key_device > machine.device_base)
            machine.device_base = circuit->need.key_device;
    }
    return cuzk_knobs_resolve(&engine->knobs, &machine, err);
}

static enum cuzk_status make_units(struct cuzk_engine *engine, struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(&engine->units, engine->units_most, "units", err));
    for (uint32_t u = 0; u < engine->units_most; u++) {
        struct engine_unit *unit = &engine->units[u];

        unit->generation = UINT32_MAX;
        unit->device = unit->slot = unit->key_device = ENGINE_NONE;
        pthread_mutex_init(&unit->lock, NULL);
        pthread_cond_init(&unit->free, NULL);
    }
    CUZK_TRY(CUZK_NEW(&engine->tasks, (size_t)engine->units_most * TASKS_PER_UNIT, "tasks", err));
    for (size_t i = 0; i < (size_t)engine->units_most * TASKS_PER_UNIT; i++)
        engine_task_give(engine, &engine->tasks[i]);
    return CUZK_OK;
}

static uint64_t aging_ns(uint64_t ms)
{
    return (ms != 0 ? ms : DEFAULT_AGING_MS) * CUZK_NS_PER_MS;
}

static enum cuzk_status make_core(struct cuzk_engine *engine, const struct cuzk_engine_options *options,
                                  struct cuzk_error *err)
{
    enum { UNITS_SPARE = 32, UNITS_MOST = 4096 };
    const uint32_t *knobs = engine->knobs.value;
    struct cuzk_sched_config config = {
        .knobs = engine->knobs,
        .stages = engine->stages,
        .devices = engine->device_count,
        .jobs_most = engine->jobs_most,
        .failures_most = options->failures_most,
        .aging_ns = aging_ns(options->aging_ms),
        .host_budget = engine->host_budget,
    };

    for (unsigned d = 0; d < engine->device_count; d++)
        config.device_memory[d] = engine->devices[d].budget;
    config.units_most = knobs[CUZK_KNOB_PARTITION_WORKERS] + knobs[CUZK_KNOB_CHANNEL_CAPACITY] +
                        knobs[CUZK_KNOB_SYNTHESIS_CONCURRENCY] +
                        4 * engine->device_count * engine->workers_per_device + UNITS_SPARE;
    if (config.units_most > UNITS_MOST)
        config.units_most = UNITS_MOST;
    engine->units_most = config.units_most;
    CUZK_TRY(cuzk_sched_create(&config, &engine->sched, err));
    engine->room = cuzk_sched_room(engine->sched);
    CUZK_TRY(CUZK_NEW(&engine->commands, engine->room, "commands", err));
    return make_units(engine, err);
}

/* ---- making and ending ---- */

static void init_locks(struct cuzk_engine *engine)
{
    pthread_mutex_init(&engine->lock, NULL);
    pthread_mutex_init(&engine->pool_lock, NULL);
    pthread_mutex_init(&engine->circuits_lock, NULL);
    pthread_mutex_init(&engine->keys_lock, NULL);
    engine_cond_init(&engine->accepted);
    engine_cond_init(&engine->called);
    engine_cond_init(&engine->notifier_wake);
    engine_cond_init(&engine->timer_wake);
    engine_cond_init(&engine->case_changed);
    engine_cond_init(&engine->keys_changed);
    engine_cond_init(&engine->warm_wake);
    engine_cond_init(&engine->derive_wake);
    engine_cond_init(&engine->room_changed);
    engine_cond_init(&engine->host_queue.filled);
}

static enum cuzk_status start_up(struct cuzk_engine *engine, const struct cuzk_engine_options *options,
                                 struct cuzk_error *err)
{
    CUZK_TRY(check_options(options, err));
    engine->derive = options->derive;
    CUZK_TRY(copy_options(engine, options, err));
    name_preset(engine);
    CUZK_TRY(open_devices(engine, err));
    CUZK_TRY(resolve_knobs(engine, err));
    CUZK_TRY(cuzk_event_log_create(EVENTS_KEPT, &engine->events, err));
    CUZK_TRY(cuzk_pool_create(engine->threads, &engine->pool, err));
    engine->next_id = engine_unix_ms() << ID_TICKS;
    if (options->state_directory != NULL)
        CUZK_TRY(cuzk_journal_open(options->state_directory, engine->log, &engine->journal, err));
    CUZK_TRY(make_core(engine, options, err));
    CUZK_TRY(engine_jobs_create(engine, err));
    CUZK_TRY(engine_lanes_start(engine, err));
    CUZK_TRY(engine_keepers_start(engine, err));
    CUZK_TRY(engine_end_start(engine, err));
    if (engine->journal != NULL)
        CUZK_TRY(engine_recover(engine, err));
    CUZK_TRY(engine_deriver_start(engine, err));
    return engine_preloader_start(engine, err);
}

enum cuzk_status cuzk_engine_create(const struct cuzk_engine_options *options, struct cuzk_engine **out,
                                    struct cuzk_error *err)
{
    struct cuzk_engine *engine;
    enum cuzk_status status = CUZK_NEW(&engine, 1, "engine", err);

    *out = NULL;
    if (status != CUZK_OK) {
        for (unsigned d = 0; d < options->device_count; d++)
            cuzk_device_destroy(options->devices[d]);
        return status;
    }
    engine->created_ns = cuzk_clock_ns();
    init_locks(engine);
    for (unsigned d = 0; d < options->device_count; d++) {
        struct engine_device *device = &engine->devices[d < CUZK_SCHED_DEVICES_MOST ? d : 0];

        if (d >= CUZK_SCHED_DEVICES_MOST) {
            cuzk_device_destroy(options->devices[d]);
            continue;
        }
        device->engine = engine;
        device->number = d;
        device->device = options->devices[d];
        engine_cond_init(&device->keeper_wake);
        engine_cond_init(&device->gave_up);
        engine->device_count++;
    }
    status = start_up(engine, options, err);
    if (status != CUZK_OK)
        cuzk_engine_destroy(engine);
    else
        *out = engine;
    return status;
}

static void free_units(struct cuzk_engine *engine)
{
    for (uint32_t u = 0; engine->units != NULL && u < engine->units_most; u++) {
        struct engine_unit *unit = &engine->units[u];

        if (unit->slot != ENGINE_NONE) {
            struct cuzk_device *device = engine->devices[unit->device].device;

            device->ops->abandon(device, (unsigned)unit->slot);
        }
        engine_unit_drop_witness(unit);
        /* its release was still queued: a job that was forgotten meanwhile is known to it alone */
        for (unsigned m = 0; m < unit->member_count; m++)
            engine_job_unuse(engine, unit->members[m].job);
        for (unsigned p = 0; unit->part != NULL && p < unit->partitions; p++)
            cuzk_mem_free(unit->part[p].inputs);
        cuzk_mem_free(unit->part);
        pthread_cond_destroy(&unit->free);
        pthread_mutex_destroy(&unit->lock);
    }
    cuzk_mem_free(engine->units);
    cuzk_mem_free(engine->tasks);
}

void cuzk_engine_end_loads(struct cuzk_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    engine->closing = true;
    pthread_cond_broadcast(&engine->room_changed);
    pthread_mutex_unlock(&engine->lock);
    pthread_mutex_lock(&engine->keys_lock);
    engine->keys_stopping = true;
    pthread_cond_broadcast(&engine->keys_changed);
    pthread_cond_broadcast(&engine->warm_wake);
    pthread_cond_broadcast(&engine->derive_wake);
    pthread_mutex_unlock(&engine->keys_lock);
}

static void stop_threads(struct cuzk_engine *engine)
{
    cuzk_engine_end_loads(engine);
    pthread_mutex_lock(&engine->lock);
    engine->stopping = true;
    pthread_cond_broadcast(&engine->accepted);
    for (uint32_t u = 0; engine->units != NULL && u < engine->units_most; u++)
        engine_give_up_calls(engine, &engine->units[u]);
    pthread_mutex_unlock(&engine->lock);
    for (unsigned d = 0; d < engine->device_count; d++)
        if (engine->devices[d].device->ops->end != NULL)
            engine->devices[d].device->ops->end(engine->devices[d].device);
    if (engine->preloader_started)
        pthread_join(engine->preloader, NULL);
    if (engine->deriver_started)
        pthread_join(engine->deriver, NULL);
    engine_lanes_stop(engine);
    engine_keepers_stop(engine);
    engine_end_stop(engine);
}

uint32_t cuzk_engine_tune(struct cuzk_engine *engine, const struct cuzk_engine_tuning *tuning)
{
    pthread_mutex_lock(&engine->lock);
    engine->jobs_most = tuning->jobs_most < engine->jobs_room ? tuning->jobs_most : engine->jobs_room;
    engine->result_keep_ns = tuning->result_keep_ms * CUZK_NS_PER_MS;
    cuzk_sched_tune(engine->sched, tuning->failures_most, aging_ns(tuning->aging_ms));
    const uint32_t jobs_most = engine->jobs_most;

    pthread_cond_signal(&engine->timer_wake); /* results may expire sooner */
    pthread_mutex_unlock(&engine->lock);
    return jobs_most;
}

void cuzk_engine_destroy(struct cuzk_engine *engine)
{
    if (engine == NULL)
        return;
    stop_threads(engine);
    engine_lanes_destroy(engine);
    cuzk_journal_close(engine->journal);
    free_units(engine);
    for (unsigned d = 0; d < engine->device_count; d++) {
        cuzk_device_destroy(engine->devices[d].device);
        cuzk_mem_free(engine->devices[d].slot_taken);
        pthread_cond_destroy(&engine->devices[d].keeper_wake);
        pthread_cond_destroy(&engine->devices[d].gave_up);
    }
    engine_jobs_destroy(engine);
    engine_circuits_close(engine);
    cuzk_sched_destroy(engine->sched);
    cuzk_mem_free(engine->commands);
    cuzk_event_log_destroy(engine->events);
    cuzk_pool_destroy(engine->pool);
    for (size_t i = 0; i < engine->preload_count; i++)
        cuzk_mem_free(engine->preload[i]);
    cuzk_mem_free((void *)engine->preload);
    cuzk_mem_free(engine->params_directory);
    pthread_cond_destroy(&engine->accepted);
    pthread_cond_destroy(&engine->called);
    pthread_cond_destroy(&engine->notifier_wake);
    pthread_cond_destroy(&engine->timer_wake);
    pthread_cond_destroy(&engine->case_changed);
    pthread_cond_destroy(&engine->keys_changed);
    pthread_cond_destroy(&engine->warm_wake);
    pthread_cond_destroy(&engine->derive_wake);
    pthread_cond_destroy(&engine->room_changed);
    pthread_cond_destroy(&engine->host_queue.filled);
    pthread_mutex_destroy(&engine->keys_lock);
    pthread_mutex_destroy(&engine->circuits_lock);
    pthread_mutex_destroy(&engine->pool_lock);
    pthread_mutex_destroy(&engine->lock);
    cuzk_mem_free(engine);
}
