#include "srs/directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/json_writer.h"
#include "base/version.h"
#include "srs/digest.h"

const char *cuzk_parameter_directory(const char *given)
{
    if (given != NULL)
        return given;
    const char *set = cuzk_environment_text(CUZK_PARAMETER_VARIABLE);

    return set != NULL ? set : CUZK_PARAMETER_DIRECTORY;
}

/* Whether two paths name one place; a path that is not there yet is compared as text. */
static bool same_place(const char *one, const char *other)
{
    char first[CUZK_PARAMETER_PATH], second[CUZK_PARAMETER_PATH];

    if (realpath(one, first) == NULL || realpath(other, second) == NULL)
        return strcmp(one, other) == 0;
    return strcmp(first, second) == 0;
}

bool cuzk_parameter_directory_is_production(const char *path)
{
    return same_place(path, CUZK_PARAMETER_DIRECTORY) || same_place(path, cuzk_parameter_directory(NULL));
}

enum cuzk_status cuzk_parameter_path(const char *directory, const struct cuzk_circuit_id *id,
                                     const char *suffix, char path[CUZK_PARAMETER_PATH],
                                     struct cuzk_error *err)
{
    char name[CUZK_PARAMETER_NAME];

    CUZK_TRY(cuzk_circuit_id_parameter_name(id, name, err));
    const int n = snprintf(path, CUZK_PARAMETER_PATH, "%s/%s%s", directory, name, suffix);

    if (n < 0 || n >= CUZK_PARAMETER_PATH)
        return cuzk_error_set(err, CUZK_ARGUMENT, "parameter directory: the path is too long");
    return CUZK_OK;
}

enum cuzk_status cuzk_parameter_find(const char *directory, const struct cuzk_circuit_id *id,
                                     const char *suffix, char path[CUZK_PARAMETER_PATH],
                                     struct cuzk_error *err)
{
    char circuit[CUZK_CIRCUIT_NAME];

    CUZK_TRY(cuzk_parameter_path(directory, id, suffix, path, err));
    if (access(path, R_OK) == 0)
        return CUZK_OK;
    cuzk_circuit_id_format(id, circuit);
    return cuzk_error_set(err, CUZK_NOT_FOUND, "%s: parameters of %s: %s (looked in %s)",
                          strrchr(path, '/') + 1, circuit, strerror(errno), directory);
}

void cuzk_parameter_advice(const char *directory, const struct cuzk_circuit_id *id, char *text, size_t room)
{
    const struct cuzk_published *published = cuzk_circuit_id_published(id);
    char circuit[CUZK_CIRCUIT_NAME], fetch[160] = "";

    cuzk_circuit_id_format(id, circuit);
    if (published != NULL)
        snprintf(fetch, sizeof fetch, "the published file is content id %s (Filecoin clients fetch it); ",
                 published->cid);
    if (cuzk_parameter_directory_is_production(directory))
        snprintf(
            text, room,
            "%sfor tests, `cuzk setup %s --out DIR` makes a key that proves nothing to the chain, then give "
            "--params-dir DIR",
            fetch, circuit);
    else
        snprintf(text, room,
                 "%sfor tests, `cuzk setup %s --out %s` makes a key there that proves nothing to the chain",
                 fetch, circuit, directory);
}

enum cuzk_status cuzk_parameter_origin(const char *directory, const struct cuzk_circuit_id *id,
                                       const struct cuzk_progress *progress, enum cuzk_parameter_origin *out,
                                       struct cuzk_error *err)
{
    const struct cuzk_published *published = cuzk_circuit_id_published(id);
    char path[CUZK_PARAMETER_PATH], digest[33];

    CUZK_TRY(cuzk_parameter_path(directory, id, ".test.json", path, err));
    if (published == NULL || access(path, F_OK) == 0) {
        *out = CUZK_PARAMETERS_TEST;
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_parameter_find(directory, id, ".params", path, err));
    CUZK_TRY(cuzk_parameter_digest_once(path, progress, digest, err));
    *out = strcmp(digest, published->digest) == 0 ? CUZK_PARAMETERS_PUBLISHED : CUZK_PARAMETERS_OTHER;
    return CUZK_OK;
}

static enum cuzk_status write_file_entry(struct cuzk_json_writer *json, const char *directory,
                                         const struct cuzk_circuit_id *id, const char *suffix,
                                         const struct cuzk_progress *progress, struct cuzk_error *err)
{
    char path[CUZK_PARAMETER_PATH], digest[33];
    struct stat facts;

    CUZK_TRY(cuzk_parameter_find(directory, id, suffix, path, err));
    CUZK_TRY(cuzk_parameter_digest_once(path, progress, digest, err));
    if (stat(path, &facts) != 0)
        return cuzk_error_set(err, CUZK_IO, "%s: %s", path, strerror(errno));
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "name", strrchr(path, '/') + 1);
    cuzk_json_write_member_u64(json, "bytes", (uint64_t)facts.st_size);
    cuzk_json_write_member_string(json, "digest", digest);
    cuzk_json_write_object_end(json);
    return CUZK_OK;
}

enum cuzk_status cuzk_parameter_manifest_write(const char *directory, const struct cuzk_circuit_id *id,
                                               const uint8_t seed[32], const struct cuzk_progress *progress,
                                               struct cuzk_error *err)
{
    static const char *const suffixes[] = {".params", ".vk"};
    char path[CUZK_PARAMETER_PATH], circuit[CUZK_CIRCUIT_NAME];
    enum cuzk_status status = CUZK_OK;
    struct cuzk_json_writer json;
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_parameter_path(directory, id, ".test.json", path, err));
    CUZK_TRY(cuzk_file_out_open(path, false, &out, err));
    cuzk_circuit_id_format(id, circuit);
    cuzk_json_write_init(&json, cuzk_file_out_sink(out), true, err);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_member_string(&json, "warning",
                                  "test parameters: proofs made with them prove nothing to anybody");
    cuzk_json_write_member_string(&json, "circuit", circuit);
    cuzk_json_write_member_string(&json, "cuzk", cuzk_version());
    cuzk_json_write_member_u64(&json, "made_unix_seconds", cuzk_clock_unix_seconds());
    cuzk_json_write_key(&json, "insecure_seed");
    if (seed != NULL)
        cuzk_json_write_hex(&json, seed, 32);
    else
        cuzk_json_write_null(&json);
    cuzk_json_write_key(&json, "files");
    cuzk_json_write_array_begin(&json);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        CUZK_TRY_OUT(write_file_entry(&json, directory, id, suffixes[i], progress, err));
    cuzk_json_write_array_end(&json);
    cuzk_json_write_object_end(&json);
    CUZK_TRY_OUT(cuzk_json_write_finish(&json));
    CUZK_TRY_OUT(cuzk_file_out_write(out, "\n", 1, err));
out:
    return cuzk_file_out_close(status, out, err);
}
