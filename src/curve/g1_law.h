/*
 * The group law of G1 (curve/law.h over Fp): cuzk_g1_law_identity, _is_identity, _affine_is_identity,
 * _from_affine, _neg, _double, _add, _add_mixed, _equal. For kernels on host and device; other code calls
 * curve/g1.h.
 */
#ifndef CUZK_CURVE_G1_LAW_H
#define CUZK_CURVE_G1_LAW_H

#include "field/fp.h"

/* infinity: x = y = 0 */
struct cuzk_g1_affine {
    struct cuzk_fp x, y;
};

/* Jacobian; infinity: z = 0 */
struct cuzk_g1 {
    struct cuzk_fp x, y, z;
};

#define LAW_F         struct cuzk_fp
#define LAW_FIELD(op) cuzk_fp_##op
#define LAW_GROUP(op) cuzk_g1_##op
#define LAW_POINT     cuzk_g1
#define LAW_AFFINE    cuzk_g1_affine
#include "curve/law.h"
#undef LAW_F
#undef LAW_FIELD
#undef LAW_GROUP
#undef LAW_POINT
#undef LAW_AFFINE

#endif
