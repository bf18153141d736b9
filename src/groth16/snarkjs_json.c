#include "groth16/snarkjs_json.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "groth16/decimal.h"
#include "groth16/proof.h"

static const char curve_name[] = "bls12381";

/* ---- writing ---- */

static void write_fp(struct cuzk_json_writer *json, const struct cuzk_fp *value)
{
    char text[CUZK_DECIMAL_DIGITS];
    uint64_t words[CUZK_FP_LIMBS];

    cuzk_fp_to_words(value, words);
    cuzk_decimal_encode(words, text);
    cuzk_json_write_string(json, text);
}

static void write_fp2(struct cuzk_json_writer *json, const struct cuzk_fp2 *value)
{
    cuzk_json_write_array_begin(json);
    write_fp(json, &value->c0);
    write_fp(json, &value->c1);
    cuzk_json_write_array_end(json);
}

static void write_g1(struct cuzk_json_writer *json, const struct cuzk_g1_affine *point)
{
    const bool infinity = cuzk_g1_affine_is_identity(point);
    struct cuzk_fp one;

    cuzk_fp_one(&one);
    cuzk_json_write_array_begin(json);
    write_fp(json, &point->x);
    write_fp(json, infinity ? &one : &point->y);
    cuzk_json_write_string(json, infinity ? "0" : "1");
    cuzk_json_write_array_end(json);
}

static void write_g2(struct cuzk_json_writer *json, const struct cuzk_g2_affine *point)
{
    const bool infinity = cuzk_g2_affine_is_identity(point);
    struct cuzk_fp2 zero, one;

    cuzk_fp_zero(&zero.c0);
    cuzk_fp_zero(&zero.c1);
    one = zero;
    cuzk_fp_one(&one.c0);
    cuzk_json_write_array_begin(json);
    write_fp2(json, &point->x);
    write_fp2(json, infinity ? &one : &point->y);
    write_fp2(json, infinity ? &zero : &one);
    cuzk_json_write_array_end(json);
}

static void write_head(struct cuzk_json_writer *json)
{
    cuzk_json_write_member_string(json, "protocol", "groth16");
    cuzk_json_write_member_string(json, "curve", curve_name);
}

enum cuzk_status cuzk_snarkjs_vkey_write(const struct cuzk_vk *vk, struct cuzk_sink sink,
                                         struct cuzk_error *err)
{
    struct cuzk_json_writer json;

    cuzk_json_write_init(&json, sink, true, err);
    cuzk_json_write_object_begin(&json);
    write_head(&json);
    cuzk_json_write_member_u64(&json, "nPublic", vk->ic_count - 1);
    cuzk_json_write_key(&json, "vk_alpha_1");
    write_g1(&json, &vk->alpha_g1);
    cuzk_json_write_key(&json, "vk_beta_2");
    write_g2(&json, &vk->beta_g2);
    cuzk_json_write_key(&json, "vk_gamma_2");
    write_g2(&json, &vk->gamma_g2);
    cuzk_json_write_key(&json, "vk_delta_2");
    write_g2(&json, &vk->delta_g2);
    cuzk_json_write_key(&json, "IC");
    cuzk_json_write_array_begin(&json);
    for (uint32_t k = 0; k < vk->ic_count; k++)
        write_g1(&json, &vk->ic[k]);
    cuzk_json_write_array_end(&json);
    cuzk_json_write_object_end(&json);
    return cuzk_json_write_finish(&json);
}

enum cuzk_status cuzk_snarkjs_proof_write(const uint8_t bytes[CUZK_PROOF_BYTES], struct cuzk_sink sink,
                                          struct cuzk_error *err)
{
    struct cuzk_json_writer json;
    struct cuzk_proof proof;

    CUZK_TRY(cuzk_proof_decode(bytes, &proof, err));
    cuzk_json_write_init(&json, sink, true, err);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_key(&json, "pi_a");
    write_g1(&json, &proof.a);
    cuzk_json_write_key(&json, "pi_b");
    write_g2(&json, &proof.b);
    cuzk_json_write_key(&json, "pi_c");
    write_g1(&json, &proof.c);
    write_head(&json);
    cuzk_json_write_object_end(&json);
    return cuzk_json_write_finish(&json);
}

enum cuzk_status cuzk_snarkjs_public_write(const struct cuzk_fr *inputs, size_t count, struct cuzk_sink sink,
                                           struct cuzk_error *err)
{
    struct cuzk_json_writer json;

