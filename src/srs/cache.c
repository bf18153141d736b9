#include "srs/cache.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/hex.h"

static bool is_off(void)
{
    const char *set = cuzk_environment_text(CUZK_CACHE_VARIABLE);

    return set != NULL && strcmp(set, CUZK_CACHE_OFF) == 0;
}

/* Made if need be; false where there is none. */
static bool cache_directory(char path[CUZK_PARAMETER_PATH])
{
    const char *own = cuzk_environment_text(CUZK_CACHE_VARIABLE),
               *service = cuzk_environment_text("CACHE_DIRECTORY");
    const char *xdg = cuzk_environment_text("XDG_CACHE_HOME"), *home = cuzk_environment_text("HOME");
    int n = -1;

    if (own != NULL)
        n = snprintf(path, CUZK_PARAMETER_PATH, "%s", own);
    else if (service != NULL)
        n = snprintf(path, CUZK_PARAMETER_PATH, "%s", service);
    else if (xdg != NULL)
        n = snprintf(path, CUZK_PARAMETER_PATH, "%s/cuzk", xdg);
    else if (home != NULL)
        n = snprintf(path, CUZK_PARAMETER_PATH, "%s/.cache/cuzk", home);
    return n > 0 && n < CUZK_PARAMETER_PATH - 100 && cuzk_file_make_directory(path, NULL) == CUZK_OK;
}

static void folder_of(const char *path, char folder[CUZK_PARAMETER_PATH])
{
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL || slash == path ? 1 : (int)(slash - path);

    snprintf(folder, CUZK_PARAMETER_PATH, "%.*s", length, slash == NULL ? "." : path);
}

/* Whether the directory of a file is one that is not written to. */
static bool is_production(const char *path)
{
    char folder[CUZK_PARAMETER_PATH];

    folder_of(path, folder);
    return cuzk_parameter_directory_is_production(folder);
}

bool cuzk_cache_beside(const char *path, const char *suffix, char place[CUZK_PARAMETER_PATH])
{
    if (cuzk_environment_text(CUZK_CACHE_VARIABLE) != NULL || is_production(path))
        return false;
    const int n = snprintf(place, CUZK_PARAMETER_PATH, "%s%s", path, suffix);
    return n > 0 && n < CUZK_PARAMETER_PATH;
}

bool cuzk_cache_user(const char *path, const char *suffix, char place[CUZK_PARAMETER_PATH])
{
    char folder[CUZK_PARAMETER_PATH], real[CUZK_PARAMETER_PATH], hex[2 * 16 + 1];
    uint8_t digest[16];

    if (is_off() || realpath(path, real) == NULL || !cache_directory(folder))
        return false;
    crypto_generichash(digest, sizeof digest, (const uint8_t *)real, strlen(real), NULL, 0);
    cuzk_hex_encode(digest, sizeof digest, hex);
    const int n = snprintf(place, CUZK_PARAMETER_PATH, "%.4000s/%s%.40s", folder, hex, suffix);
    return n > 0 && n < CUZK_PARAMETER_PATH;
}

/* Whether a file is there, or could be made. */
static bool is_usable(const char *path)
{
    char folder[CUZK_PARAMETER_PATH];

    if (access(path, R_OK) == 0)
        return true;
    folder_of(path, folder);
    return access(folder, W_OK) == 0;
}

bool cuzk_cache_place(const char *params_path, const char *suffix, char place[CUZK_PARAMETER_PATH])
{
    static const char params[] = ".params";
    size_t length = strlen(params_path);
    char stem[CUZK_PARAMETER_PATH];

    if (length >= sizeof stem)
        return false;
    if (length > strlen(params) && strcmp(params_path + length - strlen(params), params) == 0)
        length -= strlen(params);
    snprintf(stem, sizeof stem, "%.*s", (int)length, params_path);
    return (cuzk_cache_beside(stem, suffix, place) && is_usable(place)) ||
           cuzk_cache_user(params_path, suffix, place);
}

enum cuzk_status cuzk_cache_set(const char *directory, struct cuzk_error *err)
{
    return cuzk_environment_set(CUZK_CACHE_VARIABLE, directory, err);
}
