#include "circuit/record.h"

/* Stands before the caller's sink to report and to notice a request to stop. */
struct relay {
    const struct cuzk_constraint_sink *sink;
    const struct cuzk_progress *progress;
    const struct cuzk_cs *cs;
    uint64_t total_aux, seen;
};

enum { REPORT_EVERY = 1 << 16 };

static enum cuzk_status relay_constraint(void *context, struct cuzk_combination a, struct cuzk_combination b,
                                         struct cuzk_combination c, struct cuzk_error *err)
{
    struct relay *relay = context;

    if (relay->seen++ % REPORT_EVERY == 0) {
        CUZK_TRY(cuzk_progress_check(relay->progress, err));
        cuzk_progress_report(relay->progress, "recording the circuit", relay->cs->at.aux, relay->total_aux);
    }
    if (relay->sink == NULL)
        return CUZK_OK;
    return relay->sink->constraint(relay->sink->context, a, b, c, err);
}

enum cuzk_status cuzk_circuit_stream(const struct cuzk_circuit *circuit, const struct cuzk_progress *progress,
                                     const struct cuzk_constraint_sink *sink,
                                     const struct cuzk_cs_observer *observer, struct cuzk_cs_counts *counts,
                                     struct cuzk_error *err)
{
    struct cuzk_cs cs = {0};
    struct relay relay = {sink, progress, &cs, circuit->total.aux, 0};
    const struct cuzk_constraint_sink front = {relay_constraint, &relay};

    cuzk_cs_record(&cs, &front);
    cs.observer = observer;
    cuzk_circuit_synthesise(circuit, &cs, NULL);
    const enum cuzk_status status = cuzk_cs_finish(&cs, err);

    *counts = cs.at;
    cuzk_cs_destroy(&cs);
    return status;
}

static enum cuzk_status record_matrices(const struct cuzk_circuit *circuit,
                                        const struct cuzk_progress *progress, struct cuzk_r1cs **r1cs,
                                        struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_r1cs_builder *builder;
    struct cuzk_cs_counts counts;

    CUZK_TRY(cuzk_r1cs_builder_create(&builder, err));
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);

    CUZK_TRY_OUT(cuzk_circuit_stream(circuit, progress, &sink, NULL, &counts, err));
    CUZK_TRY_OUT(cuzk_r1cs_builder_finish(builder, counts.inputs, counts.aux, r1cs, err));
out:
    cuzk_r1cs_builder_destroy(builder);
    return status;
}

enum cuzk_status cuzk_circuit_record(const struct cuzk_circuit *circuit, const struct cuzk_progress *progress,
                                     struct cuzk_r1cs **r1cs, struct cuzk_witness_layout *layout,
                                     struct cuzk_error *err)
{
    *r1cs = NULL;
    CUZK_TRY(cuzk_circuit_layout(circuit, layout, err));
    const enum cuzk_status status = record_matrices(circuit, progress, r1cs, err);

    if (status != CUZK_OK)
        cuzk_witness_layout_destroy(layout);
    return status;
}
