/* The unit that real devices are tested with: the partition of the 2 KiB fixture, and its key. */
#ifndef CUZK_TESTS_POREP_UNIT_H
#define CUZK_TESTS_POREP_UNIT_H

#include "engine/device.h"

extern const struct cuzk_circuit_id porep_unit_circuit;

/* Of the test key (CUZK_TEST_KEY); fails where it is not there. */
const char *porep_unit_params(void);

/* Decodes the fixture and makes the witness once; fails the test where it cannot. */
void porep_unit_open(void);
void porep_unit_close(void);

/* A unit with the witness. */
struct cuzk_device_unit porep_unit(void);

/* Whether a proof of the unit verifies. */
bool porep_unit_verifies(const uint8_t proof[CUZK_PROOF_BYTES]);

/* All stages in a slot, from SETUP to FINISH; the first failure. */
enum cuzk_status porep_unit_prove(struct cuzk_device *device, unsigned slot, struct cuzk_device_unit *unit,
                                  struct cuzk_error *err);

#endif
