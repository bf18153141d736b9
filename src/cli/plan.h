/*
 * What proofs of a circuit would take of the devices here, before anything is loaded: whole, in chunks that
 * pass through the device, or not at all.
 */
#ifndef CUZK_CLI_PLAN_H
#define CUZK_CLI_PLAN_H

#include "backend/backend.h"
#include "cli/session.h"
#include "srs/circuit_id.h"

enum { CLI_PLANS_MOST = 16 };

struct cli_plans {
    unsigned count;
    struct {
        char name[32];                /* "cuda:0" */
        struct cuzk_backend *backend; /* NULL: `problem` says why */
        struct cuzk_error problem;
    } device[CLI_PLANS_MOST];
};

/* Opens what `choices` name ("auto": every GPU, else the CPU; null devices are passed over), each with so
 * many bytes of its memory to use (0: all there is). cli_plans_close it. */
void cli_plans_open(const char *const *choices, size_t count, uint64_t vram_limit, struct cli_plans *out);
void cli_plans_close(struct cli_plans *plans);

/* A line for each device, behind `indent`; as JSON a member "plans", an array, of the object that is open. */
void cli_plans_tell(const struct cli_plans *plans, struct cli_session *session,
                    const struct cuzk_circuit_id *id, const char *indent);

#endif
