#include "engine/model_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fixture.h"

char *read_model_text(const char *name, size_t *length)
{
    return (char *)fixture_read(length, "../../models/%s", name);
}

void read_model(const char *name, struct cuzk_machine_model *model)
{
    struct cuzk_error err;
    size_t length;
    char *text = read_model_text(name, &length);

    if (cuzk_machine_model_read(name, text, length, model, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    free(text);
}
