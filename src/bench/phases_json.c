/* The retrospective as JSON: every number of the tables under the metric's own name. */
#include "bench/phases.h"

static void write_result(const struct cuzk_sim_result *r, struct cuzk_json_writer *json)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"per_proof_s", r->per_proof},
        {"steady_s", r->steady},
        {"latency_mean_s", r->latency_mean},
        {"latency_most_s", r->latency_most},
        {"calls_per_proof_s", r->calls_per_proof},
        {"call_s", r->call},
        {"section_s", r->section},
        {"kernels_s", r->kernels},
        {"synthesis_s", r->synthesis},
        {"calls_utilisation", r->calls_utilisation},
        {"gaps_s", r->gaps},
        {"device_held", r->device_held},
        {"device_busy", r->device_busy},
        {"synthesis_busy", r->synthesis_busy},
        {"workers_busy", r->workers_busy},
        {"slow_synthesis", r->slow_synthesis},
        {"slow_host", r->slow_host},
        {"processors_at_work", r->processors},
        {"instructions_a_cycle", r->ipc},
        {"cache_lines_gb_s", r->cache_gb_s},
        {"remote_lines_share", r->remote_share},
        {"host_peak_gib", r->host_peak},
        {"device_peak_gib", r->device_peak},
    };

    cuzk_json_write_object_begin(json);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cuzk_json_write_member_double(json, numbers[i].name, numbers[i].value, 4);
    cuzk_json_write_key(json, "parts_s_per_proof");
    cuzk_json_write_object_begin(json);
    for (unsigned part = 0; part < CUZK_PARTS; part++)
        cuzk_json_write_member_double(json, cuzk_sim_part_name((enum cuzk_sim_part)part), r->part[part], 4);
    cuzk_json_write_object_end(json);
    cuzk_json_write_key(json, "stages_s");
    cuzk_json_write_object_begin(json);
    for (unsigned stage = 0; stage < CUZK_STAGES; stage++)
        cuzk_json_write_member_double(json, cuzk_sched_stage_name((enum cuzk_sched_stage)stage),
                                      r->stage[stage], 4);
    cuzk_json_write_object_end(json);
    cuzk_json_write_object_end(json);
}

static void write_phase(const struct cuzk_phase *phase, struct cuzk_json_writer *json)
{
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "preset", phase->preset);
    cuzk_json_write_member_bool(json, "runs", phase->runs);
    if (phase->runs) {
        cuzk_json_write_member_string(json, "note", phase->note);
        cuzk_json_write_member_bool(json, "fits_host_memory", phase->fits);
        cuzk_json_write_member_string(json, "limit_loaded", phase->loaded_limit);
        cuzk_json_write_member_string(json, "limit_alone", phase->alone_limit);
        cuzk_json_write_member_double(json, "kernel_floor_s", phase->kernel_floor, 4);
        cuzk_json_write_member_double(json, "host_floor_s", phase->host_floor, 4);
        cuzk_json_write_key(json, "alone");
        write_result(&phase->alone, json);
        cuzk_json_write_key(json, "loaded");
        write_result(&phase->loaded, json);
    } else {
        cuzk_json_write_member_string(json, "refusal", phase->refusal);
    }
    cuzk_json_write_object_end(json);
}

static void write_published(const struct cuzk_published_figures *published, struct cuzk_json_writer *json)
{
    cuzk_json_write_key(json, "published");
    cuzk_json_write_array_begin(json);
    for (uint32_t i = 0; i < published->row_count; i++) {
        const struct cuzk_published_row *row = &published->rows[i];

        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "group", published->groups[row->group].name);
        cuzk_json_write_member_string(json, "row", row->name);
        cuzk_json_write_member_string(json, "metric", row->metric);
        cuzk_json_write_member_double(json, "published", row->published, 3);
        cuzk_json_write_member_double(json, "simulated", row->simulated, 3);
        cuzk_json_write_member_double(json, "error", row->error, 2);
        cuzk_json_write_member_bool(json, "inside", row->inside);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
}

void cuzk_phases_write_json(const struct cuzk_phases *phases, struct cuzk_json_writer *json)
{
    cuzk_json_write_member_string(json, phases->runner != NULL ? "measured" : "model",
                                  phases->runner != NULL ? phases->runner->what : phases->model.name);
    cuzk_json_write_member_u64(json, "proofs", phases->proofs);
    cuzk_json_write_member_u64(json, "in_flight", phases->in_flight);
    cuzk_json_write_member_u64(json, phases->runner != NULL ? "runs" : "seeds", phases->seeds);
    cuzk_json_write_key(json, "phases");
    cuzk_json_write_array_begin(json);
    for (uint32_t i = 0; i < phases->phase_count; i++)
        write_phase(&phases->phases[i], json);
    cuzk_json_write_array_end(json);
    cuzk_json_write_key(json, "memory");
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_double(json, "base_gib", phases->memory_base, 4);
    cuzk_json_write_member_double(json, "per_worker_gib", phases->memory_slope, 4);
    cuzk_json_write_member_double(json, "worst_deviation_gib", phases->memory_residual, 4);
    cuzk_json_write_object_end(json);
    cuzk_json_write_key(json, "workers");
    cuzk_json_write_array_begin(json);
    for (uint32_t i = 0; i < phases->point_count; i++) {
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_u64(json, "workers", phases->points[i].workers);
        cuzk_json_write_member_double(json, "per_proof_s", phases->points[i].per_proof, 4);
        cuzk_json_write_member_double(json, "host_peak_gib", phases->points[i].host_peak, 4);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
    cuzk_json_write_member_u64(json, "saturation_workers", phases->saturation);
    cuzk_json_write_key(json, "questions");
    cuzk_json_write_array_begin(json);
    for (uint32_t i = 0; i < phases->question_count; i++) {
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "question", phases->questions[i].question);
        cuzk_json_write_member_string(json, "answer", phases->questions[i].answer);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
    if (phases->published != NULL)
        write_published(phases->published, json);
}
