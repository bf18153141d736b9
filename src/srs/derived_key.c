#include "srs/derived_key.h"

#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/hex.h"
#include "groth16/derived_setup.h"
#include "r1cs/fingerprint.h"
#include "srs/cache.h"
#include "srs/digest.h"

enum cuzk_derived_mode cuzk_derived_mode_parse(const char *text)
{
    if (text != NULL && strcmp(text, "use") == 0)
        return CUZK_DERIVED_USE;
    return text != NULL && strcmp(text, "build") == 0 ? CUZK_DERIVED_BUILD : CUZK_DERIVED_OFF;
}

enum cuzk_derived_mode cuzk_derived_mode_now(void)
{
    const char *set = cuzk_environment_text(CUZK_DERIVED_VARIABLE);

    return set == NULL ? CUZK_DERIVED_USE : cuzk_derived_mode_parse(set);
}

enum cuzk_status cuzk_derived_mode_set(const char *text, struct cuzk_error *err)
{
    return cuzk_environment_set(CUZK_DERIVED_VARIABLE, text, err);
}

static enum cuzk_status digest_of(const char *params_path, const struct cuzk_progress *progress,
                                  uint8_t out[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_error *err)
{
    char hex[CUZK_DIGEST_TEXT];

    CUZK_TRY(cuzk_parameter_digest_once(params_path, progress, hex, err));
    return cuzk_hex_decode("digest", hex, strlen(hex), out, CUZK_DERIVED_PARAMS_BYTES, err);
}

/* What a key derived from these parameters for this circuit belongs to; digests the file where nothing
 * remembers its digest. */
static enum cuzk_status identify(const char *params_path, const struct cuzk_r1cs *r1cs,
                                 const struct cuzk_progress *progress, struct cuzk_derived_identity *out,
                                 struct cuzk_error *err)
{
    CUZK_TRY(digest_of(params_path, progress, out->params, err));
    cuzk_r1cs_fingerprint(r1cs, out->circuit);
    return CUZK_OK;
}

/* ---- reading ---- */

enum cuzk_status cuzk_derived_find(const char *params_path, const struct cuzk_r1cs *r1cs,
                                   struct cuzk_pool *pool, const struct cuzk_progress *progress, bool *found,
                                   struct cuzk_derived *out, struct cuzk_error *note, struct cuzk_error *err)
{
    struct cuzk_derived_identity wanted;
    char path[CUZK_PARAMETER_PATH];

    *found = false;
    *out = (struct cuzk_derived){0};
    *note = (struct cuzk_error){0};
    if (!cuzk_cache_place(params_path, CUZK_DERIVED_SUFFIX, path) || access(path, F_OK) != 0)
        return CUZK_OK;
    CUZK_TRY(identify(params_path, r1cs, progress, &wanted, err));
    const enum cuzk_status status = cuzk_derived_open(path, &wanted, pool, progress, out, note);
    *found = status == CUZK_OK;
    if (status == CUZK_NOT_FOUND)
        *note = (struct cuzk_error){0};
    if (status == CUZK_MEMORY || status == CUZK_CANCELLED)
        return cuzk_error_set(err, status, "%s", note->message);
    return CUZK_OK;
}

/* ---- writing ---- */

/* Makes the file under its name, or nothing: from params or, where params is NULL, from toxic waste. */
struct making {
    struct cuzk_backend *backend;
    struct cuzk_pool *pool;
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_params *params;
    const struct cuzk_toxic *toxic;
    const char *params_path;
    const struct cuzk_progress *progress;
};

static enum cuzk_status make_digest(void *context, const struct cuzk_progress *progress,
                                    uint8_t out[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_error *err)
{
    const struct making *making = context;

    return digest_of(making->params_path, progress, out, err);
}

static enum cuzk_status make_bytes(struct making *making, struct cuzk_store store, struct cuzk_error *err)
{
    const struct cuzk_derive_digest digest = {make_digest, making};
    uint8_t bytes[CUZK_DERIVED_PARAMS_BYTES];

    if (making->params != NULL)
        return cuzk_derive(making->backend, making->pool, making->r1cs, making->params, &digest, store,
                           making->progress, err);
    CUZK_TRY(make_digest(making, making->progress, bytes, err));
    return cuzk_derived_setup(making->backend, making->pool, making->r1cs, making->toxic, bytes, store,
                              making->progress, err);
}

static enum cuzk_status make_file(struct making *making, bool replace, struct cuzk_error *err)
{
    char path[CUZK_PARAMETER_PATH];
    struct cuzk_file_out *file;

    if (!cuzk_cache_place(making->params_path, CUZK_DERIVED_SUFFIX, path))
        return cuzk_error_set(err, CUZK_IO, "%s: no place to keep a derived key at", making->params_path);
    CUZK_TRY(cuzk_file_out_open(path, replace, &file, err));
    return cuzk_file_out_close(make_bytes(making, cuzk_file_out_store(file), err), file, err);
}

enum cuzk_status cuzk_derived_build(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                    const struct cuzk_r1cs *r1cs, const struct cuzk_params *params,
                                    const char *params_path, const struct cuzk_progress *progress,
                                    struct cuzk_error *err)
{
    struct making making = {backend, pool, r1cs, params, NULL, params_path, progress};

    return make_file(&making, true, err);
}

enum cuzk_status cuzk_derived_make(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                   const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                                   const char *params_path, const struct cuzk_progress *progress,
                                   struct cuzk_error *err)
{
    struct making making = {backend, pool, r1cs, NULL, toxic, params_path, progress};

    return make_file(&making, false, err);
}
