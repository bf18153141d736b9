/* An engine as what the HTTP server shows. */
#include <stdio.h>

#include "server/http.h"

static void status(void *context, struct cuzk_engine_status *out)
{
    cuzk_engine_status(context, out);
}

struct reason {
    char *text;
    size_t room;
    bool known;
};

static void take(void *context, const struct cuzk_job_result *result)
{
    struct reason *reason = context;

    if (result->state == CUZK_JOB_FAILED && result->error != NULL) {
        snprintf(reason->text, reason->room, "%s", result->error);
        reason->known = true;
    }
}

static bool failure(void *context, uint64_t job, char *text, size_t room)
{
    struct reason reason = {.text = text, .room = room};
    char id[CUZK_JOB_ID_TEXT];
    uint64_t watch;

    cuzk_job_id_format(job, id);
    cuzk_engine_watch(context, id, take, &reason, &watch);
    if (watch != 0)
        cuzk_engine_unwatch(context, watch);
    return reason.known;
}

struct cuzk_http_source cuzk_http_engine_source(struct cuzk_engine *engine)
{
    return (struct cuzk_http_source){
        .status = status, .failure = failure, .events = cuzk_engine_events(engine), .context = engine};
}
