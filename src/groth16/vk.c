#include "groth16/vk.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static enum cuzk_status read_g1(struct cuzk_bytes *bytes, const char *field, struct cuzk_g1_affine *out,
                                struct cuzk_error *err)
{
    const uint64_t offset = bytes->position;
    struct cuzk_error reason = {0};
    const uint8_t *at;

    CUZK_TRY(cuzk_bytes_take(bytes, field, CUZK_G1_RAW_BYTES, &at, err));
    if (cuzk_g1_decode_raw(at, out, &reason) != CUZK_OK)
        return cuzk_bytes_fail(bytes, field, offset, err, "%s", reason.message);
    return CUZK_OK;
}

static enum cuzk_status read_g2(struct cuzk_bytes *bytes, const char *field, struct cuzk_g2_affine *out,
                                struct cuzk_error *err)
{
    const uint64_t offset = bytes->position;
    struct cuzk_error reason = {0};
    const uint8_t *at;

    CUZK_TRY(cuzk_bytes_take(bytes, field, CUZK_G2_RAW_BYTES, &at, err));
    if (cuzk_g2_decode_raw(at, out, &reason) != CUZK_OK)
        return cuzk_bytes_fail(bytes, field, offset, err, "%s", reason.message);
    return CUZK_OK;
}

static enum cuzk_status read_ic(struct cuzk_bytes *bytes, struct cuzk_vk *vk, struct cuzk_error *err)
{
    const uint8_t *points;
    uint32_t count;

    CUZK_TRY(cuzk_bytes_u32be(bytes, "count of ic", &count, err));
    /* length first: a hostile count must not allocate */
    CUZK_TRY(cuzk_bytes_take_array(bytes, "ic", count, CUZK_G1_RAW_BYTES, &points, err));
    bytes->position -= (uint64_t)count * CUZK_G1_RAW_BYTES;
    CUZK_TRY(CUZK_NEW(&vk->ic, count, "ic points of the verifying key", err));
    vk->ic_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t offset = bytes->position;
        char field[32];

        snprintf(field, sizeof field, "ic[%u]", i);
        CUZK_TRY(read_g1(bytes, field, &vk->ic[i], err));
        if (cuzk_g1_affine_is_identity(&vk->ic[i]))
            return cuzk_bytes_fail(bytes, field, offset, err, "point at infinity");
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_vk_decode(struct cuzk_bytes *bytes, struct cuzk_vk *out, struct cuzk_error *err)
{
    enum cuzk_status status;

    *out = (struct cuzk_vk){0};
    CUZK_TRY_OUT(read_g1(bytes, "alpha_g1", &out->alpha_g1, err));
    CUZK_TRY_OUT(read_g1(bytes, "beta_g1", &out->beta_g1, err));
    CUZK_TRY_OUT(read_g2(bytes, "beta_g2", &out->beta_g2, err));
    CUZK_TRY_OUT(read_g2(bytes, "gamma_g2", &out->gamma_g2, err));
    CUZK_TRY_OUT(read_g1(bytes, "delta_g1", &out->delta_g1, err));
    CUZK_TRY_OUT(read_g2(bytes, "delta_g2", &out->delta_g2, err));
    CUZK_TRY_OUT(read_ic(bytes, out, err));
out:
    if (status != CUZK_OK)
        cuzk_vk_destroy(out);
    return status;
}

size_t cuzk_vk_encoded_size(const struct cuzk_vk *vk)
{
    return CUZK_VK_HEAD_BYTES + (size_t)vk->ic_count * CUZK_G1_RAW_BYTES;
}

void cuzk_vk_encode(const struct cuzk_vk *vk, uint8_t *bytes)
{
    cuzk_g1_encode_raw(&vk->alpha_g1, bytes);
    cuzk_g1_encode_raw(&vk->beta_g1, bytes + 96);
    cuzk_g2_encode_raw(&vk->beta_g2, bytes + 192);
    cuzk_g2_encode_raw(&vk->gamma_g2, bytes + 384);
    cuzk_g1_encode_raw(&vk->delta_g1, bytes + 576);
    cuzk_g2_encode_raw(&vk->delta_g2, bytes + 672);
    cuzk_store_u32be(vk->ic_count, bytes + 864);
    for (size_t i = 0; i < vk->ic_count; i++)
        cuzk_g1_encode_raw(&vk->ic[i], bytes + CUZK_VK_HEAD_BYTES + i * CUZK_G1_RAW_BYTES);
}

enum cuzk_status cuzk_vk_write(const struct cuzk_vk *vk, struct cuzk_sink sink, struct cuzk_error *err)
{
    const size_t size = cuzk_vk_encoded_size(vk);
    uint8_t *bytes;

    CUZK_TRY(CUZK_NEW(&bytes, size, "verifying key", err));
    cuzk_vk_encode(vk, bytes);
    const enum cuzk_status status = sink.write(sink.context, bytes, size, err);

    cuzk_mem_free(bytes);
    return status;
}

void cuzk_vk_destroy(struct cuzk_vk *vk)
{
    if (vk == NULL)
        return;
    cuzk_mem_free(vk->ic);
    *vk = (struct cuzk_vk){0};
}
