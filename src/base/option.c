#include "base/option.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

const struct cuzk_option *cuzk_option_find(const struct cuzk_option *options, size_t count, const char *name,
                                           size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

/* Whole decimal digits at the start of text; *end is where they stop. False where there are none or too many.
 */
static bool parse_digits(const char *text, uint64_t *out, const char **end)
{
    uint64_t value = 0;

    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    *out = value;
    *end = text;
    return true;
}

static const struct {
    const char *suffix;
    unsigned shift;
} units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};

enum { UNITS = sizeof units / sizeof units[0] };

enum cuzk_status cuzk_option_parse_size(const char *where, const char *text, uint64_t *out,
                                        struct cuzk_error *err)
{
    const char *end;
    uint64_t value;

    if (parse_digits(text, &value, &end)) {
        if (*end == '\0' || strcmp(end, "B") == 0) {
            *out = value;
            return CUZK_OK;
        }
        for (size_t i = 0; i < UNITS; i++) {
            if (strcmp(end, units[i].suffix) == 0 && value <= UINT64_MAX >> units[i].shift) {
                *out = value << units[i].shift;
                return CUZK_OK;
            }
        }
    }
    return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected a size such as 2KiB, 32GiB or 2048, found '%s'",
                          where, text);
}

void cuzk_option_format_size(uint64_t bytes, char *text, size_t room)
{
    for (size_t i = UNITS; i-- > 0;) {
        const uint64_t unit = UINT64_C(1) << units[i].shift;

        if (bytes >= unit && bytes % unit == 0) {
            snprintf(text, room, "%" PRIu64 "%s", bytes / unit, units[i].suffix);
            return;
        }
    }
    snprintf(text, room, "%" PRIu64, bytes);
}

static const struct {
    const char *suffix;
    uint64_t milliseconds;
} spans[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

enum { SPANS = sizeof spans / sizeof spans[0] };

enum cuzk_status cuzk_option_parse_duration(const char *where, const char *text, uint64_t *out,
                                            struct cuzk_error *err)
{
    const char *end;
    uint64_t value;

    if (parse_digits(text, &value, &end))
        for (size_t i = 0; i < SPANS; i++)
            if (strcmp(end, spans[i].suffix) == 0 && value <= UINT64_MAX / spans[i].milliseconds) {
                *out = value * spans[i].milliseconds;
                return CUZK_OK;
            }
    return cuzk_error_set(err, CUZK_ARGUMENT,
                          "%s: expected a duration such as 250ms, 30s, 5m, 2h or 1d, found '%s'", where,
                          text);
}

void cuzk_option_format_duration(uint64_t milliseconds, char *text, size_t room)
{
    size_t i = SPANS - 1;

    while (i > 0 && (milliseconds == 0 || milliseconds % spans[i].milliseconds != 0))
        i--;
    snprintf(text, room, "%" PRIu64 "%s", milliseconds / spans[i].milliseconds, spans[i].suffix);
}

static bool parse_switch(const char *text, bool *out)
{
    static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0) {
            *out = i % 2 == 1;
            return true;
        }
    return false;
}

static bool is_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);

    while (*choices != '\0') {
        const size_t length = strcspn(choices, "|");

        if (length == n && memcmp(choices, text, n) == 0)
            return true;
        choices += length;
        choices += *choices == '|';
    }
    return false;
}

static void format_number(const struct cuzk_option *option, uint64_t value, char *text, size_t room)
{
    if (option->type == CUZK_OPTION_SIZE)
        cuzk_option_format_size(value, text, room);
    else if (option->type == CUZK_OPTION_DURATION)
        cuzk_option_format_duration(value, text, room);
    else
        snprintf(text, room, "%" PRIu64, value);
}

