#include "server/config_facts.h"

#include <stdio.h>
#include <string.h>

#include "backend/cuda/cuda.h"
#include "engine/null_spec.h"

void cuzk_config_backend(const struct cuzk_config *config, char *text, size_t room)
{
    const struct cuzk_option_list *devices = &config->values.devices;
    const char *first = devices->count > 0 ? devices->items[0] : "auto";
    int count = 0;

    if (cuzk_null_spec_is(first))
        snprintf(text, room, "null");
    else if (strncmp(first, "cuda", 4) == 0 ||
             (strcmp(first, "auto") == 0 && cuzk_cuda_device_count(&count, NULL) == CUZK_OK && count > 0))
        snprintf(text, room, "cuda");
    else
        snprintf(text, room, "cpu");
}
