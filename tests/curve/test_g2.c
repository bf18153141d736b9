/* G2: group law, subgroup test, encoding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "curve/encoding.h"
#include "curve/g2.h"
#include "field/fr.h"
#include "support/random.h"

#define F         struct cuzk_fp2
#define FIELD(op) cuzk_fp2_##op
#define GROUP(op) cuzk_g2_##op
#define POINT     cuzk_g2
#define AFFINE    cuzk_g2_affine
#define BYTES     CUZK_G2_BYTES
#define RAW_BYTES CUZK_G2_RAW_BYTES

/* order of the curve over r */
static const uint64_t cofactor[] = {UINT64_C(0xcf1c38e31c7238e5), UINT64_C(0x1616ec6e786f0c70),
                                    UINT64_C(0x21537e293a6691ae), UINT64_C(0xa628f1cb4d9e82ef),
                                    UINT64_C(0xa68a205b2e5a7ddf), UINT64_C(0xcd91de4547085aba),
                                    UINT64_C(0x091d50792876a202), UINT64_C(0x05d543a95414e7f1)};

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
    draw_fp(&out->c0);
    draw_fp(&out->c1);
}
