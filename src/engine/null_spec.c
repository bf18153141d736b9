#include "engine/null_spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/option.h"

enum { WORD_ROOM = 64, LIST_ROOM = 256 };

bool cuzk_null_spec_is(const char *text)
{
    return strncmp(text, "null", 4) == 0 && (text[4] == '\0' || text[4] == ':');
}

/* Nanoseconds: durations of base/option.h, and microseconds. */
static enum cuzk_status parse_time(const char *where, const char *text, uint64_t *ns, struct cuzk_error *err)
{
    const size_t digits = strspn(text, "0123456789");
    uint64_t value = 0;

    if (digits > 0 && digits <= 12 && strcmp(text + digits, "us") == 0) {
        for (size_t i = 0; i < digits; i++)
            value = 10 * value + (uint64_t)(text[i] - '0');
        *ns = value * 1000;
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_option_parse_duration(where, text, &value, err));
    if (value > UINT64_MAX / CUZK_NS_PER_MS)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: '%s' is too long", where, text);
    *ns = value * CUZK_NS_PER_MS;
    return CUZK_OK;
}

static enum cuzk_status parse_count(const char *where, const char *text, uint64_t most, uint64_t *out,
                                    struct cuzk_error *err)
{
    const size_t digits = strspn(text, "0123456789");

    *out = 0;
    for (size_t i = 0; i < digits && digits <= 18; i++)
        *out = 10 * *out + (uint64_t)(text[i] - '0');
    if (digits == 0 || digits > 18 || text[digits] != '\0' || *out > most)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected a whole number up to %" PRIu64 ", found '%s'",
                              where, most, text);
    return CUZK_OK;
}

static enum cuzk_status unknown(const char *where, const char *word, struct cuzk_error *err)
{
    char list[LIST_ROOM] = "";
    size_t used = 0;

    for (unsigned stage = 0; stage < CUZK_STAGES && used < sizeof list; stage++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s, ",
                                 cuzk_sched_stage_name((enum cuzk_sched_stage)stage));
    return cuzk_error_set(
        err, CUZK_ARGUMENT,
        "%s: unknown '%s'; there are %sload, memory, unit, key, fail_every, lost_every, wrong_every "
        "and seed",
        where, word, list);
}

static enum cuzk_status take(const char *where, const char *word, const char *value,
                             struct cuzk_device_null *out, struct cuzk_error *err)
{
    const struct {
        const char *name;
        uint32_t *slot;
    } counts[] = {{"fail_every", &out->fail_every},
                  {"lost_every", &out->lost_every},
                  {"wrong_every", &out->wrong_every}};
    uint64_t number;

    for (unsigned stage = 0; stage < CUZK_STAGES; stage++)
        if (strcmp(word, cuzk_sched_stage_name((enum cuzk_sched_stage)stage)) == 0)
            return parse_time(where, value, &out->stage_ns[stage], err);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (strcmp(word, counts[i].name) == 0) {
            CUZK_TRY(parse_count(where, value, UINT32_MAX, &number, err));
            *counts[i].slot = (uint32_t)number;
            return CUZK_OK;
        }
    if (strcmp(word, "load") == 0)
        return parse_time(where, value, &out->load_ns, err);
    if (strcmp(word, "memory") == 0)
        return cuzk_option_parse_size(where, value, &out->memory, err);
    if (strcmp(word, "unit") == 0)
        return cuzk_option_parse_size(where, value, &out->need.unit_device, err);
    if (strcmp(word, "key") == 0)
        return cuzk_option_parse_size(where, value, &out->need.key_device, err);
    if (strcmp(word, "seed") == 0)
        return parse_count(where, value, UINT64_MAX, &out->seed, err);
    return unknown(where, word, err);
}

enum cuzk_status cuzk_null_spec_parse(const char *where, const char *text, struct cuzk_device_null *out,
                                      struct cuzk_error *err)
{
    memset(out, 0, sizeof *out);
    if (!cuzk_null_spec_is(text))
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected null or null:STAGE=TIME, found '%s'", where,
                              text);
    for (text += 4; *text == ':';) {
        char word[WORD_ROOM], place[2 * WORD_ROOM + 16];
        const size_t length = strcspn(++text, ":"), name = strcspn(text, "=:");

        if (length >= sizeof word || text[name] != '=')
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected STAGE=TIME, found '%.*s'", where,
                                  (int)(length < 60 ? length : 60), text);
        memcpy(word, text, length);
        word[length] = '\0';
        word[name] = '\0';
        snprintf(place, sizeof place, "%.60s: %s", where, word);
        CUZK_TRY(take(place, word, word + name + 1, out, err));
        text += length;
    }
    return CUZK_OK;
}
