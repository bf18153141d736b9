/* Parameters for tests, made by the program ($CUZK_PROGRAM). */
#ifndef CUZK_TESTS_ENGINE_MADE_PARAMETERS_H
#define CUZK_TESTS_ENGINE_MADE_PARAMETERS_H

/* Of a circuit ("winning-2k") into a folder; 0, or -1 where that failed. */
int made_parameters(const char *circuit, const char *folder);

#endif
