#include "engine/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"

enum { DIGITS_MOST = 32 };

static const struct field {
    const char *name;
    size_t offset;
    double least, most;
} fields[] = {
#define X(field, least, most, meaning) {#field, offsetof(struct cuzk_machine_model, field), least, most},
    CUZK_MACHINE_MAP(X)
#undef X
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

/* A JSON number's digits as a number; false where they are none of the range. */
static bool parse_number(const char *text, size_t length, const struct field *field, double *out)
{
    char copy[DIGITS_MOST + 1];
    char *end;

    if (length == 0 || length > DIGITS_MOST || strspn(text, "0123456789+-.eE") < length)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out = strtod(copy, &end);
    return *end == '\0' && *out >= field->least && *out <= field->most;
}

static enum cuzk_status read_field(struct cuzk_json_document *reader, struct cuzk_json_slice key,
                                   struct cuzk_machine_model *out, bool seen[FIELDS], struct cuzk_error *err)
{
    struct cuzk_json_slice number;

    for (size_t i = 0; i < FIELDS; i++) {
        if (!cuzk_json_slice_is(key, fields[i].name))
            continue;
        if (seen[i])
            return cuzk_json_read_fail(reader, fields[i].name, err, "found a second time");
        seen[i] = true;
        CUZK_TRY(cuzk_json_read_number(reader, fields[i].name, &number, err));
        if (!parse_number(number.text, number.length, &fields[i], (double *)((char *)out + fields[i].offset)))
            return cuzk_json_read_fail(reader, fields[i].name, err, "expected %g to %g, found %.*s",
                                       fields[i].least, fields[i].most,
                                       (int)(number.length < 40 ? number.length : 40), number.text);
        return CUZK_OK;
    }
    return cuzk_json_read_fail(reader, "model", err, "unknown field '%.*s'",
                               (int)(key.length < 40 ? key.length : 40), key.text);
}

enum cuzk_status cuzk_machine_model_read(const char *what, const void *text, size_t length,
                                         struct cuzk_machine_model *out, struct cuzk_error *err)
{
    struct cuzk_json_document reader;
    struct cuzk_json_slice key;
    bool seen[FIELDS] = {false}, more;

    memset(out, 0, sizeof *out);
    cuzk_json_read_init(&reader, what, text, length);
    CUZK_TRY(cuzk_json_read_object(&reader, "model", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(&reader, &key, &more, err));
        if (!more)
            break;
        if (cuzk_json_slice_is(key, "name"))
            CUZK_TRY(cuzk_json_read_text(&reader, "name", out->name, sizeof out->name, err));
        else if (cuzk_json_slice_is(key, "note"))
            CUZK_TRY(cuzk_json_read_text(&reader, "note", out->note, sizeof out->note, err));
        else
            CUZK_TRY(read_field(&reader, key, out, seen, err));
    }
    CUZK_TRY(cuzk_json_read_end(&reader, err));
    for (size_t i = 0; i < FIELDS; i++)
        if (!seen[i])
            return cuzk_json_read_fail(&reader, fields[i].name, err, "missing");
    return CUZK_OK;
}

enum cuzk_status cuzk_machine_model_set(struct cuzk_machine_model *model, const char *assignment,
                                        struct cuzk_error *err)
{
    const size_t length = strcspn(assignment, "=");
    char list[CUZK_ERROR_TEXT] = "";
    size_t used = 0;

    for (size_t i = 0; i < FIELDS; i++) {
        double value;

        if (strlen(fields[i].name) == length && memcmp(fields[i].name, assignment, length) == 0) {
            const char *number = assignment[length] == '=' ? assignment + length + 1 : "";

            if (!parse_number(number, strlen(number), &fields[i], &value))
                return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected %g to %g, found '%s'", fields[i].name,
                                      fields[i].least, fields[i].most, number);
            *(double *)((char *)model + fields[i].offset) = value;
            return CUZK_OK;
        }
        if (used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", fields[i].name);
    }
    return cuzk_error_set(err, CUZK_ARGUMENT, "model: unknown number '%.*s'; there are %s", (int)length,
                          assignment, list);
}
