/* G1: group law, subgroup test, encoding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "curve/encoding.h"
#include "curve/g1.h"
#include "field/fr.h"
#include "support/random.h"

#define F         struct cuzk_fp
#define FIELD(op) cuzk_fp_##op
#define GROUP(op) cuzk_g1_##op
#define POINT     cuzk_g1
#define AFFINE    cuzk_g1_affine
#define BYTES     CUZK_G1_BYTES
#define RAW_BYTES CUZK_G1_RAW_BYTES

/* order of the curve over r */
static const uint64_t cofactor[] = {UINT64_C(0x8c00aaab0000aaab), UINT64_C(0x396c8c005555e156)};

static void draw_x(F *out);

#include "group_tests.h"

static void draw_fp(struct cuzk_fp *out)
{
    uint8_t bytes[CUZK_FP_BYTES];

    do {
        test_random_bytes(&rng, bytes, sizeof bytes);
        bytes[0] &= 0x1f;
    } while (!cuzk_fp_from_bytes(bytes, out));
}

static void draw_x(F *out)
{
    draw_fp(out);
}
