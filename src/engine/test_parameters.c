#include "engine/test_parameters.h"

#include <unistd.h>

#include "base/random.h"
#include "circuit/record.h"
#include "groth16/setup.h"
#include "srs/derived_key.h"
#include "srs/digest_stream.h"
#include "srs/directory.h"

/* The three paths; refuses what is there already, before any work is done. */
static enum cuzk_status free_path(const char *directory, const struct cuzk_circuit_id *id, const char *suffix,
                                  char path[CUZK_PARAMETER_PATH], struct cuzk_error *err)
{
    CUZK_TRY(cuzk_parameter_path(directory, id, suffix, path, err));
    if (access(path, F_OK) == 0)
        return cuzk_error_set(err, CUZK_EXISTS, "%s: already exists and is not replaced", path);
    return CUZK_OK;
}

static enum cuzk_status make_files(const struct cuzk_engine_context *context,
                                   const struct cuzk_circuit_id *id, const struct cuzk_toxic *toxic,
                                   const char *params, const char *vk, bool derived, struct cuzk_error *err)
{
    struct cuzk_witness_layout layout;
    struct cuzk_circuit circuit;
    struct cuzk_r1cs *r1cs;
    struct cuzk_digest_stream *stream = NULL;
    enum cuzk_status status = CUZK_OK;
    char digest[CUZK_DIGEST_TEXT];

    CUZK_TRY(cuzk_circuit_open(id, &circuit, err));
    CUZK_TRY(cuzk_circuit_record(&circuit, context->pool, context->progress, &r1cs, &layout, err));
    CUZK_TRY_OUT(cuzk_digest_stream_create(&stream, err));
    CUZK_TRY_OUT(cuzk_setup_files(context->backend, context->pool, r1cs, toxic, params, vk, false,
                                  cuzk_digest_stream_sink(stream), context->progress, err));
    cuzk_digest_stream_finish(stream, digest);
    cuzk_parameter_digest_keep(params, digest);
    if (derived)
        CUZK_TRY_OUT(
            cuzk_derived_make(context->backend, context->pool, r1cs, toxic, params, context->progress, err));
out:
    cuzk_digest_stream_destroy(stream);
    cuzk_r1cs_destroy(r1cs);
    cuzk_witness_layout_destroy(&layout);
    return status;
}

enum cuzk_status cuzk_test_parameters_make(const struct cuzk_engine_context *context,
                                           const struct cuzk_circuit_id *id, const char *directory,
                                           const uint8_t *seed, bool derived, struct cuzk_error *err)
{
    char params[CUZK_PARAMETER_PATH], vk[CUZK_PARAMETER_PATH], manifest[CUZK_PARAMETER_PATH];
    enum cuzk_status status = CUZK_OK;
    struct cuzk_random random;
    struct cuzk_toxic toxic;

    CUZK_TRY(free_path(directory, id, ".params", params, err));
    CUZK_TRY(free_path(directory, id, ".vk", vk, err));
    if (derived)
        CUZK_TRY(free_path(directory, id, ".derived", manifest, err));
    CUZK_TRY(free_path(directory, id, ".test.json", manifest, err));
    CUZK_TRY(cuzk_file_make_directory(directory, err));
    if (seed != NULL)
        cuzk_random_init_seeded(&random, seed);
    else
        cuzk_random_init_system(&random);
    CUZK_TRY_OUT(cuzk_toxic_draw(&random, &toxic, err));
    CUZK_TRY_OUT(make_files(context, id, &toxic, params, vk, derived, err));
    CUZK_TRY_OUT(cuzk_parameter_manifest_write(directory, id, seed, context->progress, err));
out:
    cuzk_toxic_wipe(&toxic);
    cuzk_random_wipe(&random);
    return status;
}