    cuzk_json_write_init(&json, sink, true, err);
    cuzk_json_write_array_begin(&json);
    for (size_t k = 0; k < count; k++) {
        char text[CUZK_DECIMAL_DIGITS];
        uint64_t words[CUZK_DECIMAL_LIMBS] = {0};
        cuzk_fr_to_words(&inputs[k], words);
        cuzk_decimal_encode(words, text);
        cuzk_json_write_string(&json, text);
    }
    cuzk_json_write_array_end(&json);
    return cuzk_json_write_finish(&json);
}

/* ---- reading ---- */

/* A string of digits, or a bare number. */
static enum cuzk_status read_number(struct cuzk_json_document *json, const char *field,
                                    uint64_t words[CUZK_DECIMAL_LIMBS], struct cuzk_error *err)
{
    struct cuzk_json_slice text;

    if (cuzk_json_read_kind(json) == CUZK_JSON_NUMBER)
        CUZK_TRY(cuzk_json_read_number(json, field, &text, err));
    else
        CUZK_TRY(cuzk_json_read_string(json, field, &text, err));
    if (!cuzk_decimal_decode(text.text, text.length, words))
        return cuzk_json_read_fail(json, field, err, "expected decimal digits of a number below 2^384");
    return CUZK_OK;
}

/* out: a struct cuzk_fp */
static enum cuzk_status read_fp(struct cuzk_json_document *json, const char *field, void *out,
                                struct cuzk_error *err)
{
    uint64_t words[CUZK_DECIMAL_LIMBS];

    CUZK_TRY(read_number(json, field, words, err));
    if (!cuzk_fp_words_are_reduced(words))
        return cuzk_json_read_fail(json, field, err, "expected a number below p");
    cuzk_fp_from_words(words, out);
    return CUZK_OK;
}

static enum cuzk_status expect_element(struct cuzk_json_document *json, const char *field, bool wanted,
                                       struct cuzk_error *err)
{
    bool more;

    CUZK_TRY(cuzk_json_read_element(json, &more, err));
    if (more != wanted)
        return cuzk_json_read_fail(json, field, err, wanted ? "too few elements" : "too many elements");
    return CUZK_OK;
}

/* out: a struct cuzk_fp2 */
static enum cuzk_status read_fp2(struct cuzk_json_document *json, const char *field, void *out,
                                 struct cuzk_error *err)
{
    struct cuzk_fp2 *value = out;

    CUZK_TRY(cuzk_json_read_array(json, field, err));
    CUZK_TRY(expect_element(json, field, true, err));
    CUZK_TRY(read_fp(json, field, &value->c0, err));
    CUZK_TRY(expect_element(json, field, true, err));
    CUZK_TRY(read_fp(json, field, &value->c1, err));
    return expect_element(json, field, false, err);
}

/* [x, y, z] of coordinates that `read` reads, each of its own type. */
static enum cuzk_status read_coordinates(struct cuzk_json_document *json, const char *field,
                                         enum cuzk_status (*read)(struct cuzk_json_document *json,
                                                                  const char *field, void *out,
                                                                  struct cuzk_error *err),
                                         void *const out[3], struct cuzk_error *err)
{
    CUZK_TRY(cuzk_json_read_array(json, field, err));
    for (int i = 0; i < 3; i++) {
        CUZK_TRY(expect_element(json, field, true, err));
        CUZK_TRY(read(json, field, out[i], err));
    }
    return expect_element(json, field, false, err);
}

static enum cuzk_status judge_point(struct cuzk_json_document *json, const char *field, bool affine,
                                    bool on_curve, bool in_subgroup, struct cuzk_error *err)
{
    if (!affine)
        return cuzk_json_read_fail(json, field, err, "expected an affine point (third coordinate 1)");
    if (!on_curve)
        return cuzk_json_read_fail(json, field, err, "the point is not on the curve");
    if (!in_subgroup)
        return cuzk_json_read_fail(json, field, err, "the point is not in the subgroup of order r");
    return CUZK_OK;
}

static enum cuzk_status read_g1(struct cuzk_json_document *json, const char *field,
                                struct cuzk_g1_affine *out, struct cuzk_error *err)
{
    struct cuzk_fp z, one;

