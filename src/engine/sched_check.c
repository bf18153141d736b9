/* The scheduler audited from the ground: every counter recounted, every partition found in exactly one place.
 */
#include <inttypes.h>

#include "engine/sched_state.h"

#define EXPECT(condition, ...)                                                                               \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            return cuzk_error_set(err, CUZK_INTERNAL, __VA_ARGS__);                                          \
    } while (0)

struct tally {
    uint64_t host, device[CUZK_SCHED_DEVICES_MOST];
    uint32_t alive, units, witness, channel, active, releasing, busy[CUZK_SCHED_DEVICES_MOST];
};

static enum cuzk_status check_unit(const struct cuzk_sched *sched, uint32_t u, struct tally *tally,
                                   struct cuzk_error *err)
{
    const struct unit *unit = &sched->units[u];

    if (unit->place == PLACE_FREE) {
        EXPECT(unit->host_bytes == 0 && unit->running == 0, "free unit %" PRIu32 " holds memory or runs", u);
        return CUZK_OK;
    }
    tally->units++;
    tally->host += unit->host_bytes;
    tally->witness += unit->witness_worker != NOWHERE;
    tally->channel += unit->place == PLACE_CHANNEL;
    tally->releasing += unit->place == PLACE_RELEASE;
    tally->active += unit->place != PLACE_RELEASE && unit->place != PLACE_RELEASE_QUEUE;
    EXPECT(unit->witness_worker == NOWHERE || unit->place == PLACE_WITNESS || unit->place == PLACE_BLOCKED,
           "unit %" PRIu32 " keeps a witness worker at place %d", u, (int)unit->place);
    EXPECT((unit->running & unit->done) == 0, "unit %" PRIu32 ": a stage both runs and is done", u);
    EXPECT(unit->running != 0 || unit->place == PLACE_CHANNEL || unit->place == PLACE_BLOCKED ||
               unit->place == PLACE_RELEASE_QUEUE ||
               (unit->place == PLACE_DEVICE && (unit->wants[LOCK_MEMORY] || unit->wants[LOCK_COMPUTE])),
           "unit %" PRIu32 " stands still at place %d", u, (int)unit->place);
    EXPECT((unit->worker != NOWHERE) ==
               (unit->place == PLACE_DEVICE || (unit->place == PLACE_RELEASE && unit->worker != NOWHERE)),
           "unit %" PRIu32 ": device worker and place disagree", u);
    if (unit->worker != NOWHERE) {
        EXPECT(sched->devices[unit->device].unit[unit->worker] == u, "unit %" PRIu32 " is not on its worker",
               u);
        tally->busy[unit->device]++;
        tally->device[unit->device] += unit->device_bytes;
    } else {
        EXPECT(unit->device_bytes == 0, "unit %" PRIu32 " holds device memory without a worker", u);
    }
    for (unsigned lock = 0; lock < LOCKS; lock++)
        EXPECT(!unit->holds[lock] || sched->devices[unit->device].holder[lock] == u,
               "unit %" PRIu32 " holds a lock that is not its own", u);
    return CUZK_OK;
}

/* How often a partition is being worked on for its job. */
static uint32_t times_in_work(const struct cuzk_sched *sched, uint32_t slot, uint32_t partition)
{
    uint32_t times = 0;

    for (uint32_t u = 0; u < sched->config.units_most; u++) {
        const struct unit *unit = &sched->units[u];

        if (unit->place == PLACE_FREE || unit->dead || unit->complete)
            continue;
        for (uint32_t m = 0; m < unit->member_count; m++)
            times += unit->members[m].job == slot && job_wanted(sched, &unit->members[m]) &&
                     partition >= unit->members[m].first &&
                     partition < unit->members[m].first + unit->members[m].count;
    }
    return times;
}

static enum cuzk_status check_job(const struct cuzk_sched *sched, uint32_t slot, struct tally *tally,
                                  struct cuzk_error *err)
{
    const struct job *job = &sched->jobs[slot];
    uint32_t redo = 0, done = 0;

