/* Circuits that requests have asked for: opened once, kept. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "engine/engine_state.h"
#include "groth16/params.h"

/* Beside the witness a partition holds its share of the decoded request: about twice its bytes. */
uint64_t engine_circuit_host_peak(const struct engine_circuit *circuit, uint64_t payload, unsigned partitions)
{
    return circuit->witness_bytes + circuit->need.unit_host + 2 * payload / partitions;
}

/* Under lock. */
static struct engine_circuit *find(struct cuzk_engine *engine, const struct cuzk_circuit_id *id)
{
    for (unsigned i = 0; i < engine->circuit_count; i++)
        if (engine->circuits[i].id.kind == id->kind && engine->circuits[i].id.sector_size == id->sector_size)
            return &engine->circuits[i];
    return NULL;
}

static uint64_t witness_bytes(const struct cuzk_cs_counts *total)
{
    return (uint64_t)(total->inputs + total->aux - total->bits) * sizeof(struct cuzk_fr) + total->bits / 8;
}

static enum cuzk_status open_key(struct cuzk_engine *engine, struct engine_circuit *circuit,
                                 struct cuzk_error *err)
{
    struct cuzk_params params = {0};
    enum cuzk_status status;

    CUZK_TRY(cuzk_parameter_find(cuzk_parameter_directory(engine->params_directory), &circuit->id, ".params",
                                 circuit->path, err));
    CUZK_TRY(cuzk_params_open(circuit->path, &params, err));
    circuit->path_bytes = params.map.length;
    circuit->domain = params.query[CUZK_QUERY_H].count + 1;
    CUZK_TRY_OUT(cuzk_circuit_open(&circuit->id, &circuit->circuit, err));
    circuit->witness_bytes = witness_bytes(&circuit->circuit.total);
    if (params.vk.ic_count != circuit->circuit.total.inputs) {
        status = cuzk_error_set(err, CUZK_INPUT, "%s: %s has %u public inputs, the key %u", circuit->path,
                                circuit->name, circuit->circuit.total.inputs, params.vk.ic_count);
        goto out;
    }
    status = cuzk_prepared_vk_create(NULL, &params.vk, &circuit->vk, err);
out:
    cuzk_params_close(&params);
    return status;
}

static enum cuzk_status ask_needs(struct cuzk_engine *engine, struct engine_circuit *circuit,
                                  struct cuzk_error *err)
{
    for (unsigned d = 0; d < engine->device_count; d++) {
        struct cuzk_device *device = engine->devices[d].device;
        struct cuzk_device_need *need = &circuit->device_need[d];

        CUZK_TRY(device->ops->need(device, &circuit->id, need, err));
        if (need->key_device > circuit->need.key_device)
            circuit->need.key_device = need->key_device;
        if (need->key_host > circuit->need.key_host)
            circuit->need.key_host = need->key_host;
        if (need->unit_device > circuit->need.unit_device)
            circuit->need.unit_device = need->unit_device;
        if (need->unit_host > circuit->need.unit_host)
            circuit->need.unit_host = need->unit_host;
    }
    return CUZK_OK;
}

static void tiers_needs(const struct engine_circuit *circuit, unsigned devices,
                        struct cuzk_tiers_need needs[CUZK_TIERS_DEVICES_MOST])
{
    for (unsigned d = 0; d < devices; d++)
        needs[d] = (struct cuzk_tiers_need){.key_device = circuit->device_need[d].key_device,
                                            .key_host = circuit->device_need[d].key_host,
                                            .unit_device = circuit->device_need[d].unit_device};
}

/* What can never fit is refused with the sum, whatever else is loaded. */
static enum cuzk_status check_fits(const struct cuzk_engine *engine, const struct engine_circuit *circuit,
                                   struct cuzk_error *err)
{
    struct cuzk_tiers_need needs[CUZK_TIERS_DEVICES_MOST];

    tiers_needs(circuit, engine->device_count, needs);
    return cuzk_tiers_fits(&engine->tiers, circuit->name, circuit->witness_bytes + circuit->need.unit_host,
                           needs, err);
}

/* Under keys_lock: there is a place for it, as for the circuit. */
static void enter_tiers(struct cuzk_engine *engine, const struct engine_circuit *circuit)
{
    struct cuzk_tiers_need needs[CUZK_TIERS_DEVICES_MOST];

    tiers_needs(circuit, engine->device_count, needs);
    (void)cuzk_tiers_add(&engine->tiers, circuit->path_bytes,
                         circuit->witness_bytes + circuit->need.unit_host, needs);
}

static enum cuzk_status open_circuit(struct cuzk_engine *engine, struct engine_circuit *circuit,
                                     const struct cuzk_circuit_id *id, struct cuzk_error *err)
{
    memset(circuit, 0, sizeof *circuit);
    circuit->id = *id;
    circuit->index = engine->circuit_count;
    cuzk_circuit_id_format(id, circuit->name);
    if (engine->verify)
        CUZK_TRY(open_key(engine, circuit, err));
    CUZK_TRY(ask_needs(engine, circuit, err));
    return check_fits(engine, circuit, err);
}

enum cuzk_status engine_circuit_find(struct cuzk_engine *engine, const struct cuzk_circuit_id *id,
                                     struct engine_circuit **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&engine->lock);
    *out = find(engine, id);
    pthread_mutex_unlock(&engine->lock);
    if (*out != NULL)
        return CUZK_OK;

    pthread_mutex_lock(&engine->circuits_lock);
    *out = find(engine, id); /* circuits_lock is enough: nobody else opens one now */
    if (*out == NULL && engine->circuit_count == CUZK_SCHED_CIRCUITS_MOST) {
        status = cuzk_error_set(err, CUZK_MEMORY, "at most %d circuits are known at once",
                                CUZK_SCHED_CIRCUITS_MOST);
    } else if (*out == NULL) {
        struct engine_circuit *circuit = &engine->circuits[engine->circuit_count];

        status = open_circuit(engine, circuit, id, err);
        if (status == CUZK_OK) {
            pthread_mutex_lock(&engine->lock);
            pthread_mutex_lock(&engine->keys_lock);
            engine->circuit_count++;
            enter_tiers(engine, circuit);
            pthread_mutex_unlock(&engine->keys_lock);
            pthread_mutex_unlock(&engine->lock);
            *out = circuit;
        } else {
            cuzk_prepared_vk_destroy(circuit->vk);
            circuit->vk = NULL;
        }
    }
    pthread_mutex_unlock(&engine->circuits_lock);
    return status;
}

enum cuzk_status engine_circuit_layout(struct cuzk_engine *engine, struct engine_circuit *circuit,
                                       const struct cuzk_witness_layout **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&engine->circuits_lock);
    if (!circuit->has_layout) {
        status = cuzk_circuit_layout(&circuit->circuit, &circuit->layout, err);
        circuit->has_layout = status == CUZK_OK;
    }
    pthread_mutex_unlock(&engine->circuits_lock);
    *out = &circuit->layout;
    return status;
}

void engine_circuits_close(struct cuzk_engine *engine)
{
    for (unsigned i = 0; i < engine->circuit_count; i++) {
        cuzk_prepared_vk_destroy(engine->circuits[i].vk);
        cuzk_witness_layout_destroy(&engine->circuits[i].layout);
        cuzk_file_map_close(&engine->circuits[i].warm);
    }
    engine->circuit_count = 0;
}
