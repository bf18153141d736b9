/* A partition's times in the answers of `cuzk prove --json`, whoever proved it. */
#ifndef CUZK_CLI_PARTITION_REPORT_H
#define CUZK_CLI_PARTITION_REPORT_H

#include "base/json_writer.h"
#include "engine/partition_times.h"

/* An object {"index","job_id","witness_ms","queue_ms","upload_ms","eval_ms","ntt_ms","msm_h_ms","msm_l_ms",
 * "msm_a_ms","msm_b1_ms","msm_b2_ms","finish_ms","total_ms"}. job_id NULL: no such member; times NULL: they
 * are not known, null. */
void cli_partition_write(struct cuzk_json_writer *json, unsigned index, const char *job_id,
                         const struct cuzk_partition_times *times);

#endif
