#include "cli/partition_report.h"

#include <stddef.h>

void cli_partition_write(struct cuzk_json_writer *json, unsigned index, const char *job_id,
                         const struct cuzk_partition_times *times)
{
    static const struct cuzk_partition_times unknown;
    const struct cuzk_partition_times *const t = times != NULL ? times : &unknown;
    const struct cuzk_backend_times *const device = &t->prove.backend;
    const struct {
        const char *name;
        uint64_t ns;
    } members[] = {
        {"witness_ms", t->witness_ns},
        {"queue_ms", t->queue_ns},
        {"upload_ms", device->upload},
        {"eval_ms", device->eval},
        {"ntt_ms", device->quotient},
        {"msm_h_ms", device->msm[CUZK_QUERY_H]},
        {"msm_l_ms", device->msm[CUZK_QUERY_L]},
        {"msm_a_ms", device->msm[CUZK_QUERY_A]},
        {"msm_b1_ms", device->msm[CUZK_QUERY_B_G1]},
        {"msm_b2_ms", device->msm[CUZK_QUERY_B_G2]},
        {"finish_ms", t->prove.finish},
        {"total_ms", t->witness_ns + t->prove.total},
    };

    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_u64(json, "index", index);
    if (job_id != NULL)
        cuzk_json_write_member_string(json, "job_id", job_id);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (times == NULL)
            cuzk_json_write_member_string(json, members[i].name, NULL);
        else
            cuzk_json_write_member_double(json, members[i].name, (double)members[i].ns / 1e6, 3);
    }
    cuzk_json_write_object_end(json);
}