static enum cuzk_status set_number(const struct cuzk_option *option, struct cuzk_option_number *number,
                                   const char *where, const char *text, struct cuzk_error *err)
{
    const char *end;

    if (option->type == CUZK_OPTION_SIZE)
        CUZK_TRY(cuzk_option_parse_size(where, text, &number->value, err));
    else if (option->type == CUZK_OPTION_DURATION)
        CUZK_TRY(cuzk_option_parse_duration(where, text, &number->value, err));
    else if (!parse_digits(text, &number->value, &end) || *end != '\0')
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected a whole number, found '%s'", where, text);
    if (number->value < option->min || (option->max != 0 && number->value > option->max)) {
        char least[24], most[24];

        format_number(option, option->min, least, sizeof least);
        if (option->max == 0)
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected %s or more, found %s", where, least,
                                  text);
        format_number(option, option->max, most, sizeof most);
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected %s to %s, found %s", where, least, most,
                              text);
    }
    number->set = true;
    return CUZK_OK;
}

enum cuzk_status cuzk_option_set(const struct cuzk_option *option, void *values, const char *where,
                                 const char *text, struct cuzk_error *err)
{
    void *slot = (char *)values + option->offset;

    switch (option->type) {
    case CUZK_OPTION_FLAG:
        *(bool *)slot = true;
        return CUZK_OK;
    case CUZK_OPTION_CHOICE:
        if (!is_choice(option->choices, text))
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected one of %s, found '%s'", where,
                                  option->choices, text);
        *(const char **)slot = text;
        return CUZK_OK;
    case CUZK_OPTION_STRING:
        *(const char **)slot = text;
        return CUZK_OK;
    case CUZK_OPTION_NUMBER:
    case CUZK_OPTION_SIZE:
    case CUZK_OPTION_DURATION:
        return set_number(option, slot, where, text, err);
    case CUZK_OPTION_SWITCH:
        if (!parse_switch(text, slot))
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected true or false, found '%s'", where, text);
        return CUZK_OK;
    case CUZK_OPTION_HEX32: {
        struct cuzk_option_hex32 *hex = slot;

        if (cuzk_hex_decode(where, text, strlen(text), hex->bytes, sizeof hex->bytes, err) != CUZK_OK)
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected 64 hex digits, found '%s'", where, text);
        hex->set = true;
        return CUZK_OK;
    }
    case CUZK_OPTION_LIST: {
        struct cuzk_option_list *list = slot;

        if (list->count == CUZK_OPTION_LIST_ROOM)
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: given more than %d times", where,
                                  CUZK_OPTION_LIST_ROOM);
        list->items[list->count++] = text;
        return CUZK_OK;
    }
    }
    return cuzk_error_set(err, CUZK_INTERNAL, "%s: unknown option type", where);
}

unsigned cuzk_option_distance(const char *one, const char *other)
{
    enum { ROOM = 64 };
    unsigned row[ROOM];
    const size_t n = strnlen(one, ROOM - 1), m = strnlen(other, ROOM - 1);

    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            const unsigned above = row[j];
            unsigned best = diagonal + (one[i - 1] != other[j - 1]);

            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[m];
}

const struct cuzk_option *cuzk_option_nearest(const struct cuzk_option *options, size_t count,
                                              const char *typed)
{
    const struct cuzk_option *nearest = NULL;
    unsigned best = 4; /* further away is no typing error */

    for (size_t i = 0; i < count; i++) {
        const unsigned distance = cuzk_option_distance(typed, options[i].name);

        if (distance < best) {
            best = distance;
            nearest = &options[i];
        }
    }
    return nearest;
}

static enum cuzk_status unknown_option(const struct cuzk_option *options, size_t count, const char *argument,
                                       struct cuzk_error *err)
{
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    const struct cuzk_option *nearest = cuzk_option_nearest(options, count, name);

    if (nearest != NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--%s: unknown option; did you mean --%s?", name,
                              nearest->name);
    return cuzk_error_set(err, CUZK_ARGUMENT, "--%s: unknown option", name);
}

