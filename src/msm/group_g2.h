/* Names that the engine templates use for the group they are compiled for: G2. */
#ifndef CUZK_MSM_GROUP_H
#define CUZK_MSM_GROUP_H

#include "curve/encoding.h"
#include "curve/g2.h"

#define GROUP(op) cuzk_g2_##op
#define FIELD(op) cuzk_fp2_##op
#define GROUP_FP2 1 /* whether coordinates are in Fp2 */

typedef struct cuzk_g2 group_point;
typedef struct cuzk_g2_affine group_affine;
typedef struct cuzk_fp2 group_field;

enum { GROUP_RAW_BYTES = CUZK_G2_RAW_BYTES, GROUP_DEGREE = 2 /* of the coordinates over Fp */ };

#endif
