/* Multiples of the standard generators, for keys and test values. The scalar may be a secret: every copy of
 * it is wiped. */
#ifndef CUZK_CURVE_GENERATOR_H
#define CUZK_CURVE_GENERATOR_H

#include "curve/g1.h"
#include "curve/g2.h"
#include "field/fr.h"

void cuzk_g1_generator_multiple(const struct cuzk_fr *scalar, struct cuzk_g1_affine *out);
void cuzk_g2_generator_multiple(const struct cuzk_fr *scalar, struct cuzk_g2_affine *out);

#endif
