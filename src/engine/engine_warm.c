/* Warm parameter files: mapped, read and pinned where they are likely to be read again (srs/tiers.h says
 * which), given up where they are not, and where units or keys wait for what they hold. */
#include "engine/engine_state.h"

/* ---- the two moves: keys_lock is held, but for the file's work ---- */

void engine_warm_cool(struct cuzk_engine *engine, struct engine_circuit *circuit)
{
    cuzk_tiers_begin_warm(&engine->tiers, circuit->index);
    pthread_mutex_unlock(&engine->keys_lock);
    cuzk_file_map_close(&circuit->warm);
    pthread_mutex_lock(&engine->keys_lock);
    cuzk_tiers_end_warm(&engine->tiers, circuit->index, false);
    pthread_mutex_unlock(&engine->keys_lock);
    engine_keys_tell_core(engine, 0);
    pthread_mutex_lock(&engine->keys_lock);
    pthread_cond_broadcast(&engine->keys_changed);
}

/* Reads the file into memory, and holds it mapped, pinned where the process may. What fails is only colder:
 * false. */
static bool warm_up(struct cuzk_engine *engine, struct engine_circuit *circuit)
{
    enum { STEP = 64 << 20 };
    struct cuzk_file_map map = {0};

    cuzk_tiers_begin_warm(&engine->tiers, circuit->index);
    pthread_mutex_unlock(&engine->keys_lock);
    engine_keys_tell_core(engine, 0);
    bool there = cuzk_file_map_open(circuit->path, "parameters", 0, &map, NULL) == CUZK_OK;

    for (uint64_t at = 0; there && at < map.length; at += STEP)
        there = cuzk_file_map_populate(&map, at, at + STEP < map.length ? at + STEP : map.length) &&
                !engine_is_stopping(engine);
    circuit->warm_pinned = there && cuzk_file_map_pin(&map);
    if (there)
        circuit->warm = map;
    else
        cuzk_file_map_close(&map);
    pthread_mutex_lock(&engine->keys_lock);
    cuzk_tiers_end_warm(&engine->tiers, circuit->index, there);
    pthread_mutex_unlock(&engine->keys_lock);
    engine_keys_tell_core(engine, 0); /* from now on it yields */
    pthread_mutex_lock(&engine->keys_lock);
    pthread_cond_broadcast(&engine->keys_changed);
    return there;
}

/* ---- when ---- */

void engine_warm_settle(struct cuzk_engine *engine)
{
    struct cuzk_sched_stats stats;
    bool more = engine->knobs.value[CUZK_KNOB_SRS] != CUZK_SRS_PER_PROOF;

    while (more) {
        pthread_mutex_lock(&engine->lock);
        cuzk_sched_stats(engine->sched, &stats);
        pthread_mutex_unlock(&engine->lock);
        pthread_mutex_lock(&engine->keys_lock);
        const struct cuzk_tiers_step step = cuzk_tiers_next_warm(&engine->tiers, stats.host_used);

        more = !engine->keys_stopping && step.action != CUZK_TIERS_READY;
        if (more && step.action == CUZK_TIERS_COOL)
            engine_warm_cool(engine, &engine->circuits[step.key]);
        else if (more)
            more = warm_up(engine, &engine->circuits[step.key]);
        pthread_mutex_unlock(&engine->keys_lock);
    }
}

void engine_warm_wake(struct cuzk_engine *engine)
{
    engine->warm_due = true;
    pthread_cond_signal(&engine->warm_wake);
}

void engine_warm_keep(struct cuzk_engine *engine)
{
    pthread_mutex_lock(&engine->keys_lock);
    while (!engine->keys_stopping) {
        if (!engine->warm_due) {
            pthread_cond_wait(&engine->warm_wake, &engine->keys_lock);
            continue;
        }
        engine->warm_due = false;
        pthread_mutex_unlock(&engine->keys_lock);
        engine_warm_settle(engine);
        pthread_mutex_lock(&engine->keys_lock);
    }
    pthread_mutex_unlock(&engine->keys_lock);
}

void engine_warm_yield(struct cuzk_engine *engine)
{
    pthread_mutex_lock(&engine->keys_lock);
    const uint32_t key = cuzk_tiers_coolest(&engine->tiers);

    if (key != CUZK_TIERS_NONE)
        engine_warm_cool(engine, &engine->circuits[key]);
    pthread_mutex_unlock(&engine->keys_lock);
}
