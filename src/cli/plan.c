#include "cli/plan.h"

#include <stdio.h>
#include <string.h>

#include "backend/choice.h"
#include "backend/cuda/cuda.h"
#include "cli/size_text.h"
#include "engine/device_need.h"

static void open_one(struct cli_plans *plans, const char *choice, uint64_t vram_limit)
{
    if (plans->count == CLI_PLANS_MOST || strncmp(choice, "null", 4) == 0)
        return;
    const unsigned i = plans->count++;

    snprintf(plans->device[i].name, sizeof plans->device[i].name, "%s", choice);
    if (cuzk_backend_open(choice, NULL, &plans->device[i].backend, &plans->device[i].problem) == CUZK_OK)
        plans->device[i].backend->memory_limit = vram_limit;
}

void cli_plans_open(const char *const *choices, size_t count, uint64_t vram_limit, struct cli_plans *out)
{
    int devices = 0;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(choices[i], "auto") != 0) {
            open_one(out, choices[i], vram_limit);
            continue;
        }
        if (cuzk_cuda_device_count(&devices, NULL) != CUZK_OK || devices == 0)
            open_one(out, "cpu", vram_limit);
        for (int d = 0; d < devices; d++) {
            char name[32];

            snprintf(name, sizeof name, "cuda:%d", d);
            open_one(out, name, vram_limit);
        }
    }
}

void cli_plans_close(struct cli_plans *plans)
{
    for (unsigned i = 0; i < plans->count; i++)
        cuzk_backend_destroy(plans->device[i].backend);
    plans->count = 0;
}

/* What a device holds of a circuit. */
struct plan {
    struct cuzk_device_need need;
    struct cuzk_backend_needs device; /* all 0 where it works in host memory */
    struct cuzk_error problem;
    bool fits;
};

static void say(struct cli_session *session, const char *indent, const char *name, const struct plan *plan)
{
    char text[6][CLI_SIZE_TEXT];

    if (!plan->fits)
        cli_session_say(session, "%son %s: %s", indent, name, plan->problem.message);
    else if (plan->need.key_device == 0)
        cli_session_say(session, "%son %s: %s for the circuit, %s for each partition in flight", indent, name,
                        cli_size_text(plan->need.key_host - plan->device.host, text[0]),
                        cli_size_text(plan->need.unit_host, text[1]));
    else
        cli_session_say(
            session,
            "%son %s: %s, %s of its memory, %s for each partition in flight; %s of the host's, %s of it "
            "page-locked",
            indent, name, plan->device.streamed ? "in chunks that pass through" : "whole",
            cli_size_text(plan->need.key_device, text[2]), cli_size_text(plan->need.unit_device, text[3]),
            cli_size_text(plan->need.key_host, text[4]), cli_size_text(plan->device.host, text[5]));
}

static void write(struct cuzk_json_writer *json, const char *name, const struct plan *plan)
{
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "device", name);
    cuzk_json_write_member_bool(json, "fits", plan->fits);
    if (plan->fits) {
        cuzk_json_write_member_bool(json, "whole", !plan->device.streamed);
        cuzk_json_write_member_u64(json, "key_device_bytes", plan->need.key_device);
        cuzk_json_write_member_u64(json, "partition_device_bytes", plan->need.unit_device);
        cuzk_json_write_member_u64(json, "key_host_bytes", plan->need.key_host);
        cuzk_json_write_member_u64(json, "page_locked_host_bytes", plan->device.host);
        cuzk_json_write_member_u64(json, "partition_host_bytes", plan->need.unit_host);
    } else {
        cuzk_json_write_member_string(json, "problem", plan->problem.message);
    }
    cuzk_json_write_object_end(json);
}

void cli_plans_tell(const struct cli_plans *plans, struct cli_session *session,
                    const struct cuzk_circuit_id *id, const char *indent)
{
    struct cuzk_json_writer *json = session->json ? &session->writer : NULL;

    if (json != NULL) {
        cuzk_json_write_key(json, "plans");
        cuzk_json_write_array_begin(json);
    }
    for (unsigned i = 0; i < plans->count; i++) {
        const struct cuzk_backend *backend = plans->device[i].backend;
        struct plan plan = {.problem = plans->device[i].problem};

        plan.fits = backend != NULL && cuzk_device_need_estimate(backend, id, &plan.need, &plan.device,
                                                                 &plan.problem) == CUZK_OK;
        say(session, indent, plans->device[i].name, &plan);
        if (json != NULL)
            write(json, plans->device[i].name, &plan);
    }
    if (json != NULL)
        cuzk_json_write_array_end(json);
}
