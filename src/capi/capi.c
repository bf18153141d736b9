/* The functions of include/cuzk.h over the layers below: arguments checked, statuses turned into results. */
#include "cuzk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cpu/cpu.h"
#include "base/mem.h"
#include "engine/porep_case.h"
#include "engine/prover.h"
#include "engine/test_parameters.h"
#include "filecoin/replica_id.h"
#include "groth16/verify.h"
#include "srs/directory.h"

struct cuzk_engine {
    struct cuzk_engine_options options;
    char *directory;
    struct cuzk_pool *pool;
    struct cuzk_backend *backend;
    struct cuzk_progress progress;
    struct cuzk_circuit_prover *prover; /* of `circuit` */
    struct cuzk_circuit_id circuit;
};

static enum cuzk_result finish(enum cuzk_status status, const struct cuzk_error *error,
                               struct cuzk_failure *failure)
{
    const enum cuzk_result result = (enum cuzk_result)cuzk_status_exit_code(status);

    if (failure != NULL && status != CUZK_OK) {
        failure->result = result;
        snprintf(failure->message, sizeof failure->message, "%s",
                 error->message[0] != '\0' ? error->message : cuzk_status_text(status));
    }
    return result;
}

static void relay_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    const struct cuzk_engine *engine = context;

    if (engine->options.progress != NULL)
        engine->options.progress(engine->options.context, stage, done, total);
}

static bool relay_cancelled(void *context)
{
    const struct cuzk_engine *engine = context;

    return engine->options.cancelled != NULL && engine->options.cancelled(engine->options.context) != 0;
}

static struct cuzk_engine_context context_of(struct cuzk_engine *engine)
{
    return (struct cuzk_engine_context){engine->pool, engine->backend, &engine->progress, NULL};
}

/* ---- opening and closing ---- */

static enum cuzk_status open_engine(const struct cuzk_engine_options *options, struct cuzk_engine **out,
                                    struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_engine *engine;

    *out = NULL;
    if (options == NULL || options->size < sizeof *options)
        return cuzk_error_set(err, CUZK_ARGUMENT, "options: size: expected at least %zu", sizeof *options);
    CUZK_TRY(CUZK_NEW(&engine, 1, "engine", err));
    engine->options = *options;
    engine->progress = (struct cuzk_progress){relay_progress, relay_cancelled, engine};
    const char *const directory = cuzk_parameter_directory(options->parameter_directory);
    const size_t directory_bytes = strlen(directory) + 1;
    CUZK_TRY_OUT(CUZK_NEW(&engine->directory, directory_bytes, "parameter directory", err));
    memcpy(engine->directory, directory, directory_bytes);
    CUZK_TRY_OUT(cuzk_pool_create(options->threads, &engine->pool, err));
    CUZK_TRY_OUT(cuzk_backend_cpu_create(engine->pool, &engine->backend, err));
    *out = engine;
    return CUZK_OK;
out:
    cuzk_engine_close(engine);
    return status;
}

enum cuzk_result cuzk_engine_open(const struct cuzk_engine_options *options, struct cuzk_engine **engine,
                                  struct cuzk_failure *failure)
{
    struct cuzk_error error = {0};

    return finish(open_engine(options, engine, &error), &error, failure);
}

void cuzk_engine_close(struct cuzk_engine *engine)
{
    if (engine == NULL)
        return;
    cuzk_circuit_prover_destroy(engine->prover);
    cuzk_backend_destroy(engine->backend);
    cuzk_pool_destroy(engine->pool);
    cuzk_mem_free(engine->directory);
    cuzk_mem_free(engine);
}

void cuzk_release(void *bytes)
{
    cuzk_mem_free(bytes);
}

/* ---- circuits ---- */

static enum cuzk_status load(struct cuzk_engine *engine, const struct cuzk_circuit_id *id,
                             struct cuzk_error *err)
{
    const struct cuzk_engine_context context = context_of(engine);
    char path[CUZK_PARAMETER_PATH];

    if (engine->prover != NULL && engine->circuit.kind == id->kind &&
        engine->circuit.sector_size == id->sector_size)
        return CUZK_OK;
    CUZK_TRY(cuzk_parameter_find(engine->directory, id, ".params", path, err));
    cuzk_circuit_prover_destroy(engine->prover);
    engine->prover = NULL;
    CUZK_TRY(cuzk_circuit_prover_create(&context, id, path, &engine->prover, err));
    engine->circuit = *id;
    return CUZK_OK;
}

static enum cuzk_status load_named(struct cuzk_engine *engine, const char *circuit, struct cuzk_error *err)
{
    struct cuzk_circuit_id id;

    if (engine == NULL || circuit == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "engine and circuit must not be NULL");
    CUZK_TRY(cuzk_circuit_id_parse(circuit, &id, err));
    return load(engine, &id, err);
}

