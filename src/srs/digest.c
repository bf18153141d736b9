#include "srs/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/json_reader.h"
#include "srs/cache.h"
#include "srs/directory.h"

enum { LINE = 128, MANIFEST_BYTES_MOST = 1 << 16 };

static const char SUFFIX[] = ".digest"; /* of what is remembered */

enum cuzk_status cuzk_parameter_digest(const char *path, const struct cuzk_progress *progress,
                                       char hex[CUZK_DIGEST_TEXT], struct cuzk_error *err)
{
    enum { STEP = 16 << 20 };
    enum cuzk_status status = CUZK_OK;
    struct cuzk_file_map map;
    crypto_generichash_state state;
    uint8_t digest[64];

    CUZK_TRY(cuzk_file_map_open(path, "parameters", 0, &map, err));
    crypto_generichash_init(&state, NULL, 0, sizeof digest);
    for (uint64_t at = 0; at < map.length; at += STEP) {
        const uint64_t n = map.length - at < STEP ? map.length - at : STEP;

        CUZK_TRY_OUT(cuzk_progress_check(progress, err));
        cuzk_progress_report(progress, "digest of parameters", at, map.length);
        cuzk_file_map_prefetch(&map, at + n, at + 2 * n < map.length ? at + 2 * n : map.length);
        crypto_generichash_update(&state, map.bytes + at, n);
        cuzk_file_map_drop(&map, at, at + n);
    }
    crypto_generichash_final(&state, digest, sizeof digest);
    cuzk_hex_encode(digest, 16, hex);
out:
    cuzk_file_map_close(&map);
    return status;
}

/* ---- what is remembered ---- */

/* What tells a file's content from a later one: its size and when it was last written. */
static bool describe(const char *path, char line[LINE])
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        return false;
    snprintf(line, LINE, " size %lld mtime %lld.%09ld\n", (long long)facts.st_size,
             (long long)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
    return true;
}

/* A remembered digest of the file as `facts` describes it. */
static bool recall(const char *place, const char *facts, char hex[CUZK_DIGEST_TEXT])
{
    const size_t length = CUZK_DIGEST_TEXT - 1 + strlen(facts);
    struct cuzk_file_map map;

    if (cuzk_file_map_open(place, "digest", LINE + CUZK_DIGEST_TEXT, &map, NULL) != CUZK_OK)
        return false;
    const bool good = map.length == length &&
                      memcmp(map.bytes + CUZK_DIGEST_TEXT - 1, facts, strlen(facts)) == 0 &&
                      strspn((const char *)map.bytes, "0123456789abcdef") == CUZK_DIGEST_TEXT - 1;

    if (good) {
        memcpy(hex, map.bytes, CUZK_DIGEST_TEXT - 1);
        hex[CUZK_DIGEST_TEXT - 1] = '\0';
    }
    cuzk_file_map_close(&map);
    return good;
}

static bool remember(const char *place, const char *facts, const char *hex)
{
    char text[LINE + CUZK_DIGEST_TEXT];

    snprintf(text, sizeof text, "%s%s", hex, facts);
    return cuzk_file_write(place, true, text, strlen(text), NULL) == CUZK_OK;
}

/* Whether what is written from now on shows in the file's time: files are stamped by the coarse clock, or by
 * a finer one that stands still until that has caught up. Where the time is a whole second the file system
 * may know no smaller step, or one of two seconds. */
static bool is_settled(const char *path)
{
    enum { COARSEST_SECONDS = 2 };
    struct timespec now;
    struct stat facts;

    if (clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 || stat(path, &facts) != 0)
        return false;
    if (facts.st_mtim.tv_nsec == 0)
        return facts.st_mtim.tv_sec + COARSEST_SECONDS < now.tv_sec;
    return facts.st_mtim.tv_sec < now.tv_sec ||
           (facts.st_mtim.tv_sec == now.tv_sec && facts.st_mtim.tv_nsec < now.tv_nsec);
}

/* Beside the file, or else in the cache; where neither can be written it is no failure. */
static void keep(const char *path, const char *facts, const char *hex)
{
    char place[CUZK_PARAMETER_PATH];

    if (cuzk_cache_beside(path, SUFFIX, place) && remember(place, facts, hex))
        return;
    if (cuzk_cache_user(path, SUFFIX, place))
        (void)remember(place, facts, hex);
}

