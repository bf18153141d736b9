/* The verifying key of a circuit from its toxic waste: what every form of parameters begins with. */
#ifndef CUZK_GROTH16_VK_SETUP_H
#define CUZK_GROTH16_VK_SETUP_H

#include "backend/backend.h"
#include "groth16/qap.h"
#include "groth16/toxic.h"
#include "groth16/vk.h"

/* qap: at the waste's tau, of a circuit with so many inputs (the constant one counted); gamma_inverse: 1 over
 * the waste's gamma; table: of the backend, for the generator of G1. Errors: INPUT (a public input vanishes
 * in the key: it could not be bound), MEMORY, the backend's own. *out may hold points then: cuzk_vk_destroy
 * it. */
enum cuzk_status cuzk_vk_setup(struct cuzk_backend *backend, struct cuzk_backend_table *table,
                               const struct cuzk_qap *qap, const struct cuzk_toxic *toxic,
                               const struct cuzk_fr *gamma_inverse, uint32_t inputs, struct cuzk_vk *out,
                               struct cuzk_error *err);

#endif
