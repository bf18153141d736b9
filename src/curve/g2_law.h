/*
 * The group law of G2 (curve/law.h over Fp2): cuzk_g2_law_identity, _is_identity, _affine_is_identity,
 * _from_affine, _neg, _double, _add, _add_mixed, _equal. For kernels on host and device; other code calls
 * curve/g2.h.
 */
#ifndef CUZK_CURVE_G2_LAW_H
#define CUZK_CURVE_G2_LAW_H

#include "field/fp2.h"

/* infinity: x = y = 0 */
struct cuzk_g2_affine {
    struct cuzk_fp2 x, y;
};

/* Jacobian; infinity: z = 0 */
struct cuzk_g2 {
    struct cuzk_fp2 x, y, z;
};

#define LAW_F         struct cuzk_fp2
#define LAW_FIELD(op) cuzk_fp2_##op
#define LAW_GROUP(op) cuzk_g2_##op
#define LAW_POINT     cuzk_g2
#define LAW_AFFINE    cuzk_g2_affine
#include "curve/law.h"
#undef LAW_F
#undef LAW_FIELD
#undef LAW_GROUP
#undef LAW_POINT
#undef LAW_AFFINE

#endif
