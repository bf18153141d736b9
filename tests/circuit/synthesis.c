#include "circuit/synthesis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hash/sha256.h"

static void must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK)
        fail_msg("%s", err->message);
}

static void make_witness(synthesis_fn *build, void *context, const struct cuzk_witness_layout *layout,
                         bool generic, struct cuzk_witness *out)
{
    struct cuzk_error err;
    struct cuzk_cs cs;

    must(cuzk_witness_create(layout, out, &err), &err);
    cuzk_cs_witness(&cs, out, (struct cuzk_cs_counts){.inputs = 1});
    cs.generic = generic;
    build(&cs, context);
    must(cuzk_cs_finish(&cs, &err), &err);
    assert_int_equal(cs.at.inputs, layout->inputs);
    assert_int_equal(cs.at.aux, layout->aux);
    assert_int_equal(cs.at.bits, layout->bits);
    cuzk_cs_destroy(&cs);
}

void synthesis_run(synthesis_fn *build, void *context, uint32_t checkpoint_every, struct synthesis *out)
{
    struct cuzk_error err;
    struct cuzk_witness generic;
    struct cuzk_cs cs;

    must(cuzk_digest_create(checkpoint_every, &out->digest, &err), &err);
    const struct cuzk_constraint_sink sink = cuzk_digest_sink(&out->digest);
    cuzk_cs_record(&cs, &sink);
    build(&cs, context);
    must(cuzk_cs_finish(&cs, &err), &err);
    assert_int_equal(cs.depth, 0);
    cuzk_digest_finish(&out->digest);
    out->counts = cs.at;
    must(cuzk_cs_layout(&cs, &out->layout, &err), &err);
    cuzk_cs_destroy(&cs);

    make_witness(build, context, &out->layout, false, &out->witness);
    make_witness(build, context, &out->layout, true, &generic);
    const size_t wide = out->layout.aux - out->layout.bits, words = ((size_t)out->layout.bits + 63) / 64;
    assert_memory_equal(out->witness.inputs, generic.inputs, out->layout.inputs * sizeof *generic.inputs);
    for (size_t i = 0; i < words; i++)
        if (out->witness.bits[i] != generic.bits[i])
            fail_msg("direct and generic witness differ in bits %zu to %zu", 64 * i, 64 * i + 63);
    assert_int_equal(0, wide ? memcmp(out->witness.wide, generic.wide, wide * sizeof *generic.wide) : 0);
    cuzk_witness_destroy(&generic);

    cuzk_cs_check(&cs, &out->layout, &out->witness, NULL);
    build(&cs, context);
    must(cuzk_cs_finish(&cs, &err), &err);
    cuzk_cs_destroy(&cs);
}

void synthesis_free(struct synthesis *synthesis)
{
    cuzk_digest_destroy(&synthesis->digest);
    cuzk_witness_layout_destroy(&synthesis->layout);
    cuzk_witness_destroy(&synthesis->witness);
}

void synthesis_witness_digest(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                              uint8_t digest[32])
{
    enum { CHUNK = 4096 };
    static struct cuzk_fr values[CHUNK];
    static uint8_t bytes[CHUNK * CUZK_FR_BYTES];
    struct cuzk_sha256 hash;

    cuzk_sha256_init(&hash);
    for (uint32_t i = 0; i < layout->aux; i += CHUNK) {
        const uint32_t end = layout->aux - i < CHUNK ? layout->aux : i + CHUNK;
        cuzk_witness_expand(layout, witness, i, end, values);
        for (uint32_t k = 0; k < end - i; k++)
            cuzk_fr_to_bytes(&values[k], bytes + (size_t)k * CUZK_FR_BYTES);
        cuzk_sha256_update(&hash, bytes, (size_t)(end - i) * CUZK_FR_BYTES);
    }
    cuzk_sha256_final(&hash, digest);
}
