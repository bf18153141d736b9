/* The scheduler's core fed with any events in any order: it never breaks its own bounds, and what it accepted
 * ends when everything it started ends. The first bytes choose a configuration. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sched.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONFIG_BYTES = 12, RUNNING_MOST = 256, UNITS = 8, JOBS = 8, STEPS_MOST = 3000 };

struct run {
    struct cuzk_sched *sched;
    struct cuzk_sched_command *commands;
    size_t room;
    struct cuzk_sched_event running[RUNNING_MOST]; /* as the events that will end them */
    size_t running_count;
    bool drained;
};

static void step(struct run *run, const struct cuzk_sched_event *event)
{
    size_t count;

    if (cuzk_sched_step(run->sched, event, run->commands, run->room, &count, NULL) != CUZK_OK ||
        cuzk_sched_check(run->sched, NULL) != CUZK_OK)
        abort();
    for (size_t i = 0; i < count; i++) {
        const struct cuzk_sched_command *command = &run->commands[i];

        if (command->kind == CUZK_COMMAND_START) {
            struct cuzk_sched_event end = {.kind = CUZK_EVENT_STAGE};

            if (run->running_count == RUNNING_MOST)
                abort();
            end.stage.unit = command->unit;
            end.stage.generation = command->generation;
            end.stage.stage = command->stage;
            run->running[run->running_count++] = end;
        } else if (command->kind == CUZK_COMMAND_ABANDON && command->lost) {
            for (size_t r = 0; r < run->running_count;)
                if (run->running[r].stage.unit == command->unit &&
                    run->running[r].stage.generation == command->generation)
                    run->running[r] = run->running[--run->running_count];
                else
                    r++;
        } else if (command->kind == CUZK_COMMAND_DRAINED) {
            run->drained = true;
        }
    }
}

static void end(struct run *run, size_t index, enum cuzk_sched_outcome outcome, uint64_t now)
{
    struct cuzk_sched_event event = run->running[index];

    run->running[index] = run->running[--run->running_count];
    event.stage.outcome = outcome;
    event.now_ns = now;
    step(run, &event);
}

static void configure(const uint8_t *bytes, struct cuzk_sched_config *config)
{
    const struct cuzk_knob_machine machine = {.processors = 4, .devices = 1};

    memset(config, 0, sizeof *config);
    if (cuzk_knobs_preset(cuzk_knobs_preset_name(bytes[0] % 14), &config->knobs, NULL) != CUZK_OK ||
        cuzk_knobs_resolve(&config->knobs, &machine, NULL) != CUZK_OK)
        abort();
    config->knobs.value[CUZK_KNOB_PARTITION_WORKERS] = 1 + bytes[1] % 5;
    config->knobs.value[CUZK_KNOB_CHANNEL_CAPACITY] = 1 + bytes[2] % 3;
    config->knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE] = 1 + bytes[3] % 3;
    config->knobs.value[CUZK_KNOB_DEALLOC] = bytes[4] % 3;
    config->knobs.value[CUZK_KNOB_DEVICE_LOCK] = bytes[5] % 2;
    config->knobs.value[CUZK_KNOB_FINALIZE] = bytes[6] % 2;
    config->devices = 1 + bytes[7] % 3;
    config->jobs_most = JOBS;
    config->units_most = UNITS;
    config->failures_most = bytes[8] % 4;
    config->aging_ns = 1 + bytes[9];
    config->host_budget = bytes[10];
    config->device_memory[0] = bytes[11];
    config->stages = CUZK_STAGE_BIT(CUZK_STAGES) - 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_sched_config config;
    struct cuzk_sched_stats stats;
    struct run run = {0};
    uint64_t now = 0;

    if (size < CONFIG_BYTES)
        return 0;
    configure(data, &config);
    if (cuzk_sched_create(&config, &run.sched, NULL) != CUZK_OK)
        abort();
    run.room = cuzk_sched_room(run.sched);
    run.commands = malloc(run.room * sizeof *run.commands);
    if (run.commands == NULL)
        abort();
    for (size_t i = CONFIG_BYTES; i + 4 <= size && i < STEPS_MOST; i += 4) {
        const uint8_t *byte = &data[i];
        struct cuzk_sched_event event = {.kind = (enum cuzk_sched_event_kind)(byte[0] % 12), .now_ns = now};
        struct cuzk_sched_job job = {.id = byte[1] % 32,
                                     .priority = (enum cuzk_priority)(byte[2] % 5), /* 4 is none */
                                     .circuit = byte[3] % 2,
                                     .batchable = byte[3] % 4 > 0,
                                     .partitions = byte[3] / 8 % 6,
                                     .host_peak = byte[2] / 8,
                                     .host_held = byte[2] / 16,
                                     .device_memory = byte[3] / 4};

        now += byte[3];
        job.key[0] = byte[1];
        if (event.kind == CUZK_EVENT_STAGE) { /* about anything at all */
            event.stage.unit = byte[1];
            event.stage.generation = byte[2] % 8;
            event.stage.stage = (enum cuzk_sched_stage)(byte[3] % 16);
            event.stage.outcome = CUZK_OUTCOME_OK;
            bool known = false;

            for (size_t r = 0; r < run.running_count; r++)
                known |= memcmp(&run.running[r].stage, &event.stage, 3 * sizeof(uint32_t)) == 0;
            if (!known)
                step(&run, &event);
        } else if (event.kind == CUZK_EVENT_SUBMIT) {
            event.submit = &job;
            step(&run, &event);
        } else if (event.kind == CUZK_EVENT_DEVICE_LOST || event.kind == CUZK_EVENT_DEVICE_READY) {
            event.device = byte[1] % 5;
            step(&run, &event);
        } else if (event.kind < CUZK_EVENT_DRAIN) {
            event.job = byte[1] % 32;
            step(&run, &event);
        } else if (run.running_count > 0) {
            end(&run, byte[1] % run.running_count,
                byte[2] % 16 == 0   ? CUZK_OUTCOME_FAILED
                : byte[2] % 16 == 1 ? CUZK_OUTCOME_INVALID
                                    : CUZK_OUTCOME_OK,
                now);
        }
    }
    for (uint32_t d = 0; d < config.devices; d++) {
        const struct cuzk_sched_event ready = {.kind = CUZK_EVENT_DEVICE_READY, .now_ns = now, .device = d};

        step(&run, &ready);
    }
    const struct cuzk_sched_event drain = {.kind = CUZK_EVENT_DRAIN, .now_ns = now};

    step(&run, &drain);
    while (run.running_count > 0)
        end(&run, run.running_count - 1, CUZK_OUTCOME_OK, now);
    cuzk_sched_stats(run.sched, &stats);
    if (!run.drained || stats.alive != 0 || stats.units != 0 || stats.host_used != 0)
        abort();
    cuzk_sched_destroy(run.sched);
    free(run.commands);
    return 0;
}
