/* The program that devices in a child process of their own run in tests (child_main.c): ctest names it. */
#ifndef CUZK_TESTS_ENGINE_CHILD_PROGRAM_H
#define CUZK_TESTS_ENGINE_CHILD_PROGRAM_H

/* $CUZK_CHILD; a test that is run without it is skipped, and says so. */
const char *child_program(void);

#endif
