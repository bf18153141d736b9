#include "cli/circuit_record.h"

#include "circuit/record.h"

enum cuzk_status cli_circuit_size(const struct cuzk_circuit_id *id, struct cli_circuit_size *out,
                                  struct cuzk_error *err)
{
    struct cuzk_circuit circuit;

    CUZK_TRY(cuzk_circuit_open(id, &circuit, err));
    *out = (struct cli_circuit_size){circuit.total.inputs, circuit.total.aux, circuit.total.bits};
    return CUZK_OK;
}

enum cuzk_status cli_circuit_record(struct cli_session *session, const struct cuzk_circuit_id *id,
                                    const struct cuzk_constraint_sink *sink,
                                    const struct cuzk_cs_observer *observer, struct cuzk_cs_counts *counts,
                                    struct cuzk_error *err)
{
    struct cuzk_circuit circuit;

    CUZK_TRY(cuzk_circuit_open(id, &circuit, err));
    return cuzk_circuit_stream(&circuit, &session->progress, sink, observer, counts, err);
}

unsigned cli_log2_domain(uint64_t rows)
{
    unsigned log = 0;

    while ((UINT64_C(1) << log) < rows)
        log++;
    return log;
}