    if (job->state == JOB_FREE)
        return CUZK_OK;
    EXPECT(table_find_id(sched, job->given.id) == slot, "job %" PRIu64 " is not found by its id",
           job->given.id);
    if (job->state != JOB_ALIVE) {
        EXPECT(!job->queued && !job->collecting, "job %" PRIu64 " has ended and is queued", job->given.id);
        EXPECT(job->state != JOB_DONE || job->done_count == job->given.partitions,
               "job %" PRIu64 " is done without all partitions", job->given.id);
        return CUZK_OK;
    }
    tally->alive++;
    EXPECT(table_find_key(sched, job->given.key) == slot, "job %" PRIu64 " is not found by its key",
           job->given.id);
    for (uint32_t p = 0; p < job->given.partitions; p++) {
        const uint32_t places = (uint32_t)bitmap_get(job->redo, p) + (uint32_t)bitmap_get(job->done, p) +
                                (p >= job->started) + times_in_work(sched, slot, p);

        redo += bitmap_get(job->redo, p);
        done += bitmap_get(job->done, p);
        EXPECT(places == 1, "job %" PRIu64 ", partition %" PRIu32 " is in %" PRIu32 " places", job->given.id,
               p, places);
    }
    EXPECT(redo == job->redo_count && done == job->done_count, "job %" PRIu64 ": partitions miscounted",
           job->given.id);
    if (job->batch_leader == NOWHERE)
        EXPECT(job->queued == (job->started < job->given.partitions || job->redo_count > 0),
               "job %" PRIu64 " has partitions left and is not queued", job->given.id);
    return CUZK_OK;
}

enum cuzk_status cuzk_sched_check(const struct cuzk_sched *sched, struct cuzk_error *err)
{
    const struct cuzk_sched_config *config = &sched->config;
    struct tally tally = {0};

    for (uint32_t u = 0; u < config->units_most; u++)
        CUZK_TRY(check_unit(sched, u, &tally, err));
    for (uint32_t slot = 0; slot < config->jobs_most; slot++)
        CUZK_TRY(check_job(sched, slot, &tally, err));
    EXPECT(tally.alive == sched->alive, "%" PRIu32 " jobs alive, counted %" PRIu32, tally.alive,
           sched->alive);
    EXPECT(tally.units + sched->unit_free_count == config->units_most, "units lost");
    EXPECT(tally.active == sched->active, "%" PRIu32 " units active, counted %" PRIu32, tally.active,
           sched->active);
    EXPECT(tally.witness == sched->witness_busy && tally.witness <= sched->witness_slots,
           "%" PRIu32 " witness workers busy of %" PRIu32 ", counted %" PRIu32, tally.witness,
           sched->witness_slots, sched->witness_busy);
    EXPECT(tally.channel == sched->channel_count &&
               tally.channel <= config->knobs.value[CUZK_KNOB_CHANNEL_CAPACITY],
           "%" PRIu32 " units in the channel, counted %" PRIu32, tally.channel, sched->channel_count);
    EXPECT(tally.releasing == sched->releasing, "releases miscounted");
    EXPECT(config->knobs.value[CUZK_KNOB_DEALLOC] != CUZK_DEALLOC_BOUNDED || tally.releasing <= 1,
           "%" PRIu32 " bounded releases at once", tally.releasing);
    EXPECT(tally.host == sched->host_used, "host bytes miscounted");
    EXPECT(config->host_budget == 0 || tally.host <= config->host_budget - config->host_base,
           "%" PRIu64 " host bytes are beyond the budget", tally.host);
    for (uint32_t d = 0; d < config->devices; d++) {
        EXPECT(tally.busy[d] == sched->devices[d].busy &&
                   tally.busy[d] <= config->knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE],
               "device %" PRIu32 ": workers miscounted", d);
        EXPECT(tally.device[d] == sched->devices[d].used, "device %" PRIu32 ": bytes miscounted", d);
        EXPECT(config->device_memory[d] == 0 ||
                   tally.device[d] <= config->device_memory[d] - config->device_base[d],
               "device %" PRIu32 ": %" PRIu64 " bytes are beyond its memory", d, tally.device[d]);
    }
    return CUZK_OK;
}
