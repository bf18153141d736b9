/*
 * The zcash encoding of points (draft-irtf-cfrg-pairing-friendly-curves, appendix C), read strictly.
 *
 * Coordinates are big-endian, 48 bytes each; in Fp2 c1 comes before c0. Compressed: x alone. Raw
 * (uncompressed): x, y. The top three bits of byte 0 are flags: 0x80 compressed, 0x40 infinity (all other
 * bits zero), 0x20 y is the larger root (compressed points only).
 *
 * Decoding refuses with INPUT: a wrong compression flag, an infinity with other bits set, a sign flag on an
 * uncompressed point, a coordinate not below p, and points off the curve or outside the subgroup of order r.
 * Infinity is decoded; whoever cannot use it refuses it. The message says what is wrong but not where:
 * callers put field and offset before it (cuzk_error_prefix). On failure out is infinity. Thread-safe.
 */
#ifndef CUZK_CURVE_ENCODING_H
#define CUZK_CURVE_ENCODING_H

#include "base/error.h"
#include "curve/g1.h"
#include "curve/g2.h"

enum {
    CUZK_G1_BYTES = 48,      /* compressed */
    CUZK_G2_BYTES = 96,      /* compressed */
    CUZK_G1_RAW_BYTES = 96,  /* uncompressed */
    CUZK_G2_RAW_BYTES = 192, /* uncompressed */
};

#ifdef __cplusplus
extern "C" {
#endif

void cuzk_g1_encode(const struct cuzk_g1_affine *a, uint8_t bytes[CUZK_G1_BYTES]);
void cuzk_g2_encode(const struct cuzk_g2_affine *a, uint8_t bytes[CUZK_G2_BYTES]);
void cuzk_g1_encode_raw(const struct cuzk_g1_affine *a, uint8_t bytes[CUZK_G1_RAW_BYTES]);
void cuzk_g2_encode_raw(const struct cuzk_g2_affine *a, uint8_t bytes[CUZK_G2_RAW_BYTES]);

enum cuzk_status cuzk_g1_decode(const uint8_t bytes[CUZK_G1_BYTES], struct cuzk_g1_affine *out,
                                struct cuzk_error *err);
enum cuzk_status cuzk_g2_decode(const uint8_t bytes[CUZK_G2_BYTES], struct cuzk_g2_affine *out,
                                struct cuzk_error *err);
enum cuzk_status cuzk_g1_decode_raw(const uint8_t bytes[CUZK_G1_RAW_BYTES], struct cuzk_g1_affine *out,
                                    struct cuzk_error *err);
enum cuzk_status cuzk_g2_decode_raw(const uint8_t bytes[CUZK_G2_RAW_BYTES], struct cuzk_g2_affine *out,
                                    struct cuzk_error *err);

/* n compressed points, faster than one by one where the processor has AVX-512 IFMA. false if any of them
 * would be refused; decoding them one by one then says which and why (out is undefined). */
bool cuzk_g1_decode_many(const uint8_t *const *bytes, size_t n, struct cuzk_g1_affine *out);
bool cuzk_g2_decode_many(const uint8_t *const *bytes, size_t n, struct cuzk_g2_affine *out);

/* As _decode_raw, but neither curve nor subgroup are tested: for bytes that were validated before. */
enum cuzk_status cuzk_g1_decode_raw_unchecked(const uint8_t bytes[CUZK_G1_RAW_BYTES],
                                              struct cuzk_g1_affine *out, struct cuzk_error *err);
enum cuzk_status cuzk_g2_decode_raw_unchecked(const uint8_t bytes[CUZK_G2_RAW_BYTES],
                                              struct cuzk_g2_affine *out, struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
