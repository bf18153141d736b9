/* Circuits compared with fixtures/circuits. Each fails the running test where anything differs. */
#ifndef CUZK_TESTS_CIRCUIT_FIXTURE_H
#define CUZK_TESTS_CIRCUIT_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "circuit/circuit.h"

void circuit_fixture_open(enum cuzk_circuit_kind kind, uint64_t sector_size, struct cuzk_circuit *out);

/* Digest, checkpoints and sizes of a whole circuit, or with `checkpoints` only its first so many checkpoints.
 */
void circuit_fixture_compare(enum cuzk_circuit_kind kind, uint64_t sector_size, size_t checkpoints);

/* The same of the compact system (circuit/record.h), its copies written out; and its densities. */
void circuit_fixture_compare_compact(enum cuzk_circuit_kind kind, uint64_t sector_size);

/* The dense checkpoints of the 2 KiB circuit. */
void circuit_fixture_compare_fine(enum cuzk_circuit_kind kind, unsigned every);

/* The namespaces of the 2 KiB circuit. */
void circuit_fixture_compare_tree(enum cuzk_circuit_kind kind);

#endif
