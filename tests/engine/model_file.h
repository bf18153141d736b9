/* Machine models of models/ for tests. A missing or broken file fails the running test. */
#ifndef CUZK_TESTS_MODEL_FILE_H
#define CUZK_TESTS_MODEL_FILE_H

#include <stddef.h>

#include "engine/machine.h"

/* Text of models/NAME, zero-terminated; free() it. */
char *read_model_text(const char *name, size_t *length);
void read_model(const char *name, struct cuzk_machine_model *model);

#endif
