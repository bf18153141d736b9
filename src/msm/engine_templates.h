/* All templates of an engine, after a group header and a lane header. */
#ifndef CUZK_MSM_ENGINE_TEMPLATES_H
#define CUZK_MSM_ENGINE_TEMPLATES_H

#include "msm/digits.h"
#include "msm/engine.h"

#include "msm/batch_affine.h"

#include "msm/buckets.h"

#include "msm/reduce.h"

#include "msm/pippenger.h"

#include "msm/multiples.h"

#include "msm/lists.h"

#endif
