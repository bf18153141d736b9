#include "server/descriptors.h"

#include <stdio.h>
#include <string.h>

/* Made from proto/ at build time (tools/embed.py). */
extern const unsigned char cuzk_descriptors[];
extern const unsigned long cuzk_descriptors_length;

enum { NAME_ROOM = 256 };

/* What descriptors are made of (google/protobuf/descriptor.proto): which fields hold what. */
enum entity { ENTITY_FILE, ENTITY_MESSAGE, ENTITY_ENUM, ENTITY_SERVICE, ENTITY_LEAF };

static const struct child {
    enum entity parent;
    uint32_t field;
    enum entity entity;
} children[] = {
    {ENTITY_FILE, 4, ENTITY_MESSAGE}, {ENTITY_FILE, 5, ENTITY_ENUM},    {ENTITY_FILE, 6, ENTITY_SERVICE},
    {ENTITY_FILE, 7, ENTITY_LEAF},    {ENTITY_MESSAGE, 2, ENTITY_LEAF}, {ENTITY_MESSAGE, 3, ENTITY_MESSAGE},
    {ENTITY_MESSAGE, 4, ENTITY_ENUM}, {ENTITY_MESSAGE, 6, ENTITY_LEAF}, {ENTITY_MESSAGE, 8, ENTITY_LEAF},
    {ENTITY_ENUM, 2, ENTITY_LEAF},    {ENTITY_SERVICE, 2, ENTITY_LEAF},
};

/* The program's own bytes are well-formed: a failure ends a walk early. */
static bool next(struct cuzk_protowire *wire, struct cuzk_protowire_field *field)
{
    bool more;

    return cuzk_protowire_next(wire, field, &more, NULL) == CUZK_OK && more;
}

static void find_text(struct cuzk_protowire wire, uint32_t number, char text[NAME_ROOM])
{
    struct cuzk_protowire_field field;

    text[0] = '\0';
    while (next(&wire, &field))
        if (field.number == number && field.type == CUZK_WIRE_BYTES && field.value < NAME_ROOM) {
            cuzk_protowire_copy(&field, text);
            text[field.value] = '\0';
            return;
        }
}

static void join(const char *scope, const char *name, char out[NAME_ROOM])
{
    if (snprintf(out, NAME_ROOM, "%s%s%s", scope, scope[0] != '\0' ? "." : "", name) >= NAME_ROOM)
        out[0] = '\0'; /* no name of ours is as long */
}

static const struct child *child_of(enum entity parent, uint32_t field)
{
    for (size_t i = 0; i < sizeof children / sizeof children[0]; i++)
        if (children[i].parent == parent && children[i].field == field)
            return &children[i];
    return NULL;
}

/* Whether an entity below `parent`, whose names begin with `scope`, is called `symbol`. */
static bool defines(struct cuzk_protowire wire, enum entity parent, const char *scope, const char *symbol)
{
    struct cuzk_protowire_field field;
    char name[NAME_ROOM], full[NAME_ROOM];

    while (next(&wire, &field)) {
        const struct child *child = child_of(parent, field.number);

        if (child == NULL || field.type != CUZK_WIRE_BYTES)
            continue;
        find_text(field.content, 1, name);
        join(scope, name, full);
        if (strcmp(full, symbol) == 0)
            return true;
        /* values of an enum are its siblings, as in C */
        if (child->entity != ENTITY_LEAF &&
            defines(field.content, child->entity, child->entity == ENTITY_ENUM ? scope : full, symbol))
            return true;
    }
    return false;
}

/* Walks the files of the set; `at` begins as a cursor over it. */
static bool next_file(struct cuzk_protowire *at, struct cuzk_descriptor_file *out)
{
    struct cuzk_protowire_field field;
    size_t used;

    while (next(at, &field))
        if (field.number == 1 && cuzk_protowire_blob(&field, &out->bytes, 1, &used, NULL) == CUZK_OK &&
            used == 1)
            return true;
    return false;
}

static struct cuzk_protowire over(const struct cuzk_request_part *part)
{
    struct cuzk_protowire wire;

    cuzk_protowire_init(&wire, "descriptors", part, 1);
    return wire;
}

bool cuzk_descriptors_file(const char *name, struct cuzk_descriptor_file *out)
{
    const struct cuzk_request_part all = {cuzk_descriptors, cuzk_descriptors_length};
    struct cuzk_protowire at = over(&all);
    char own[NAME_ROOM];

    while (next_file(&at, out)) {
        find_text(over(&out->bytes), 1, own);
        if (strcmp(own, name) == 0)
            return true;
    }
    return false;
}

bool cuzk_descriptors_symbol(const char *symbol, struct cuzk_descriptor_file *out)
{
    const struct cuzk_request_part all = {cuzk_descriptors, cuzk_descriptors_length};
    struct cuzk_protowire at = over(&all);
    char package[NAME_ROOM];

    while (next_file(&at, out)) {
        find_text(over(&out->bytes), 2, package);
        if (defines(over(&out->bytes), ENTITY_FILE, package, symbol))
            return true;
    }
    return false;
}

void cuzk_descriptors_services(void (*each)(void *context, const char *name), void *context)
{
    const struct cuzk_request_part all = {cuzk_descriptors, cuzk_descriptors_length};
    struct cuzk_protowire at = over(&all);
    struct cuzk_descriptor_file file;
    struct cuzk_protowire_field field;
    char package[NAME_ROOM], name[NAME_ROOM], full[NAME_ROOM];

    while (next_file(&at, &file)) {
        struct cuzk_protowire wire = over(&file.bytes);

        find_text(wire, 2, package);
        while (next(&wire, &field))
            if (field.number == 6 && field.type == CUZK_WIRE_BYTES) {
                find_text(field.content, 1, name);
                join(package, name, full);
                each(context, full);
            }
    }
}
