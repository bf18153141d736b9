/*
 * The secrets of a setup: whoever knows them can prove anything. Drawn, used, wiped.
 */
#ifndef CUZK_GROTH16_TOXIC_H
#define CUZK_GROTH16_TOXIC_H

#include "base/error.h"
#include "base/random.h"
#include "field/fr.h"

struct cuzk_toxic {
    struct cuzk_fr alpha, beta, gamma, delta, tau;
};

/* Draws five non-zero elements: 64 bytes each reduced mod r. From a seeded source the result is reproducible
 * and the key worthless but for tests. Errors: as cuzk_random_bytes (out is wiped then). */
enum cuzk_status cuzk_toxic_draw(struct cuzk_random *random, struct cuzk_toxic *out, struct cuzk_error *err);

/* Errors: ARGUMENT (one of the values is zero). */
enum cuzk_status cuzk_toxic_check(const struct cuzk_toxic *toxic, struct cuzk_error *err);

void cuzk_toxic_wipe(struct cuzk_toxic *toxic);

#endif
