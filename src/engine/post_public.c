#include "engine/post_public.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/mem.h"
#include "engine/post_case.h"

enum {
    HAS_SIZE = 1,
    HAS_REGISTERED = 2,
    HAS_API = 4,
    HAS_RANDOMNESS = 8,
    HAS_SECTORS = 16,
    HAS_PARTITION = 32
};

struct reading {
    struct cuzk_json_document json;
    struct cuzk_post_public *out;
    unsigned seen;
    uint64_t sector_size, registered, partition;
    bool registered_known, partition_known;
    enum cuzk_api_version api_version;
    size_t room;
};

static enum cuzk_status read_registered(struct reading *r, struct cuzk_error *err)
{
    struct cuzk_json_slice text;

    if (cuzk_json_read_kind(&r->json) == CUZK_JSON_NULL)
        return cuzk_json_read_skip(&r->json, err);
    r->registered_known = true;
    if (cuzk_json_read_kind(&r->json) == CUZK_JSON_NUMBER) {
        CUZK_TRY(cuzk_json_read_u64(&r->json, "registered_proof", &r->registered, err));
        if (r->registered >= CUZK_POST_PROOFS)
            return cuzk_json_read_fail(&r->json, "registered_proof", err,
                                       "expected a PoSt proof below %d, found %" PRIu64, CUZK_POST_PROOFS,
                                       r->registered);
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_json_read_string(&r->json, "registered_proof", &text, err));
    const int number = cuzk_post_proof_number(text.text, text.length);

    if (number < 0)
        return cuzk_json_read_fail(&r->json, "registered_proof", err, "expected the name of a PoSt proof");
    r->registered = (uint64_t)number;
    return CUZK_OK;
}

static enum cuzk_status read_api(struct reading *r, struct cuzk_error *err)
{
    char text[16];

    CUZK_TRY(cuzk_json_read_text(&r->json, "api_version", text, sizeof text, err));
    if (!cuzk_api_version_parse(text, &r->api_version))
        return cuzk_json_read_fail(&r->json, "api_version", err, "expected 1.0.0, 1.1.0 or 1.2.0");
    return CUZK_OK;
}

static enum cuzk_status make_room(struct reading *r, struct cuzk_error *err)
{
    if (r->out->count == CUZK_POST_SECTORS_MOST)
        return cuzk_json_read_fail(&r->json, "sectors", err, "expected at most %d", CUZK_POST_SECTORS_MOST);
    return CUZK_GROW(&r->out->sectors, r->out->count + 1, r->out->count, &r->room, "sectors", err);
}

static enum cuzk_status read_sector(struct reading *r, struct cuzk_error *err)
{
    struct cuzk_post_vanilla sector = {0};
    struct cuzk_json_slice key;
    uint8_t bytes[CUZK_FR_BYTES];
    unsigned seen = 0;
    bool more;

    CUZK_TRY(make_room(r, err));
    CUZK_TRY(cuzk_json_read_object(&r->json, "sectors", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(&r->json, &key, &more, err));
        if (!more)
            break;
        const unsigned bit = cuzk_json_slice_is(key, "sector_id") ? 1
                             : cuzk_json_slice_is(key, "comm_r")  ? 2
                                                                  : 0;

        if ((seen & bit) != 0)
            return cuzk_json_read_fail(&r->json, "sectors", err, "a member comes twice");
        seen |= bit;
        if (bit == 1) {
            CUZK_TRY(cuzk_json_read_u64(&r->json, "sector_id", &sector.sector_id, err));
        } else if (bit == 2) {
            CUZK_TRY(cuzk_json_read_hex(&r->json, "comm_r", bytes, sizeof bytes, err));
            if (!cuzk_fr_from_bytes(bytes, &sector.comm_r))
                return cuzk_json_read_fail(&r->json, "comm_r", err,
                                           "expected a field element below the modulus");
        } else {
            CUZK_TRY(cuzk_json_read_skip(&r->json, err));
        }
    }
    if (seen != 3)
        return cuzk_json_read_fail(&r->json, "sectors", err, "expected sector_id and comm_r of each");
    r->out->sectors[r->out->count++] = sector;
    return CUZK_OK;
}

static enum cuzk_status read_sectors(struct reading *r, struct cuzk_error *err)
{
    bool more;

    CUZK_TRY(cuzk_json_read_array(&r->json, "sectors", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_element(&r->json, &more, err));
        if (!more)
            return CUZK_OK;
        CUZK_TRY(read_sector(r, err));
    }
}

static enum cuzk_status read_partition(struct reading *r, struct cuzk_error *err)
{
    if (cuzk_json_read_kind(&r->json) == CUZK_JSON_NULL)
        return cuzk_json_read_skip(&r->json, err);
    CUZK_TRY(cuzk_json_read_u64(&r->json, "partition_index", &r->partition, err));
    if (r->partition > UINT32_MAX)
        return cuzk_json_read_fail(&r->json, "partition_index", err, "expected at most %u", UINT32_MAX);
    r->partition_known = true;
    return CUZK_OK;
}

