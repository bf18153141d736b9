/* Digests a PoRep circuit and compares it with fixtures/circuits. */
#ifndef CUZK_TESTS_POREP_FIXTURE_H
#define CUZK_TESTS_POREP_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* The whole circuit of a sector size, or with `checkpoints` only its first so many checkpoints. Fails the
 * running test where anything differs. */
void porep_fixture_compare(uint64_t sector_size, size_t checkpoints);

#endif
