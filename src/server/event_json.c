#include "server/event_json.h"

#include "engine/engine.h"
#include "server/names.h"

static uint64_t microseconds(uint64_t ns, uint64_t origin_ns)
{
    return ns > origin_ns ? (ns - origin_ns) / 1000 : 0;
}

void cuzk_event_write_json(const struct cuzk_engine_event *event, uint64_t origin_ns,
                           struct cuzk_json_writer *json)
{
    char job[CUZK_JOB_ID_TEXT];

    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_u64(json, "number", event->number);
    cuzk_json_write_member_string(json, "type", cuzk_event_type_name(event->type));
    cuzk_json_write_member_u64(json, "begin_us", microseconds(event->begin_ns, origin_ns));
    cuzk_json_write_member_u64(json, "end_us", microseconds(event->end_ns, origin_ns));
    if (event->lane[0] != '\0')
        cuzk_json_write_member_string(json, "lane", event->lane);
    if (event->type == CUZK_EVENT_TYPE_STAGE)
        cuzk_json_write_member_string(json, "stage", cuzk_sched_stage_name(event->stage));
    if (event->job != 0) {
        cuzk_job_id_format(event->job, job);
        cuzk_json_write_member_string(json, "job", job);
    }
    if (event->kind != CUZK_PROOF_KIND_NONE)
        cuzk_json_write_member_string(json, "kind", cuzk_kind_name(event->kind));
    if (event->partition != CUZK_TIMELINE_NO_PARTITION)
        cuzk_json_write_member_u64(json, "partition", (uint64_t)event->partition);
    if (event->kernels_ns > 0)
        cuzk_json_write_member_u64(json, "kernels_us", event->kernels_ns / 1000);
    if (event->transfer_ns > 0)
        cuzk_json_write_member_u64(json, "transfer_us", event->transfer_ns / 1000);
    cuzk_json_write_object_end(json);
}
