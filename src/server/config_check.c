/* What a configuration says: as text, compared with another, and whether it makes sense as a whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/null_spec.h"
#include "server/address.h"
#include "server/config.h"
#include "srs/circuit_id.h"

enum { VALUE_ROOM = 1024, KEY_ROOM = 96 };

/* A string of TOML, cut where the room ends. */
static size_t quote(const char *from, char *text, size_t room)
{
    size_t used = 0;

    text[used++] = '"';
    for (; *from != '\0' && used + 8 < room; from++) {
        const unsigned char byte = (unsigned char)*from;

        if (byte == '"' || byte == '\\') {
            text[used++] = '\\';
            text[used++] = *from;
        } else if (byte < 0x20 || byte == 0x7f) {
            used += (size_t)snprintf(text + used, room - used, "\\u%04X", byte);
        } else {
            text[used++] = *from;
        }
    }
    text[used++] = '"';
    text[used] = '\0';
    return used;
}

static void format_list(const struct cuzk_option_list *list, char *text, size_t room)
{
    size_t used = 0;

    text[used++] = '[';
    for (size_t i = 0; i < list->count && used + 16 < room; i++) {
        if (i > 0) {
            text[used++] = ',';
            text[used++] = ' ';
        }
        used += quote(list->items[i], text + used, room - used - 4);
    }
    text[used++] = ']';
    text[used] = '\0';
}

void cuzk_config_format(const struct cuzk_config *config, const struct cuzk_option *row, char *text,
                        size_t room)
{
    const void *slot = (const char *)&config->values + row->offset;
    const struct cuzk_option_number *number = slot;
    char size[32];

    text[0] = '\0';
    switch (row->type) {
    case CUZK_OPTION_STRING:
    case CUZK_OPTION_CHOICE:
        if (*(const char *const *)slot != NULL)
            quote(*(const char *const *)slot, text, room);
        break;
    case CUZK_OPTION_NUMBER:
        if (number->set)
            snprintf(text, room, "%llu", (unsigned long long)number->value);
        break;
    case CUZK_OPTION_SIZE:
        cuzk_option_format_size(number->value, size, sizeof size);
        if (number->set)
            snprintf(text, room, "\"%s\"", size);
        break;
    case CUZK_OPTION_DURATION:
        cuzk_option_format_duration(number->value, size, sizeof size);
        if (number->set)
            snprintf(text, room, "\"%s\"", size);
        break;
    case CUZK_OPTION_LIST:
        if (((const struct cuzk_option_list *)slot)->count > 0)
            format_list(slot, text, room);
        break;
    case CUZK_OPTION_FLAG:
    case CUZK_OPTION_SWITCH:
        snprintf(text, room, "%s", *(const bool *)slot ? "true" : "false");
        break;
    case CUZK_OPTION_HEX32: /* no row has one */
        break;
    }
}

void cuzk_config_compare(const struct cuzk_config *old, const struct cuzk_config *fresh,
                         void (*each)(void *context, const char *key, const char *before, const char *after,
                                      bool reload),
                         void *context)
{
    size_t count;
    const struct cuzk_option *rows = cuzk_config_rows(&count);
    char before[VALUE_ROOM], after[VALUE_ROOM], key[KEY_ROOM];

    for (size_t i = 0; i < count; i++) {
        if (rows[i].key == NULL)
            continue;
        cuzk_config_format(old, &rows[i], before, sizeof before);
        cuzk_config_format(fresh, &rows[i], after, sizeof after);
        if (strcmp(before, after) != 0)
            each(context, rows[i].key, before, after, rows[i].reload);
    }
    for (size_t i = 0; i < CUZK_KNOBS; i++) {
        if (old->knobs.value[i] == fresh->knobs.value[i])
            continue;
        snprintf(key, sizeof key, "knobs.%s", cuzk_knob_row((enum cuzk_knob)i)->name);
        cuzk_knob_format((enum cuzk_knob)i, old->knobs.value[i], before, sizeof before);
        cuzk_knob_format((enum cuzk_knob)i, fresh->knobs.value[i], after, sizeof after);
        each(context, key, before, after, false);
    }
}

enum cuzk_status cuzk_config_blame(const struct cuzk_config *config, const char *key, struct cuzk_error *err)
{
    size_t count;
    const struct cuzk_option *rows = cuzk_config_rows(&count);
    const size_t path = config->path != NULL ? strlen(config->path) : 0;