enum cuzk_result cuzk_engine_load(struct cuzk_engine *engine, const char *circuit,
                                  struct cuzk_failure *failure)
{
    struct cuzk_error error = {0};

    return finish(load_named(engine, circuit, &error), &error, failure);
}

static enum cuzk_status make_parameters(struct cuzk_engine *engine, const char *circuit,
                                        const char *directory, const uint8_t *seed, struct cuzk_error *err)
{
    struct cuzk_circuit_id id;

    if (engine == NULL || circuit == NULL || directory == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "engine, circuit and directory must not be NULL");
    CUZK_TRY(cuzk_circuit_id_parse(circuit, &id, err));
    if (cuzk_parameter_directory_is_production(directory))
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: is the directory of production parameters", directory);
    const struct cuzk_engine_context context = context_of(engine);

    return cuzk_test_parameters_make(&context, &id, directory, seed, false, err);
}

enum cuzk_result cuzk_engine_make_test_parameters(struct cuzk_engine *engine, const char *circuit,
                                                  const char *directory, const uint8_t seed[32],
                                                  struct cuzk_failure *failure)
{
    struct cuzk_error error = {0};

    return finish(make_parameters(engine, circuit, directory, seed, &error), &error, failure);
}

/* ---- sectors ---- */

static enum cuzk_status open_case(const struct cuzk_engine *engine, const void *c1, size_t length,
                                  const struct cuzk_sector_facts *given, struct cuzk_porep_case *out,
                                  struct cuzk_error *err)
{
    struct cuzk_porep_facts facts = {0};

    memset(out, 0, sizeof *out);
    if (engine == NULL || c1 == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "engine and c1 must not be NULL");
    if (given != NULL) {
        if (given->size < sizeof *given)
            return cuzk_error_set(err, CUZK_ARGUMENT, "facts: size: expected at least %zu", sizeof *given);
        facts.has_prover = given->has_miner_id != 0;
        facts.has_sector_number = given->has_sector_number != 0;
        facts.has_porep_id = given->has_porep_id != 0;
        cuzk_prover_id_of_miner(given->miner_id, facts.prover_id);
        facts.sector_number = given->sector_number;
        memcpy(facts.porep_id, given->porep_id, sizeof facts.porep_id);
    }
    return cuzk_porep_case_open("C1", c1, length, &facts, NULL, out, err);
}

static enum cuzk_status prove(struct cuzk_engine *engine, const void *c1, size_t c1_length,
                              const struct cuzk_sector_facts *facts, uint8_t **proof, size_t *proof_length,
                              struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_partition_times *times = NULL;
    struct cuzk_porep_case porep;
    uint8_t *bytes = NULL;

    if (proof == NULL || proof_length == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "proof and proof_length must not be NULL");
    CUZK_TRY(open_case(engine, c1, c1_length, facts, &porep, err));
    const struct cuzk_circuit_id id = porep.common.circuit;

    CUZK_TRY_OUT(cuzk_porep_case_check(&porep, "C1", engine->pool, err));
    CUZK_TRY_OUT(load(engine, &id, err));
    CUZK_TRY_OUT(CUZK_NEW(&bytes, (size_t)porep.common.partitions * CUZK_PROOF_BYTES, "proof", err));
    CUZK_TRY_OUT(CUZK_NEW(&times, porep.common.partitions, "times", err));
    CUZK_TRY_OUT(cuzk_circuit_prover_prove_all(engine->prover, &porep.common, NULL, NULL, times, bytes, err));
    *proof = bytes;
    *proof_length = (size_t)porep.common.partitions * CUZK_PROOF_BYTES;
    bytes = NULL;
out:
    cuzk_mem_free(times);
    cuzk_mem_free(bytes);
    cuzk_porep_case_close(&porep);
    return status;
}

enum cuzk_result cuzk_engine_prove_porep(struct cuzk_engine *engine, const void *c1, size_t c1_length,
                                         const struct cuzk_sector_facts *facts, uint8_t **proof,
                                         size_t *proof_length, struct cuzk_failure *failure)
{
    struct cuzk_error error = {0};

    return finish(prove(engine, c1, c1_length, facts, proof, proof_length, &error), &error, failure);
}

/* The key that verifies a circuit's proofs: the .vk file, else the head of the .params file. */
static enum cuzk_status read_vk(const struct cuzk_engine *engine, const struct cuzk_circuit_id *id,
                                struct cuzk_vk *vk, struct cuzk_error *err)
{
    char path[CUZK_PARAMETER_PATH];
    struct cuzk_file_map map;
    struct cuzk_bytes bytes;

