/* The end of a unit: its proofs are verified, its memory is given back. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

/* The proof of a partition against the key, in this process. What does not verify is either a device's fault
 * (another attempt) or the request's: then the vanilla proof says so, or a constraint is named. */
static enum cuzk_status verify_one(struct cuzk_engine *engine, const struct engine_partition *part,
                                   struct cuzk_error *err)
{
    const struct engine_circuit *circuit = part->job->circuit;
    const struct cuzk_public_inputs inputs = {part->inputs, cuzk_prepared_vk_inputs(circuit->vk)};
    const struct cuzk_case *the_case;
    struct cuzk_error why = {0};
    enum cuzk_status status =
        cuzk_verify(circuit->vk, &inputs, part->device.proof, sizeof part->device.proof, err);

    if (status == CUZK_OK || (status != CUZK_INVALID && status != CUZK_INPUT))
        return status;
    if (engine_case_open(engine, part->job, &the_case, &why) == CUZK_OK &&
        the_case->ops->check(the_case, NULL, &why) == CUZK_INVALID)
        return cuzk_error_set(err, CUZK_INVALID, "%s", why.message);
    return cuzk_error_set(err, CUZK_DEVICE, "partition %u: the proof does not verify", part->number);
}

static enum cuzk_status pretend_one(const struct cuzk_engine *engine, const struct engine_partition *part,
                                    struct cuzk_error *err)
{
    engine_pretend(engine->host_stage_ns[CUZK_STAGE_VERIFY]);
    if (!cuzk_device_null_proof_right(part->device.proof))
        return cuzk_error_set(err, CUZK_DEVICE, "partition %u: the proof is marked wrong", part->number);
    return CUZK_OK;
}

/* What the device says of its own, and the rest: from the witness to here it waited. */
static void take_times(const struct engine_partition *part, uint64_t verified_ns,
                       struct cuzk_partition_times *out)
{
    const struct cuzk_backend_times *const device = &part->device.times;
    uint64_t sum = device->upload + device->eval + device->quotient + part->finish_ns;

    for (int q = 0; q < CUZK_QUERIES; q++)
        sum += device->msm[q];
    *out = (struct cuzk_partition_times){
        .witness_ns = part->witness_ns,
        .prove = {*device, part->finish_ns, verified_ns - part->ready_ns},
    };
    if (out->prove.total > sum)
        out->queue_ns = out->prove.total - sum;
}

enum cuzk_status engine_run_verify(struct engine_lane *lane, struct engine_unit *unit, struct cuzk_error *err)
{
    struct cuzk_engine *engine = lane->engine;

    for (unsigned p = 0; p < unit->partitions; p++) {
        struct engine_partition *part = &unit->part[p];
        struct engine_span span = {.stage = CUZK_STAGE_VERIFY, .begin_ns = cuzk_clock_ns()};
        const enum cuzk_status status =
            engine->verify ? verify_one(engine, part, err) : pretend_one(engine, part, err);

        span.end_ns = cuzk_clock_ns();
        part->finish_ns += span.end_ns - span.begin_ns;
        engine_note_span(engine, lane->name, part->job, (int32_t)part->number, &span);
        CUZK_TRY(status);
    }
    const uint64_t now = cuzk_clock_ns();

    pthread_mutex_lock(&engine->lock);
    for (unsigned p = 0; p < unit->partitions; p++) {
        const struct engine_partition *part = &unit->part[p];

        memcpy(part->job->proof + (size_t)part->number * CUZK_PROOF_BYTES, part->device.proof,
               CUZK_PROOF_BYTES);
        take_times(part, now, &part->job->times[part->number]);
    }
    engine->partitions_done += unit->partitions;
    pthread_mutex_unlock(&engine->lock);
    return CUZK_OK;
}

void engine_run_release(struct engine_lane *lane, struct engine_unit *unit, int slot)
{
    struct cuzk_engine *engine = lane->engine;
    struct engine_span span = {.stage = CUZK_STAGE_RELEASE, .begin_ns = cuzk_clock_ns()};
    const bool one = unit->partitions == 1 && unit->part != NULL;
    const int32_t partition = one ? (int32_t)unit->part[0].number : CUZK_TIMELINE_NO_PARTITION;

    if (slot != ENGINE_NONE) { /* it was not finished */
        struct cuzk_device *device = engine->devices[unit->device].device;

        device->ops->abandon(device, (unsigned)slot);
    }
    engine_unit_drop_witness(unit);
    for (unsigned p = 0; unit->part != NULL && p < unit->partitions; p++)
        cuzk_mem_free(unit->part[p].inputs);
    cuzk_mem_free(unit->part);
    unit->part = NULL;
    if (!engine->verify)
        engine_pretend(engine->host_stage_ns[CUZK_STAGE_RELEASE]);
    span.end_ns = cuzk_clock_ns();
    engine_note_span(engine, lane->name, unit->members[0].job, partition, &span);
}
