#include "cli/circuit_record.h"

#include "circuit/porep.h"

/* Stands before the caller's sink: counts, reports, notices a request to stop. */
struct relay {
    const struct cuzk_constraint_sink *sink;
    const struct cuzk_progress *progress;
    const struct cuzk_cs *cs;
    uint64_t total_aux;
    uint32_t constraints;
};

enum { REPORT_EVERY = 1 << 15 };

static enum cuzk_status relay_constraint(void *context, struct cuzk_combination a, struct cuzk_combination b,
                                         struct cuzk_combination c, struct cuzk_error *err)
{
    struct relay *relay = context;

    if (relay->constraints++ % REPORT_EVERY == 0) {
        CUZK_TRY(cuzk_progress_check(relay->progress, err));
        cuzk_progress_report(relay->progress, "recording the circuit", relay->cs->at.aux, relay->total_aux);
    }
    if (relay->sink == NULL)
        return CUZK_OK;
    return relay->sink->constraint(relay->sink->context, a, b, c, err);
}

static enum cuzk_status plan_of(const struct cuzk_circuit_id *id, struct cuzk_porep_plan *plan,
                                struct cuzk_error *err)
{
    struct cuzk_porep_shape shape;

    if (!cuzk_porep_shape_of(id->sector_size, &shape))
        return cuzk_error_set(err, CUZK_ARGUMENT, "circuit: no circuit for this sector size");
    return cuzk_porep_plan(&shape, plan, err);
}

enum cuzk_status cli_circuit_size(const struct cuzk_circuit_id *id, struct cli_circuit_size *out,
                                  struct cuzk_error *err)
{
    struct cuzk_porep_plan plan;

    CUZK_TRY(plan_of(id, &plan, err));
    *out = (struct cli_circuit_size){plan.total.inputs, plan.total.aux, plan.total.bits};
    return CUZK_OK;
}

enum cuzk_status cli_circuit_record(struct cli_session *session, const struct cuzk_circuit_id *id,
                                    const struct cuzk_constraint_sink *sink,
                                    const struct cuzk_cs_observer *observer, struct cuzk_cs_counts *counts,
                                    struct cuzk_error *err)
{
    struct cuzk_porep_plan plan;
    struct cuzk_cs cs = {0};

    CUZK_TRY(plan_of(id, &plan, err));
    struct relay relay = {sink, &session->progress, &cs, plan.total.aux, 0};
    const struct cuzk_constraint_sink front = {relay_constraint, &relay};

    cuzk_cs_record(&cs, &front);
    cs.observer = observer;
    cuzk_porep_synthesise(&cs, &plan.shape, NULL);
    const enum cuzk_status status = cuzk_cs_finish(&cs, err);

    *counts = cs.at;
    cuzk_cs_destroy(&cs);
    return status;
}

unsigned cli_log2_domain(uint64_t rows)
{
    unsigned log = 0;

    while ((UINT64_C(1) << log) < rows)
        log++;
    return log;
}