static enum cuzk_status read_randomness(struct reading *r, struct cuzk_error *err)
{
    uint8_t bytes[CUZK_POST_RANDOMNESS_BYTES];

    CUZK_TRY(cuzk_json_read_hex(&r->json, "randomness", bytes, sizeof bytes, err));
    cuzk_post_randomness(bytes, r->out->randomness);
    return CUZK_OK;
}

static enum cuzk_status read_size(struct reading *r, struct cuzk_error *err)
{
    return cuzk_json_read_u64(&r->json, "sector_size", &r->sector_size, err);
}

static const struct {
    const char *name;
    unsigned bit;
    enum cuzk_status (*read)(struct reading *r, struct cuzk_error *err);
} members[] = {
    {"sector_size", HAS_SIZE, read_size},   {"registered_proof", HAS_REGISTERED, read_registered},
    {"api_version", HAS_API, read_api},     {"randomness", HAS_RANDOMNESS, read_randomness},
    {"sectors", HAS_SECTORS, read_sectors}, {"partition_index", HAS_PARTITION, read_partition},
};

enum { MEMBERS = sizeof members / sizeof members[0] };

static enum cuzk_status read_all(struct reading *r, struct cuzk_error *err)
{
    bool more;

    CUZK_TRY(cuzk_json_read_object(&r->json, "request", err));
    for (;;) {
        struct cuzk_json_slice key;
        size_t m = 0;

        CUZK_TRY(cuzk_json_read_member(&r->json, &key, &more, err));
        if (!more)
            return cuzk_json_read_end(&r->json, err);
        while (m < MEMBERS && !cuzk_json_slice_is(key, members[m].name))
            m++;
        if (m == MEMBERS) {
            CUZK_TRY(cuzk_json_read_skip(&r->json, err));
            continue;
        }
        if ((r->seen & members[m].bit) != 0)
            return cuzk_json_read_fail(&r->json, members[m].name, err, "comes twice");
        r->seen |= members[m].bit;
        CUZK_TRY(members[m].read(r, err));
    }
}

static enum cuzk_status derive_config(const struct reading *r, bool winning, struct cuzk_error *err)
{
    struct cuzk_post_config *config = &r->out->config;

    if (!r->registered_known) {
        if (!winning && (r->seen & HAS_API) == 0)
            return cuzk_error_set(err, CUZK_INPUT, "%s: registered_proof: needed, or api_version",
                                  r->json.what);
        if (cuzk_post_config_make(r->sector_size, winning,
                                  (r->seen & HAS_API) != 0 ? r->api_version : CUZK_API_1_0_0, config,
                                  NULL) != CUZK_OK)
            return cuzk_error_set(err, CUZK_INPUT, "%s: sector_size: no sectors of %" PRIu64 " bytes",
                                  r->json.what, r->sector_size);
        return CUZK_OK;
    }
    cuzk_post_config_registered((unsigned)r->registered, config);
    if (config->winning != winning)
        return cuzk_error_set(err, CUZK_INPUT, "%s: registered_proof: is not a %s", r->json.what,
                              winning ? "WinningPoSt" : "WindowPoSt");
    if (config->sector_size != r->sector_size)
        return cuzk_error_set(err, CUZK_INPUT,
                              "%s: sector_size: expected %" PRIu64
                              " bytes as registered_proof has, found %" PRIu64,
                              r->json.what, config->sector_size, r->sector_size);
    return CUZK_OK;
}

static int by_sector_id(const void *a, const void *b)
{
    const struct cuzk_post_vanilla *left = a, *right = b;

    return (left->sector_id > right->sector_id) - (left->sector_id < right->sector_id);
}

enum cuzk_status cuzk_post_public_take(struct cuzk_post_public *out, const char *name, uint64_t partition,
                                       struct cuzk_error *err)
{
    const size_t each = out->config.shape.sectors;

    if (out->config.winning)
        return CUZK_OK;
    out->one_partition = true;
    out->partition = (uint32_t)partition;
    if (out->count <= each)
        return CUZK_OK;
    if (partition > (out->count - 1) / each)
        return cuzk_error_set(err, CUZK_INPUT,
                              "%s: partition_index: expected at most %zu for %zu sectors, found %" PRIu64,
                              name, (out->count - 1) / each, out->count, partition);
    const size_t begin = (size_t)partition * each, left = out->count - begin;

    out->count = left < each ? left : each;
    memmove(out->sectors, out->sectors + begin, out->count * sizeof *out->sectors);
    return CUZK_OK;
}

static enum cuzk_status complete(const struct reading *r, bool winning, struct cuzk_error *err)
{
    struct cuzk_post_public *out = r->out;

