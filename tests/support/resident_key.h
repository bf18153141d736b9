/* Damage to a key that lies on a CUDA device, or in the page-locked memory that it streams from. */
#ifndef CUZK_TESTS_RESIDENT_KEY_H
#define CUZK_TESTS_RESIDENT_KEY_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flips one bit of the key's copy of a point: `point` counts those of the query in the order in which the key
 * holds them, `bit` is below 768 (G1) or 1536 (G2). False: CUDA refused. What is on its way to the device
 * already is not changed. */
bool resident_key_flip(struct cuzk_backend_key *key, enum cuzk_query query, uint32_t point, unsigned bit);

#ifdef __cplusplus
}
#endif

#endif
