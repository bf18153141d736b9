/* Machine models that are built in (models/ of the sources), by name. */
#ifndef CUZK_CLI_SHIPPED_MODEL_H
#define CUZK_CLI_SHIPPED_MODEL_H

#include <stddef.h>

struct cli_shipped_text {
    const char *name; /* of its file in the sources, for messages */
    const unsigned char *bytes;
    const unsigned long *length;
};

struct cli_shipped_model {
    const char *name; /* "historical", "h200" */
    struct cli_shipped_text model;
    struct cli_shipped_text published; /* figures of that machine; bytes is NULL where there are none */
};

/* NULL: no model has that name. */
const struct cli_shipped_model *cli_shipped_model_find(const char *name);

#endif
