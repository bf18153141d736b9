#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/child_program.h"

const char *child_program(void)
{
    const char *program = getenv("CUZK_CHILD");

    if (program == NULL) {
        fprintf(stderr, "CUZK_CHILD is not set: run this by ctest, or name the program test_device_child\n");
        skip();
    }
    return program;
}
