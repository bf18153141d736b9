/* Witnesses compared with those of the reference (witness.json of fixtures/sectors and fixtures/synthetic).
 * Each fails the running test where anything differs. */
#ifndef CUZK_TESTS_WITNESS_FIXTURE_H
#define CUZK_TESTS_WITNESS_FIXTURE_H

#include "r1cs/witness.h"
#include "support/fixture.h"

/* Counts, public inputs and every aux value, through digest and checkpoints. */
void witness_fixture_compare(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                             struct fixture_json expected);

#endif
