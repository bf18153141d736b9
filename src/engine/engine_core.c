/* Events into the core, its commands out to whoever runs them. */
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

static struct engine_task *make_task(struct cuzk_engine *engine, const struct cuzk_sched_command *command)
{
    struct engine_task *task = engine_task_take(engine);

    if (task == NULL) {
        cuzk_log_line(engine->log, CUZK_LOG_ERROR, "engine: more tasks at once than units have stages");
        return NULL;
    }
    task->unit = command->unit;
    task->generation = command->generation;
    task->stage = command->stage;
    task->device = command->device;
    task->worker = command->worker;
    return task;
}

static void start(struct cuzk_engine *engine, const struct cuzk_sched_command *command)
{
    struct engine_unit *unit = &engine->units[command->unit];
    struct engine_task *task = make_task(engine, command);

    if (task == NULL)
        return;
    if (command->stage == CUZK_STAGE_WITNESS)
        engine_unit_begin(engine, command);
    unit->generation = command->generation;
    if (command->stage == CUZK_STAGE_SETUP)
        engine_slot_want(engine, unit, task);
    else
        engine_lane_push(engine, task);
}

static void abandon(struct cuzk_engine *engine, const struct cuzk_sched_command *command)
{
    struct engine_unit *unit = &engine->units[command->unit];

    if (!command->lost) {
        unit->abandoned = true;
        engine_give_up_calls(engine, unit);
        if (unit->waits_for_slot)
            engine_slot_free(engine, unit); /* its task runs, is skipped and reported */
        return;
    }
    /* the device forgot it: its witness goes elsewhere */
    if (unit->key_device != ENGINE_NONE)
        engine_key_release(engine, unit->circuit, (unsigned)unit->key_device);
    unit->key_device = ENGINE_NONE;
    engine_slot_free(engine, unit);
    engine->retries++;
    engine_note(engine, CUZK_EVENT_TYPE_RETRIED, unit->members[0].job, "", 0);
}

static void answer_with(struct engine_answer *answer, const struct cuzk_sched_command *command)
{
    if (answer == NULL)
        return;
    answer->accepted |= command->kind == CUZK_COMMAND_ACCEPTED;
    answer->rejected |= command->kind == CUZK_COMMAND_REJECTED || command->kind == CUZK_COMMAND_DUPLICATE;
    answer->not_running |= command->kind == CUZK_COMMAND_NOT_RUNNING;
    answer->command = *command;
}

static void obey(struct cuzk_engine *engine, const struct cuzk_sched_command *command,
                 struct engine_answer *answer)
{
    switch (command->kind) {
    case CUZK_COMMAND_START:
        start(engine, command);
        break;
    case CUZK_COMMAND_ABANDON:
        abandon(engine, command);
        break;
    case CUZK_COMMAND_DONE:
    case CUZK_COMMAND_FAILED:
    case CUZK_COMMAND_CANCELLED:
        engine_job_ended(engine, command);
        break;
    case CUZK_COMMAND_DRAINED:
        engine_core_drained(engine);
        break;
    case CUZK_COMMAND_ACCEPTED:
    case CUZK_COMMAND_DUPLICATE:
    case CUZK_COMMAND_REJECTED:
    case CUZK_COMMAND_NOT_RUNNING:
        answer_with(answer, command);
        break;
    case CUZK_COMMAND_FLUSH:
        break;
    }
}

void engine_step(struct cuzk_engine *engine, struct cuzk_sched_event event, struct engine_answer *answer)
{
    struct cuzk_error err;
    size_t count;

    event.now_ns = cuzk_clock_ns();
    if (cuzk_sched_step(engine->sched, &event, engine->commands, engine->room, &count, &err) != CUZK_OK)
        cuzk_log_line(engine->log, CUZK_LOG_ERROR, "engine: %s", err.message);
    for (size_t i = 0; i < count; i++)
        obey(engine, &engine->commands[i], answer);
    if (engine->keys_yield && cuzk_sched_host_short(engine->sched)) {
        engine->yield_wanted = true;
        pthread_cond_signal(&engine->timer_wake);
    }
    if (engine->room_waiters > 0)
        pthread_cond_broadcast(&engine->room_changed);
    if (cuzk_sched_deadline(engine->sched) != UINT64_MAX)
        pthread_cond_signal(&engine->timer_wake);
}
