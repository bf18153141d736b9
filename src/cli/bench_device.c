#include "cli/bench_device.h"

#include <string.h>

#include "backend/choice.h"
#include "cli/bench_report.h"

enum cuzk_status cli_bench_device(struct cli_session *session, const char *choice,
                                  enum cuzk_bench_device what, unsigned log_n, struct cuzk_error *err)
{
    struct cuzk_bench_result results[CUZK_BENCH_DEVICE_CASES];
    double peer_ms[CUZK_BENCH_DEVICE_CASES];
    struct cuzk_backend *backend = NULL;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_backend_facts facts;
    size_t cases;

    CUZK_TRY_OUT(cuzk_backend_open(choice, session->pool, &backend, err));
    if (strcmp(backend->ops->name, "cuda") != 0) {
        status = cuzk_error_set(err, CUZK_ARGUMENT, "--backend %s: only a CUDA device is measured this way",
                                choice);
        goto out;
    }
    CUZK_TRY_OUT(cuzk_bench_device(backend, what, log_n, &session->progress, results, peer_ms, &cases, err));
    backend->ops->facts(backend, &facts);
    for (size_t k = 0; k < cases; k++)
        if (peer_ms[k] > 0)
            cli_session_note(session, "%s: %.1f ms on %s; sppark on an H200 %.1f ms", results[k].name,
                             (double)results[k].median_ns / 1e6, facts.device, peer_ms[k]);
    CUZK_TRY_OUT(
        cli_bench_report(session, what == CUZK_BENCH_DEVICE_NTT ? "ntt" : "msm", results, cases, err));
out:
    cuzk_backend_destroy(backend);
    return status;
}
