#include "cli/shipped_model.h"

#include <string.h>

/* Made from models/ when this is built. */
extern const unsigned char cli_model_threadripper_5070ti[], cli_model_threadripper_5070ti_published[],
    cli_model_h200[];
extern const unsigned long cli_model_threadripper_5070ti_length,
    cli_model_threadripper_5070ti_published_length, cli_model_h200_length;

static const struct cli_shipped_model models[] = {
    {"historical",
     {"models/threadripper-5070ti.json", cli_model_threadripper_5070ti,
      &cli_model_threadripper_5070ti_length},
     {"models/threadripper-5070ti.published.json", cli_model_threadripper_5070ti_published,
      &cli_model_threadripper_5070ti_published_length}},
    {"h200", {"models/h200.json", cli_model_h200, &cli_model_h200_length}, {NULL, NULL, NULL}},
};

const struct cli_shipped_model *cli_shipped_model_find(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}
