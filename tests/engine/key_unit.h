/* A unit that real devices are tested with: the first partition of a recorded sector, and the real key of its
 * circuit. */
#ifndef CUZK_TESTS_KEY_UNIT_H
#define CUZK_TESTS_KEY_UNIT_H

#include "engine/device.h"

/* Once it is open. */
extern struct cuzk_circuit_id key_unit_circuit;

/* In the folder that CUZK_TEST_KEY names; fails where it is not there. */
const char *key_unit_params(void);

/* Group fixtures: decode sectors/porep-2k, or window-2k, and make the witness once; fail where they cannot.
 */
int key_unit_open_porep(void **state);
int key_unit_open_window(void **state);
int key_unit_close(void **state);

/* A unit with the witness. */
struct cuzk_device_unit key_unit(void);

/* Whether a proof of the unit verifies. */
bool key_unit_verifies(const uint8_t proof[CUZK_PROOF_BYTES]);

/* Loads its key. */
enum cuzk_status key_unit_load(struct cuzk_device *device, struct cuzk_error *err);

/* All stages in a slot, from SETUP to FINISH; the first failure. */
enum cuzk_status key_unit_prove(struct cuzk_device *device, unsigned slot, struct cuzk_device_unit *unit,
                                struct cuzk_error *err);

/* The same; fails the test unless the proof verifies and its time was counted. */
void key_unit_assert_proves(struct cuzk_device *device, unsigned slot);

#endif