    for (size_t m = 0; m < MEMBERS; m++)
        if ((members[m].bit & (HAS_SIZE | HAS_RANDOMNESS | HAS_SECTORS)) != 0 &&
            (r->seen & members[m].bit) == 0)
            return cuzk_error_set(err, CUZK_INPUT, "%s: %s: missing", r->json.what, members[m].name);
    CUZK_TRY(derive_config(r, winning, err));
    if (out->count == 0 || (winning && out->count != 1))
        return cuzk_error_set(err, CUZK_INPUT, "%s: sectors: expected %s, found %zu", r->json.what,
                              winning ? "the one that was drawn" : "at least one", out->count);
    qsort(out->sectors, out->count, sizeof *out->sectors, by_sector_id);
    for (size_t i = 1; i < out->count; i++)
        if (out->sectors[i].sector_id == out->sectors[i - 1].sector_id)
            return cuzk_error_set(err, CUZK_INPUT, "%s: sectors: sector_id: %" PRIu64 " comes twice",
                                  r->json.what, out->sectors[i].sector_id);
    return r->partition_known ? cuzk_post_public_take(out, r->json.what, r->partition, err) : CUZK_OK;
}

enum cuzk_status cuzk_post_public_decode(const char *name, const void *text, size_t length, bool winning,
                                         struct cuzk_post_public *out, struct cuzk_error *err)
{
    struct reading reading = {.out = out};
    enum cuzk_status status;

    *out = (struct cuzk_post_public){0};
    cuzk_json_read_init(&reading.json, name, text, length);
    CUZK_TRY_OUT(read_all(&reading, err));
    CUZK_TRY_OUT(complete(&reading, winning, err));
out:
    if (status != CUZK_OK)
        cuzk_post_public_destroy(out);
    return status;
}

void cuzk_post_public_destroy(struct cuzk_post_public *public_side)
{
    cuzk_mem_free(public_side->sectors);
    *public_side = (struct cuzk_post_public){0};
}

/* ---- the public side as a case ---- */

struct public_case {
    struct cuzk_case common;
    struct cuzk_fr *values; /* [partitions][inputs] */
};

static const struct cuzk_fr *public_inputs(const struct cuzk_case *that, unsigned partition)
{
    return ((const struct public_case *)that)->values + (size_t)partition * that->inputs;
}

static void public_close(struct cuzk_case *that)
{
    cuzk_mem_free(((struct public_case *)that)->values);
    cuzk_mem_free(that);
}

static const struct cuzk_case_ops public_ops = {.inputs = public_inputs, .close = public_close};

enum cuzk_status cuzk_post_open_public(const struct cuzk_post_public *public_side, struct cuzk_case **out,
                                       struct cuzk_error *err)
{
    const struct cuzk_post_config *config = &public_side->config;
    const size_t each = config->winning ? 1 : config->shape.sectors;
    const unsigned partitions = (unsigned)((public_side->count + each - 1) / each),
                   inputs = cuzk_post_input_count(config);
    enum cuzk_status status;
    struct public_case *made;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&made, 1, "PoSt to verify", err));
    made->common = (struct cuzk_case){
        .ops = &public_ops,
        .circuit = {config->winning ? CUZK_CIRCUIT_WINNING : CUZK_CIRCUIT_WPOST, config->sector_size},
        .partitions = partitions,
        .inputs = inputs};
    CUZK_TRY_OUT(CUZK_NEW(&made->values, (size_t)partitions * inputs, "public inputs", err));
    for (unsigned k = 0; k < partitions; k++) {
        const size_t begin = k * each, left = public_side->count - begin;
        const uint64_t first = public_side->one_partition ? (uint64_t)public_side->partition * each : begin;

        cuzk_post_partition(config, public_side->randomness, first, public_side->sectors + begin,
                            left < each ? left : each, NULL, made->values + (size_t)k * inputs);
    }
    *out = &made->common;
    return CUZK_OK;
out:
    public_close(&made->common);
    return status;
}

enum cuzk_status cuzk_post_public_match(const struct cuzk_post_public *public_side,
                                        const struct cuzk_post_vanilla *found, size_t count,
                                        struct cuzk_error *err)
{
    const struct cuzk_post_vanilla *wanted = public_side->sectors;

    for (size_t i = 0; i < public_side->count || i < count; i++) {
        const bool none = i >= count, extra = i >= public_side->count;

        if (none || (!extra && wanted[i].sector_id < found[i].sector_id))
            return cuzk_error_set(err, CUZK_INPUT, "sectors: no vanilla proof of sector %" PRIu64,
                                  wanted[i].sector_id);
        if (extra || found[i].sector_id < wanted[i].sector_id)
            return cuzk_error_set(err, CUZK_INPUT,
                                  "sectors: sector %" PRIu64 " of the vanilla proofs is not in the request",
                                  found[i].sector_id);
        if (!cuzk_fr_equal(&wanted[i].comm_r, &found[i].comm_r))
            return cuzk_error_set(err, CUZK_INPUT,
                                  "comm_r: that of sector %" PRIu64
                                  " in the vanilla proof is not the request's",
                                  found[i].sector_id);
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_post_public_compare(const struct cuzk_post_public *public_side,
                                          const struct cuzk_case *that, struct cuzk_error *err)
{
    size_t count;
    const struct cuzk_post_vanilla *found = cuzk_post_case_sectors(that, &count);

    return cuzk_post_public_match(public_side, found, count, err);
}