enum cuzk_status cuzk_parameter_digest_once(const char *path, const struct cuzk_progress *progress,
                                            char hex[CUZK_DIGEST_TEXT], struct cuzk_error *err)
{
    char place[CUZK_PARAMETER_PATH], facts[LINE], after[LINE];
    const bool described = describe(path, facts);

    if (described && ((cuzk_cache_beside(path, SUFFIX, place) && recall(place, facts, hex)) ||
                      (cuzk_cache_user(path, SUFFIX, place) && recall(place, facts, hex))))
        return CUZK_OK;
    const bool settled = is_settled(path);

    CUZK_TRY(cuzk_parameter_digest(path, progress, hex, err));
    if (settled && described && describe(path, after) && strcmp(facts, after) == 0)
        keep(path, facts, hex); /* else it changes while it is read, or may have */
    return CUZK_OK;
}

void cuzk_parameter_digest_keep(const char *path, const char hex[CUZK_DIGEST_TEXT])
{
    enum { TURNS = 20 };
    char facts[LINE], after[LINE];

    if (!describe(path, facts))
        return;
    for (unsigned turn = 0; turn < TURNS && !is_settled(path); turn++)
        nanosleep(&(struct timespec){0, 5000000}, NULL); /* a tick of the clock */
    if (is_settled(path) && describe(path, after) && strcmp(facts, after) == 0)
        keep(path, facts, hex);
}

/* ---- what is expected ---- */

/* The digest that a manifest names for a file; empty: it does not name it. */
static enum cuzk_status read_entry(struct cuzk_json_document *json, const char *name,
                                   char hex[CUZK_DIGEST_TEXT], struct cuzk_error *err)
{
    char entry[CUZK_PARAMETER_NAME + 16] = "", digest[CUZK_DIGEST_TEXT] = "";
    struct cuzk_json_slice key;
    bool more;

    CUZK_TRY(cuzk_json_read_object(json, "files", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(json, &key, &more, err));
        if (!more)
            break;
        if (cuzk_json_slice_is(key, "name"))
            CUZK_TRY(cuzk_json_read_text(json, "name", entry, sizeof entry, err));
        else if (cuzk_json_slice_is(key, "digest"))
            CUZK_TRY(cuzk_json_read_text(json, "digest", digest, sizeof digest, err));
        else
            CUZK_TRY(cuzk_json_read_skip(json, err));
    }
    if (strcmp(entry, name) == 0)
        memcpy(hex, digest, sizeof digest);
    return CUZK_OK;
}

static enum cuzk_status read_manifest(struct cuzk_json_document *json, const char *name,
                                      char hex[CUZK_DIGEST_TEXT], struct cuzk_error *err)
{
    struct cuzk_json_slice key;
    bool more, element;

    CUZK_TRY(cuzk_json_read_object(json, "manifest", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(json, &key, &more, err));
        if (!more)
            return cuzk_json_read_end(json, err);
        if (!cuzk_json_slice_is(key, "files")) {
            CUZK_TRY(cuzk_json_read_skip(json, err));
            continue;
        }
        CUZK_TRY(cuzk_json_read_array(json, "files", err));
        for (;;) {
            CUZK_TRY(cuzk_json_read_element(json, &element, err));
            if (!element)
                break;
            CUZK_TRY(read_entry(json, name, hex, err));
        }
    }
}

enum cuzk_status cuzk_parameter_check(const char *path, const struct cuzk_circuit_id *id,
                                      const struct cuzk_progress *progress, struct cuzk_error *err)
{
    static const char suffix[] = ".params";
    const struct cuzk_published *published = cuzk_circuit_id_published(id);
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const size_t length = strlen(path);
    char manifest[CUZK_PARAMETER_PATH], expected[CUZK_DIGEST_TEXT] = "", found[CUZK_DIGEST_TEXT];
    const bool named = length >= sizeof suffix && strcmp(path + length - strlen(suffix), suffix) == 0;
    bool listed = false;

    if (named && snprintf(manifest, sizeof manifest, "%.*s.test.json", (int)(length - strlen(suffix)), path) <
                     (int)sizeof manifest)
        listed = access(manifest, F_OK) == 0;
    if (listed) {
        struct cuzk_file_map map;
        struct cuzk_json_document json;

        CUZK_TRY(cuzk_file_map_open(manifest, "manifest", MANIFEST_BYTES_MOST, &map, err));
        cuzk_json_read_init(&json, manifest, map.bytes, map.length);
        const enum cuzk_status status = read_manifest(&json, name, expected, err);

        cuzk_file_map_close(&map);
        CUZK_TRY(status);
    } else if (published != NULL) {
        memcpy(expected, published->digest, sizeof expected);
    }
    if (expected[0] == '\0')
        return CUZK_OK;
    CUZK_TRY(cuzk_parameter_digest_once(path, progress, found, err));
    if (strcmp(found, expected) == 0)
        return CUZK_OK;
    return cuzk_error_set(err, CUZK_INPUT, "%s: BLAKE2b digest: expected %s (%s), found %s", path, expected,
                          listed ? "the manifest of this test key" : "the published file", found);
}