    CUZK_TRY(read_coordinates(json, field, read_fp, (void *[]){&out->x, &out->y, &z}, err));
    cuzk_fp_one(&one);
    const bool on_curve = cuzk_g1_is_on_curve(out);

    return judge_point(json, field, cuzk_fp_equal(&z, &one), on_curve, on_curve && cuzk_g1_in_subgroup(out),
                       err);
}

static enum cuzk_status read_g2(struct cuzk_json_document *json, const char *field,
                                struct cuzk_g2_affine *out, struct cuzk_error *err)
{
    struct cuzk_fp2 z;
    struct cuzk_fp one;

    CUZK_TRY(read_coordinates(json, field, read_fp2, (void *[]){&out->x, &out->y, &z}, err));
    cuzk_fp_one(&one);
    const bool on_curve = cuzk_g2_is_on_curve(out);

    return judge_point(json, field, cuzk_fp_equal(&z.c0, &one) && cuzk_fp_is_zero(&z.c1), on_curve,
                       on_curve && cuzk_g2_in_subgroup(out), err);
}

static enum cuzk_status read_name(struct cuzk_json_document *json, const char *field, const char *wanted,
                                  struct cuzk_error *err)
{
    struct cuzk_json_slice text;

    CUZK_TRY(cuzk_json_read_string(json, field, &text, err));
    if (!cuzk_json_slice_is(text, wanted))
        return cuzk_json_read_fail(json, field, err, "expected \"%s\", found \"%.*s\"", wanted,
                                   (int)(text.length < 40 ? text.length : 40), text.text);
    return CUZK_OK;
}

static enum cuzk_status read_ic(struct cuzk_json_document *json, struct cuzk_vk *out, struct cuzk_error *err)
{
    size_t capacity = 0;
    bool more;

    cuzk_mem_free(out->ic);
    out->ic = NULL;
    out->ic_count = 0;
    CUZK_TRY(cuzk_json_read_array(json, "IC", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_element(json, &more, err));
        if (!more)
            return CUZK_OK;
        CUZK_TRY(CUZK_GROW(&out->ic, out->ic_count + 1, out->ic_count, &capacity, "input points", err));
        CUZK_TRY(read_g1(json, "IC", &out->ic[out->ic_count], err));
        out->ic_count++;
    }
}

static const char *const head[] = {"protocol", "curve"}, *const head_values[] = {"groth16", curve_name};
enum { HEAD = sizeof head / sizeof *head, MEMBERS_MOST = 8 };

static size_t find(const char *const *names, size_t count, struct cuzk_json_slice key)
{
    size_t k = 0;

    while (k < count && !cuzk_json_slice_is(key, names[k]))
        k++;
    return k;
}

/* An object with the head, and with members `names`, all of which must be there, each once or more: `read`
 * reads number k of them into out. Others are passed over. Nothing may follow. */
static enum cuzk_status
read_members(struct cuzk_json_document *json, const char *what, const char *const *names, size_t count,
             enum cuzk_status (*read)(struct cuzk_json_document *json, const char *name, size_t k, void *out,
                                      struct cuzk_error *err),
             void *out, struct cuzk_error *err)
{
    bool seen_head[HEAD + 1] = {false}, seen[MEMBERS_MOST + 1] = {false}, more;
    struct cuzk_json_slice key;

    CUZK_TRY(cuzk_json_read_object(json, what, err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(json, &key, &more, err));
        if (!more)
            break;
        const size_t h = find(head, HEAD, key), k = find(names, count, key);

        seen_head[h] = seen[k] = true;
        if (h < HEAD)
            CUZK_TRY(read_name(json, head[h], head_values[h], err));
        else
            CUZK_TRY(k < count ? read(json, names[k], k, out, err) : cuzk_json_read_skip(json, err));
    }
    CUZK_TRY(cuzk_json_read_end(json, err));
    for (size_t h = 0; h < HEAD; h++)
        if (!seen_head[h])
            return cuzk_json_read_fail(json, head[h], err, "missing");
    for (size_t k = 0; k < count; k++)
        if (!seen[k])
            return cuzk_json_read_fail(json, names[k], err, "missing");
    return CUZK_OK;
}

/* A key, and what it says of its length. */
struct vkey {
    struct cuzk_vk *vk;
    uint64_t public_inputs;
};