    for (size_t i = 0; i < count; i++) {
        const char *source = config->source[i];

        if (rows[i].key == NULL || strcmp(rows[i].key, key) != 0 || strcmp(source, "default") == 0)
            continue;
        const bool in_file = path > 0 && strncmp(source, config->path, path) == 0 && source[path] == ':';

        return cuzk_error_prefix(err, in_file ? CUZK_INPUT : CUZK_ARGUMENT, "%s", source);
    }
    return CUZK_ARGUMENT;
}

static enum cuzk_status check_tls(const struct cuzk_config_values *values, struct cuzk_error *err)
{
    if ((values->tls_certificate != NULL) != (values->tls_key != NULL))
        return cuzk_error_set(err, CUZK_ARGUMENT, "tls: certificate and key are given together");
    if (values->tls_client_ca != NULL && values->tls_certificate == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "tls.client_ca: needs certificate and key");
    return CUZK_OK;
}

/* The one of the three that is given. */
static const char *tls_key(const struct cuzk_config_values *values)
{
    return values->tls_certificate != NULL ? "tls.certificate"
           : values->tls_key != NULL       ? "tls.key"
                                           : "tls.client_ca";
}

static enum cuzk_status check_grpc(const struct cuzk_config_values *values, struct cuzk_error *err)
{
    const bool tls = values->tls_certificate != NULL && values->tls_key != NULL;
    struct cuzk_address address;

    for (size_t i = 0; i < values->grpc.count; i++) {
        CUZK_TRY(cuzk_address_parse("listen.grpc", values->grpc.items[i], &address, err));
        if (!address.local && !address.loopback && (!tls || values->tls_client_ca == NULL))
            return cuzk_error_set(err, CUZK_ARGUMENT,
                                  "listen.grpc: %s is beyond the loopback: it needs tls.certificate, tls.key "
                                  "and tls.client_ca",
                                  values->grpc.items[i]);
    }
    return CUZK_OK;
}

static enum cuzk_status check_http(const struct cuzk_config_values *values, struct cuzk_error *err)
{
    struct cuzk_address address;

    if (strcmp(values->http, "off") == 0)
        return CUZK_OK;
    CUZK_TRY(cuzk_address_parse("listen.http", values->http, &address, err));
    if (!address.loopback)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "listen.http: %s is not on the loopback; put a proxy with TLS before it",
                              values->http);
    return CUZK_OK;
}

static enum cuzk_status check_devices(const struct cuzk_config_values *values, struct cuzk_error *err)
{
    for (size_t i = 0; i < values->devices.count; i++) {
        const char *name = values->devices.items[i];
        struct cuzk_device_null null;

        if (cuzk_null_spec_is(name))
            CUZK_TRY(cuzk_null_spec_parse("engine.devices", name, &null, err));
        else if (strcmp(name, "auto") != 0 && strcmp(name, "cpu") != 0 && strcmp(name, "cuda") != 0 &&
                 strncmp(name, "cuda:", 5) != 0)
            return cuzk_error_set(
                err, CUZK_ARGUMENT,
                "engine.devices: expected auto, cpu, cuda, cuda:ORDINAL, cuda:UUID or null, "
                "found '%s'",
                name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(name, values->devices.items[k]) == 0 && !cuzk_null_spec_is(name))
                return cuzk_error_set(err, CUZK_ARGUMENT, "engine.devices: %s is there twice", name);
    }
    return CUZK_OK;
}

static enum cuzk_status check_mode(const struct cuzk_config_values *values, struct cuzk_error *err)
{
    const char *mode = values->socket_mode;

    if (strspn(mode, "01234567") != strlen(mode) || strlen(mode) < 3 || strlen(mode) > 4 ||
        strtoul(mode, NULL, 8) > 0777)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "listen.socket_mode: expected three octal digits, found '%s'", mode);
    return CUZK_OK;
}

static enum cuzk_status check_preload(const struct cuzk_config_values *values, struct cuzk_error *err)
{
    struct cuzk_circuit_id id;

    for (size_t i = 0; i < values->preload.count; i++) {
        const enum cuzk_status status = cuzk_circuit_id_parse(values->preload.items[i], &id, err);

        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "engine.preload");
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_config_check(const struct cuzk_config *config, struct cuzk_error *err)
{
    static const struct {
        const char *key; /* whose value is to blame */
        enum cuzk_status (*check)(const struct cuzk_config_values *values, struct cuzk_error *err);
    } checks[] = {
        {"tls.certificate", check_tls},    {"listen.grpc", check_grpc},
        {"listen.http", check_http},       {"listen.socket_mode", check_mode},
        {"engine.devices", check_devices}, {"engine.preload", check_preload},
    };

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].check(&config->values, err) != CUZK_OK)
            return cuzk_config_blame(
                config, checks[i].check == check_tls ? tls_key(&config->values) : checks[i].key, err);
    return CUZK_OK;
}
