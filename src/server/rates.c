#include "server/rates.h"

#include "base/clock.h"

#define NS_PER_S UINT64_C(1000000000)

void cuzk_rates_init(struct cuzk_rates *rates)
{
    pthread_mutex_init(&rates->lock, NULL);
    rates->count = 0;
}

void cuzk_rates_destroy(struct cuzk_rates *rates)
{
    pthread_mutex_destroy(&rates->lock);
}

bool cuzk_rates_due(struct cuzk_rates *rates, uint64_t now_ns)
{
    pthread_mutex_lock(&rates->lock);
    const bool due =
        rates->count == 0 || now_ns - rates->sample[(rates->count - 1) % CUZK_RATES_KEPT].at_ns >=
                                 CUZK_RATES_EVERY_MS * CUZK_NS_PER_MS;
    pthread_mutex_unlock(&rates->lock);
    return due;
}

void cuzk_rates_add(struct cuzk_rates *rates, uint64_t now_ns, const struct cuzk_engine_status *status,
                    const struct cuzk_event_totals *totals)
{
    pthread_mutex_lock(&rates->lock);
    struct cuzk_rates_sample *sample = &rates->sample[rates->count++ % CUZK_RATES_KEPT];

    *sample = (struct cuzk_rates_sample){.at_ns = now_ns, .partitions = status->partitions_done};
    for (int kind = 0; kind < CUZK_PROOF_KINDS; kind++)
        sample->completed += status->completed[kind];
    for (int stage = 0; stage < CUZK_STAGES; stage++) {
        sample->stage_count[stage] = totals->stage_count[stage];
        sample->stage_ns[stage] = totals->stage_ns[stage];
    }
    for (unsigned k = 0; k < status->devices; k++) {
        sample->busy_ns[k] = status->device[k].busy_ns;
        sample->held_ns[k] = status->device[k].held_ns;
    }
    pthread_mutex_unlock(&rates->lock);
}

void cuzk_rates_over(struct cuzk_rates *rates, unsigned seconds, struct cuzk_rates_sample *out)
{
    *out = (struct cuzk_rates_sample){0};
    pthread_mutex_lock(&rates->lock);
    const uint64_t kept = rates->count < CUZK_RATES_KEPT ? rates->count : CUZK_RATES_KEPT;

    if (kept >= 2) {
        const struct cuzk_rates_sample *last = &rates->sample[(rates->count - 1) % CUZK_RATES_KEPT];
        const struct cuzk_rates_sample *first = last;

        for (uint64_t i = 2; i <= kept && last->at_ns - first->at_ns < seconds * NS_PER_S; i++)
            first = &rates->sample[(rates->count - i) % CUZK_RATES_KEPT];
        out->at_ns = last->at_ns - first->at_ns;
        out->completed = last->completed - first->completed;
        out->partitions = last->partitions - first->partitions;
        for (int stage = 0; stage < CUZK_STAGES; stage++) {
            out->stage_count[stage] = last->stage_count[stage] - first->stage_count[stage];
            out->stage_ns[stage] = last->stage_ns[stage] - first->stage_ns[stage];
        }
        for (unsigned k = 0; k < CUZK_SCHED_DEVICES_MOST; k++) {
            out->busy_ns[k] = last->busy_ns[k] - first->busy_ns[k];
            out->held_ns[k] = last->held_ns[k] - first->held_ns[k];
        }
    }
    pthread_mutex_unlock(&rates->lock);
}
