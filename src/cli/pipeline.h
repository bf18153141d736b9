/* `cuzk prove` with a pipeline of one's own: --preset, --set and --host-mem. The case is proved by an engine
 * of this process (engine/engine.h), as a daemon with these knobs would, instead of partition by partition.
 */
#ifndef CUZK_CLI_PIPELINE_H
#define CUZK_CLI_PIPELINE_H

#include <stdint.h>

#include "base/option.h"
#include "base/timeline.h"
#include "cli/session.h"
#include "engine/knobs.h"
#include "engine/partition_times.h"
#include "engine/proof_kind.h"

struct cli_pipeline_options {
    const char *preset;          /* NULL: not given */
    struct cuzk_option_list set; /* "knob=value" */
    struct cuzk_option_number host_mem;
};

/* Rows for `slot`, a struct cli_pipeline_options of the command's values. */
#define CLI_PIPELINE_OPTIONS(values, slot)                                                                   \
    {.name = "preset",                                                                                       \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot.preset),                                                                \
     .placeholder = "NAME",                                                                                  \
     .help = "prove through the engine's pipeline: auto, or phase-0 to phase-12 of its history (`cuzk "      \
             "config docs` has the knobs); one partition behind the other where no option asks for it"},     \
        {.name = "set",                                                                                      \
         .type = CUZK_OPTION_LIST,                                                                           \
         .offset = offsetof(values, slot.set),                                                               \
         .placeholder = "KNOB=VALUE",                                                                        \
         .help = "change a knob of the preset (auto where none is given); may be given again"},              \
        {.name = "host-mem",                                                                                 \
         .type = CUZK_OPTION_SIZE,                                                                           \
         .offset = offsetof(values, slot.host_mem),                                                          \
         .placeholder = "SIZE",                                                                              \
         .min = 1 << 20,                                                                                     \
         .help = "host memory that the pipeline may plan with; what does not fit is refused with the sum"}

/* The preset of the pipeline that was asked for; NULL where none was. */
const char *cli_pipeline_preset(const struct cli_pipeline_options *given);

/* What proves, and in how much memory. */
struct cli_pipeline {
    struct cuzk_knobs knobs;
    const char *backend, *params_dir; /* as the options were given */
    unsigned threads;
    uint64_t host_budget, device_budget; /* 0: what the machine has */
};

struct cli_pipeline_result {
    char backend[16], device[256];
    uint64_t device_peak; /* bytes */
    uint64_t setup_ns;    /* of it, loading the key */
};

/* Proves every partition; spans go to the timeline. times and proofs: of `partitions` each. Errors: those of
 * the engine (MEMORY with the sum where the budget or a card does not hold the knobs), of the proof (with the
 * partition), CANCELLED. */
enum cuzk_status cli_pipeline_prove(struct cli_session *session, const struct cli_pipeline *pipeline,
                                    struct cuzk_case *that, struct cuzk_timeline *timeline,
                                    struct cuzk_partition_times *times, uint8_t *proofs,
                                    struct cli_pipeline_result *out, struct cuzk_error *err);

#endif
