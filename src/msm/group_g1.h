/* Names that the engine templates use for the group they are compiled for: G1. */
#ifndef CUZK_MSM_GROUP_H
#define CUZK_MSM_GROUP_H

#include "curve/encoding.h"
#include "curve/g1.h"

#define GROUP(op) cuzk_g1_##op
#define FIELD(op) cuzk_fp_##op
#define GROUP_FP2 0 /* whether coordinates are in Fp2 */

typedef struct cuzk_g1 group_point;
typedef struct cuzk_g1_affine group_affine;
typedef struct cuzk_fp group_field;

enum { GROUP_RAW_BYTES = CUZK_G1_RAW_BYTES, GROUP_DEGREE = 1 /* of the coordinates over Fp */ };

#endif