static enum cuzk_status apply_defaults(const struct cuzk_option *options, size_t count, void *values,
                                       struct cuzk_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (options[i].deferred)
            continue;
        const char *set = options[i].environment != NULL ? getenv(options[i].environment) : NULL;

        if (options[i].fallback != NULL)
            CUZK_TRY(cuzk_option_set(&options[i], values, options[i].name, options[i].fallback, err));
        if (set != NULL && *set != '\0')
            CUZK_TRY(cuzk_option_set(&options[i], values, options[i].environment, set, err));
    }
    return CUZK_OK;
}

enum { NAME_ROOM = 128 };

static enum cuzk_status note(const struct cuzk_option *option, void *values, const char *text,
                             struct cuzk_error *err)
{
    void *slot = (char *)values + option->offset;
    struct cuzk_option_given *given = slot;

    if (given->count == CUZK_OPTION_GIVEN_ROOM)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--%s: more than %d options", option->name,
                              CUZK_OPTION_GIVEN_ROOM);
    given->items[given->count].name = option->name;
    given->items[given->count++].text = text;
    return CUZK_OK;
}

/* Takes the option at argv[*at], its value with it. */
static enum cuzk_status take_option(const struct cuzk_option *options, size_t count, int argc,
                                    const char *const *argv, int *at, bool *given, void *values,
                                    struct cuzk_error *err)
{
    const char *argument = argv[*at];
    const char *name = argument + 2, *equals = strchr(name, '=');
    const size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct cuzk_option *option = cuzk_option_find(options, count, name, length);
    const char *text = equals != NULL ? equals + 1 : NULL;
    char where[NAME_ROOM];

    if (option == NULL)
        return unknown_option(options, count, argument, err);
    snprintf(where, sizeof where, "--%s", option->name);
    if (option->type == CUZK_OPTION_FLAG) {
        if (text != NULL)
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: takes no value", where);
    } else if (text == NULL) {
        if (*at + 1 >= argc)
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: needs a value (%s)", where, option->placeholder);
        text = argv[++*at];
    }
    if (given[option - options] && option->type != CUZK_OPTION_LIST && option->type != CUZK_OPTION_FLAG)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: given twice", where);
    given[option - options] = true;
    if (option->deferred)
        return note(option, values, text, err);
    return cuzk_option_set(option, values, where, text, err);
}

enum cuzk_status cuzk_option_parse(const struct cuzk_option *options, size_t count, int argc,
                                   const char *const *argv, void *values, const char **positional,
                                   size_t room, size_t *positionals, struct cuzk_error *err)
{
    enum { OPTIONS_ROOM = 96 };
    bool given[OPTIONS_ROOM] = {false};
    bool only_positional = false;

    *positionals = 0;
    if (count > OPTIONS_ROOM)
        return cuzk_error_set(err, CUZK_INTERNAL, "option table of %zu rows, expected at most %d", count,
                              OPTIONS_ROOM);
    CUZK_TRY(apply_defaults(options, count, values, err));
    for (int i = 0; i < argc; i++) {
        if (!only_positional && strcmp(argv[i], "--") == 0) {
            only_positional = true;
        } else if (!only_positional && strncmp(argv[i], "--", 2) == 0) {
            CUZK_TRY(take_option(options, count, argc, argv, &i, given, values, err));
        } else if (!only_positional && argv[i][0] == '-' && argv[i][1] != '\0') {
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: unknown option; options begin with two dashes",
                                  argv[i]);
        } else if (*positionals == room) {
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: unexpected argument", argv[i]);
        } else {
            positional[(*positionals)++] = argv[i];
        }
    }
    for (size_t i = 0; i < count; i++)
        if (options[i].required && !given[i])
            return cuzk_error_set(err, CUZK_ARGUMENT, "--%s %s: is required", options[i].name,
                                  options[i].placeholder);
    return CUZK_OK;
}