static enum cuzk_status read_vkey_member(struct cuzk_json_document *json, const char *name, size_t k,
                                         void *out, struct cuzk_error *err)
{
    struct vkey *vkey = out;

    switch (k) {
    case 0:
        return cuzk_json_read_u64(json, name, &vkey->public_inputs, err);
    case 1:
        return read_g1(json, name, &vkey->vk->alpha_g1, err);
    case 2:
        return read_g2(json, name, &vkey->vk->beta_g2, err);
    case 3:
        return read_g2(json, name, &vkey->vk->gamma_g2, err);
    case 4:
        return read_g2(json, name, &vkey->vk->delta_g2, err);
    default:
        return read_ic(json, vkey->vk, err);
    }
}

static enum cuzk_status read_vkey(struct cuzk_json_document *json, struct cuzk_vk *out,
                                  struct cuzk_error *err)
{
    static const char *const names[] = {"nPublic",    "vk_alpha_1", "vk_beta_2",
                                        "vk_gamma_2", "vk_delta_2", "IC"};
    struct vkey vkey = {.vk = out};

    CUZK_TRY(read_members(json, "verification key", names, sizeof names / sizeof *names, read_vkey_member,
                          &vkey, err));
    if (out->ic_count == 0 || vkey.public_inputs != out->ic_count - 1)
        return cuzk_json_read_fail(json, "IC", err, "expected nPublic + 1 = %llu points, found %u",
                                   (unsigned long long)vkey.public_inputs + 1, out->ic_count);
    return CUZK_OK;
}

enum cuzk_status cuzk_snarkjs_vkey_read(const char *name, const void *text, size_t length,
                                        struct cuzk_vk *out, struct cuzk_error *err)
{
    struct cuzk_json_document json;

    *out = (struct cuzk_vk){0};
    cuzk_json_read_init(&json, name, text, length);
    const enum cuzk_status status = read_vkey(&json, out, err);
    if (status != CUZK_OK)
        cuzk_vk_destroy(out);
    return status;
}

static enum cuzk_status read_proof_member(struct cuzk_json_document *json, const char *name, size_t k,
                                          void *out, struct cuzk_error *err)
{
    struct cuzk_proof *proof = out;

    switch (k) {
    case 0:
        return read_g1(json, name, &proof->a, err);
    case 1:
        return read_g2(json, name, &proof->b, err);
    default:
        return read_g1(json, name, &proof->c, err);
    }
}

enum cuzk_status cuzk_snarkjs_proof_read(const char *name, const void *text, size_t length,
                                         uint8_t bytes[CUZK_PROOF_BYTES], struct cuzk_error *err)
{
    static const char *const names[] = {"pi_a", "pi_b", "pi_c"};
    struct cuzk_json_document json;
    struct cuzk_proof proof;

    cuzk_json_read_init(&json, name, text, length);
    CUZK_TRY(
        read_members(&json, "proof", names, sizeof names / sizeof *names, read_proof_member, &proof, err));
    cuzk_proof_encode(&proof, bytes);
    return CUZK_OK;
}

static enum cuzk_status read_public(struct cuzk_json_document *json, struct cuzk_fr **out, size_t *count,
                                    struct cuzk_error *err)
{
    size_t capacity = 0;
    bool more;

    CUZK_TRY(cuzk_json_read_array(json, "public signals", err));
    for (;;) {
        uint64_t words[CUZK_DECIMAL_LIMBS];
        CUZK_TRY(cuzk_json_read_element(json, &more, err));
        if (!more)
            return cuzk_json_read_end(json, err);
        CUZK_TRY(CUZK_GROW(out, *count + 1, *count, &capacity, "public signals", err));
        CUZK_TRY(read_number(json, "public signal", words, err));
        if (words[4] != 0 || words[5] != 0 || !cuzk_fr_words_are_reduced(words))
            return cuzk_json_read_fail(json, "public signal", err, "number %zu is not below r", *count);
        cuzk_fr_from_words(words, &(*out)[(*count)++]);
    }
}

enum cuzk_status cuzk_snarkjs_public_read(const char *name, const void *text, size_t length,
                                          struct cuzk_fr **out, size_t *count, struct cuzk_error *err)
{
    struct cuzk_json_document json;

    *out = NULL;
    *count = 0;
    cuzk_json_read_init(&json, name, text, length);
    const enum cuzk_status status = read_public(&json, out, count, err);
    if (status != CUZK_OK) {
        cuzk_mem_free(*out);
        *out = NULL;
        *count = 0;
    }
    return status;
}