    if (cuzk_parameter_find(engine->directory, id, ".vk", path, NULL) != CUZK_OK)
        CUZK_TRY(cuzk_parameter_find(engine->directory, id, ".params", path, err));
    CUZK_TRY(cuzk_file_map_open(path, "verifying key", 0, &map, err));
    cuzk_bytes_init(&bytes, path, map.bytes, map.length);
    const enum cuzk_status status = cuzk_vk_decode(&bytes, vk, err);

    cuzk_file_map_close(&map);
    return status;
}

static enum cuzk_status verify_with(struct cuzk_pool *pool, const struct cuzk_vk *vk,
                                    const struct cuzk_fr *inputs, size_t inputs_each, size_t partitions,
                                    const uint8_t *proof, size_t proof_length, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_prepared_vk *prepared = NULL;
    struct cuzk_public_inputs *each = NULL;

    CUZK_TRY_OUT(cuzk_prepared_vk_create(pool, vk, &prepared, err));
    if (cuzk_prepared_vk_inputs(prepared) != inputs_each) {
        status = cuzk_error_set(err, CUZK_INPUT, "public inputs: expected %zu as the key has, found %zu",
                                cuzk_prepared_vk_inputs(prepared), inputs_each);
        goto out;
    }
    CUZK_TRY_OUT(CUZK_NEW(&each, partitions, "public inputs", err));
    for (size_t k = 0; k < partitions; k++)
        each[k] = (struct cuzk_public_inputs){inputs + k * inputs_each, inputs_each};
    status = cuzk_verify_many(pool, prepared, each, partitions, proof, proof_length, partitions, err);
out:
    cuzk_mem_free(each);
    cuzk_prepared_vk_destroy(prepared);
    return status;
}

static enum cuzk_status verify(struct cuzk_engine *engine, const void *c1, size_t c1_length,
                               const struct cuzk_sector_facts *facts, const uint8_t *proof,
                               size_t proof_length, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_porep_case porep;
    struct cuzk_vk vk = {0};

    if (proof == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "proof must not be NULL");
    CUZK_TRY(open_case(engine, c1, c1_length, facts, &porep, err));
    const struct cuzk_circuit_id id = porep.common.circuit;

    CUZK_TRY_OUT(cuzk_porep_case_check_owner(&porep, "C1", err));
    CUZK_TRY_OUT(read_vk(engine, &id, &vk, err));
    status = verify_with(engine->pool, &vk, porep.public_inputs, porep.common.inputs, porep.common.partitions,
                         proof, proof_length, err);
out:
    cuzk_vk_destroy(&vk);
    cuzk_porep_case_close(&porep);
    return status;
}

enum cuzk_result cuzk_engine_verify_porep(struct cuzk_engine *engine, const void *c1, size_t c1_length,
                                          const struct cuzk_sector_facts *facts, const uint8_t *proof,
                                          size_t proof_length, struct cuzk_failure *failure)
{
    struct cuzk_error error = {0};

    return finish(verify(engine, c1, c1_length, facts, proof, proof_length, &error), &error, failure);
}

static enum cuzk_status verify_bytes(const void *vk_bytes, size_t vk_length, const uint8_t *inputs,
                                     size_t inputs_each, size_t partitions, const uint8_t *proof,
                                     size_t proof_length, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_fr *values = NULL;
    struct cuzk_bytes bytes;
    struct cuzk_vk vk = {0};
    size_t count;

    if (vk_bytes == NULL || proof == NULL || (inputs == NULL && inputs_each > 0))
        return cuzk_error_set(err, CUZK_ARGUMENT, "vk, inputs and proof must not be NULL");
    if (__builtin_mul_overflow(inputs_each, partitions, &count))
        return cuzk_error_set(err, CUZK_ARGUMENT, "public inputs: too many");
    cuzk_bytes_init(&bytes, "vk", vk_bytes, vk_length);
    CUZK_TRY_OUT(cuzk_vk_decode(&bytes, &vk, err));
    CUZK_TRY_OUT(cuzk_bytes_end(&bytes, err));
    CUZK_TRY_OUT(CUZK_NEW(&values, count, "public inputs", err));
    CUZK_TRY_OUT(cuzk_public_inputs_decode((const uint8_t(*)[CUZK_FR_BYTES])inputs, count, values, err));
    status = verify_with(NULL, &vk, values, inputs_each, partitions, proof, proof_length, err);
out:
    cuzk_mem_free(values);
    cuzk_vk_destroy(&vk);
    return status;
}

enum cuzk_result cuzk_verify_bytes(const void *vk, size_t vk_length, const uint8_t *inputs,
                                   size_t inputs_each, size_t partitions, const uint8_t *proof,
                                   size_t proof_length, struct cuzk_failure *failure)
{
    struct cuzk_error error = {0};

    return finish(verify_bytes(vk, vk_length, inputs, inputs_each, partitions, proof, proof_length, &error),
                  &error, failure);
}
