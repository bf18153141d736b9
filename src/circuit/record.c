#include "circuit/record.h"

#include "base/mem.h"

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

/* ---- head and first part ---- */

static struct cuzk_r1cs_extent extent_of(const struct cuzk_cs_counts *at)
{
    return (struct cuzk_r1cs_extent){at->inputs, at->aux, at->constraints};
}

/* The shift of every part's window, which must be bits in a row. */
static enum cuzk_status find_window(const struct cuzk_circuit *circuit, const struct cuzk_circuit_head *head,
                                    struct cuzk_r1cs_window *out, struct cuzk_error *err)
{
    const struct cuzk_circuit_window first = cuzk_circuit_window_of(circuit, head, 0);

    *out = (struct cuzk_r1cs_window){.count = first.count};
    if (first.count == 0)
        return CUZK_OK;
    out->first = cuzk_variable_index(first.bits[0].variable);
    CUZK_TRY(CUZK_NEW(&out->shift, circuit->parts, "window of the parts", err));
    for (unsigned p = 0; p < circuit->parts; p++) {
        const struct cuzk_circuit_window window = cuzk_circuit_window_of(circuit, head, p);
        for (unsigned i = 0; i < window.count; i++)
            if (window.bits[i].kind != CUZK_BOOLEAN_IS ||
                window.bits[i].variable != window.bits[0].variable + i)
                return cuzk_error_set(err, CUZK_INTERNAL, "part %u: bit %u of the head's is not in a row", p,
                                      i);
        out->shift[p] = window.bits[0].variable - first.bits[0].variable;
    }
    return CUZK_OK;
}

/* The whole circuit from its head and first part; *head is the caller's to destroy, also on failure. */
static enum cuzk_status record_first(const struct cuzk_circuit *circuit, const struct cuzk_progress *progress,
                                     struct cuzk_circuit_head **head, struct cuzk_r1cs **r1cs,
                                     struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_r1cs_builder *builder = NULL;
    struct cuzk_r1cs_window window = {0};
    struct cuzk_cs cs = {0};

    CUZK_TRY_OUT(cuzk_r1cs_builder_create(&builder, err));
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    struct relay relay = {&sink, progress, &cs, circuit->head.aux + circuit->part.aux, 0};
    const struct cuzk_constraint_sink front = {relay_constraint, &relay};

    cuzk_cs_record(&cs, &front);
    cs.keep_layout = false;
    CUZK_TRY_OUT(cuzk_circuit_record_head(circuit, &cs, head, err));
    const struct cuzk_r1cs_extent extent = extent_of(&cs.at);
    cuzk_circuit_record_part(circuit, &cs, *head, 0);
    CUZK_TRY_OUT(cuzk_cs_finish(&cs, err));
    CUZK_TRY_OUT(cuzk_r1cs_builder_finish(builder, cs.at.inputs, cs.at.aux, r1cs, err));
    CUZK_TRY_OUT(find_window(circuit, *head, &window, err));
    CUZK_TRY_OUT(cuzk_r1cs_repeat(*r1cs, &extent, circuit->parts, &window, err));
out:
    cuzk_mem_free(window.shift);
    cuzk_cs_destroy(&cs);
    cuzk_r1cs_builder_destroy(builder);
    return status;
}

/* ---- comparing another part ---- */

struct comparison {
    const struct cuzk_circuit *circuit;
    const struct cuzk_circuit_head *head;
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_progress *progress;
    unsigned parts[2]; /* to be compared */
    enum cuzk_status status[2];
    struct cuzk_error error[2];
};

struct compared {
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_progress *progress;
    unsigned part;
    uint32_t row; /* stored */
};

static bool combination_equals(const struct compared *compared, int matrix,
                               const struct cuzk_combination *combination)
{
    const struct cuzk_r1cs *r1cs = compared->r1cs;
    const struct cuzk_matrix *m = &r1cs->matrix[matrix];
    const uint32_t begin = m->row_start[compared->row];

    if (combination->count != m->row_start[compared->row + 1] - begin)
        return false;
    for (uint32_t k = 0; k < combination->count; k++)
        if (combination->terms[k].variable !=
                cuzk_r1cs_variable(r1cs, m->variables[begin + k], compared->part) ||
            !cuzk_fr_equal(&combination->terms[k].coefficient, &r1cs->pool[m->coefficients[begin + k]]))
            return false;
    return true;
}

