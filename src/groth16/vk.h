/*
 * The verifying key of a Groth16 circuit, and its file form: a .vk file, which is also how a .params file
 * begins.
 *
 * Layout, all points uncompressed big-endian (curve/encoding.h): alpha G1 at 0, beta G1 at 96, beta G2 at
 * 192, gamma G2 at 384, delta G1 at 576, delta G2 at 672, u32 big-endian count of ic at 864, ic G1[count]
 * from 868. ic[0] belongs to the constant one, ic[i] to public input i - 1.
 */
#ifndef CUZK_GROTH16_VK_H
#define CUZK_GROTH16_VK_H

#include "base/bytes.h"
#include "base/sink.h"
#include "curve/encoding.h"

enum { CUZK_VK_HEAD_BYTES = 868 }; /* up to ic[0] */

struct cuzk_vk {
    struct cuzk_g1_affine alpha_g1, beta_g1, delta_g1;
    struct cuzk_g2_affine beta_g2, gamma_g2, delta_g2;
    uint32_t ic_count;         /* public inputs, plus one */
    struct cuzk_g1_affine *ic; /* owned; base/mem.h */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a key at the cursor and moves it behind; what follows is the caller's business (cuzk_bytes_end for a
 * lone .vk file). Every point is checked to be on its curve and in its subgroup; infinity is refused in ic
 * and let pass elsewhere, as the reference does (no proof verifies then). The stated count allocates nothing
 * before the bytes are known to be there.
 * Errors: INPUT, MEMORY; *out is zero then. Free with cuzk_vk_destroy. */
enum cuzk_status cuzk_vk_decode(struct cuzk_bytes *bytes, struct cuzk_vk *out, struct cuzk_error *err);

/* Bytes of the encoded key. */
size_t cuzk_vk_encoded_size(const struct cuzk_vk *vk);

/* Writes cuzk_vk_encoded_size(vk) bytes. */
void cuzk_vk_encode(const struct cuzk_vk *vk, uint8_t *bytes);

/* The same to a sink, in one call. Errors: MEMORY, the sink's own. */
enum cuzk_status cuzk_vk_write(const struct cuzk_vk *vk, struct cuzk_sink sink, struct cuzk_error *err);

/* Frees what the key owns and zeroes it; NULL and a zeroed key are fine. */
void cuzk_vk_destroy(struct cuzk_vk *vk);

#ifdef __cplusplus
}
#endif

#endif
