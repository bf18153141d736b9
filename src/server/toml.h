/*
 * A TOML document as a flat list of values with their places. The parser is toml++; this is all that the rest
 * of the program sees of it.
 */
#ifndef CUZK_SERVER_TOML_H
#define CUZK_SERVER_TOML_H

#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cuzk_toml_type {
    CUZK_TOML_STRING,
    CUZK_TOML_INTEGER,
    CUZK_TOML_FLOAT,
    CUZK_TOML_BOOLEAN,
    CUZK_TOML_TIME,  /* a date or a time */
    CUZK_TOML_ARRAY, /* its elements follow, with the same key */
    CUZK_TOML_TABLE, /* named by key, its values follow; inside an array: without its values */
};

struct cuzk_toml_value {
    const char *key; /* "memory.host" */
    enum cuzk_toml_type type;
    const char
        *text; /* STRING (may hold zero bytes: length counts), INTEGER, BOOLEAN as written out; else "" */
    size_t length;
    size_t elements; /* ARRAY */
    unsigned line, column;
};

struct cuzk_toml;

/* Reads a document; values come in the order of the document. `what` names it in errors. Errors: INPUT
 * ("what:line:column: reason"; keys given twice among them), MEMORY. */
enum cuzk_status cuzk_toml_read(const char *what, const char *text, size_t length, struct cuzk_toml **out,
                                struct cuzk_error *err);

size_t cuzk_toml_count(const struct cuzk_toml *toml);

/* Valid until destroy. */
const struct cuzk_toml_value *cuzk_toml_at(const struct cuzk_toml *toml, size_t index);

void cuzk_toml_destroy(struct cuzk_toml *toml);

/* "a string", "a whole number", ... */
const char *cuzk_toml_type_name(enum cuzk_toml_type type);

#ifdef __cplusplus
}
#endif

#endif