static enum cuzk_status compare_constraint(void *context, struct cuzk_combination a,
                                           struct cuzk_combination b, struct cuzk_combination c,
                                           struct cuzk_error *err)
{
    struct compared *compared = context;

    if (compared->row % REPORT_EVERY == 0)
        CUZK_TRY(cuzk_progress_check(compared->progress, err));
    if (compared->row == compared->r1cs->stored || !combination_equals(compared, CUZK_MATRIX_A, &a) ||
        !combination_equals(compared, CUZK_MATRIX_B, &b) || !combination_equals(compared, CUZK_MATRIX_C, &c))
        return cuzk_error_set(err, CUZK_INTERNAL,
                              "constraint %u of part %u is not that of the first part moved on",
                              compared->row - compared->r1cs->head.constraints, compared->part);
    compared->row++;
    return CUZK_OK;
}

static enum cuzk_status compare_part(const struct comparison *job, unsigned part, struct cuzk_error *err)
{
    const struct cuzk_r1cs *r1cs = job->r1cs;
    struct compared compared = {r1cs, job->progress, part, r1cs->head.constraints};
    const struct cuzk_constraint_sink sink = {compare_constraint, &compared};
    struct cuzk_cs cs = {0};

    cuzk_cs_record(&cs, &sink);
    cs.keep_layout = false;
    cs.at.inputs = r1cs->head.inputs + part * r1cs->part.inputs;
    cs.at.aux = r1cs->head.aux + part * r1cs->part.aux;
    cuzk_circuit_record_part(job->circuit, &cs, job->head, part);
    enum cuzk_status status = cuzk_cs_finish(&cs, err);
    if (status == CUZK_OK &&
        (compared.row != r1cs->stored || cs.at.inputs != r1cs->head.inputs + (part + 1) * r1cs->part.inputs ||
         cs.at.aux != r1cs->head.aux + (part + 1) * r1cs->part.aux))
        status = cuzk_error_set(err, CUZK_INTERNAL, "part %u is smaller than the first", part);
    cuzk_cs_destroy(&cs);
    return status;
}

static void compare_task(void *context, size_t index, unsigned worker)
{
    struct comparison *job = context;

    (void)worker;
    job->status[index] = compare_part(job, job->parts[index], &job->error[index]);
}

static enum cuzk_status compare_parts(const struct cuzk_circuit *circuit,
                                      const struct cuzk_circuit_head *head, const struct cuzk_r1cs *r1cs,
                                      struct cuzk_pool *pool, const struct cuzk_progress *progress,
                                      struct cuzk_error *err)
{
    struct comparison job = {circuit, head, r1cs, progress, {1, circuit->parts - 1}, {0}, {{0}}};
    const unsigned count = circuit->parts > 2 ? 2 : circuit->parts - 1;

    cuzk_progress_report(progress, "comparing the circuit's parts", 0, 0);
    cuzk_pool_run(pool, count, compare_task, &job);
    for (unsigned i = 0; i < count; i++)
        if (job.status[i] != CUZK_OK)
            return cuzk_error_set(err, job.status[i], "%s", job.error[i].message);
    return CUZK_OK;
}

enum cuzk_status cuzk_circuit_record(const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                                     const struct cuzk_progress *progress, struct cuzk_r1cs **r1cs,
                                     struct cuzk_witness_layout *layout, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_circuit_head *head = NULL;

    *r1cs = NULL;
    *layout = (struct cuzk_witness_layout){0};
    CUZK_TRY_OUT(record_first(circuit, progress, &head, r1cs, err));
    CUZK_TRY_OUT(compare_parts(circuit, head, *r1cs, pool, progress, err));
    CUZK_TRY_OUT(cuzk_circuit_layout(circuit, layout, err));
out:
    cuzk_circuit_head_destroy(head);
    if (status != CUZK_OK) {
        cuzk_r1cs_destroy(*r1cs);
        *r1cs = NULL;
    }
    return status;
}
