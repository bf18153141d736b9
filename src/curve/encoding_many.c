#include "curve/encoding.h"

#include <string.h>

#include "base/cpu.h"
#include "curve/kernel_ifma.h"

/* Points that one call of the lanes takes. A rest of at least LEAST fills a vector with copies of its first.
 */
enum { GROUP = CUZK_CURVE_LANES * CUZK_CURVE_VECTORS, LEAST = 3 };

/* x and sign of a plain compressed point; false for all else, infinity too */
static bool read_g1(const uint8_t *bytes, struct cuzk_fp *out, bool *larger)
{
    uint8_t x[CUZK_FP_BYTES];

    if ((bytes[0] & 0xc0) != 0x80)
        return false;
    memcpy(x, bytes, sizeof x);
    x[0] &= 0x1f;
    *larger = (bytes[0] & 0x20) != 0;
    return cuzk_fp_from_bytes(x, out);
}

/* up to GROUP points in lanes; false: not all are plain good ones */
static bool g1_lanes(const uint8_t *const *bytes, size_t n, struct cuzk_g1_affine *out)
{
    struct cuzk_g1_affine points[GROUP];
    struct cuzk_fp x[GROUP];
    bool larger[GROUP];
    const size_t vectors = (n + CUZK_CURVE_LANES - 1) / CUZK_CURVE_LANES;

    for (size_t i = 0; i < n; i++)
        if (!read_g1(bytes[i], &x[i], &larger[i]))
            return false;
    for (size_t i = n; i < vectors * CUZK_CURVE_LANES; i++) {
        x[i] = x[0];
        larger[i] = larger[0];
    }
    if (!cuzk_g1_ifma_from_x(x, larger, vectors, points))
        return false;
    memcpy(out, points, n * sizeof *out);
    return true;
}

bool cuzk_g1_decode_many(const uint8_t *const *bytes, size_t n, struct cuzk_g1_affine *out)
{
    const bool lanes = cuzk_cpu_level() >= CUZK_CPU_IFMA;

    for (size_t i = 0; i < n;) {
        size_t m = n - i < GROUP ? n - i : (size_t)GROUP;
        if (m > CUZK_CURVE_LANES && m % CUZK_CURVE_LANES < LEAST)
            m -= m % CUZK_CURVE_LANES;
        if (!lanes || m < LEAST || !g1_lanes(bytes + i, m, out + i))
            for (size_t k = 0; k < m; k++)
                if (cuzk_g1_decode(bytes[i + k], &out[i + k], NULL) != CUZK_OK)
                    return false;
        i += m;
    }
    return true;
}

/* x and sign of a plain compressed point; false for all else, infinity too */
static bool read_g2(const uint8_t *bytes, struct cuzk_fp2 *out, bool *larger)
{
    uint8_t c1[CUZK_FP_BYTES];

    if ((bytes[0] & 0xc0) != 0x80)
        return false;
    memcpy(c1, bytes, sizeof c1);
    c1[0] &= 0x1f;
    *larger = (bytes[0] & 0x20) != 0;
    return cuzk_fp_from_bytes(c1, &out->c1) && cuzk_fp_from_bytes(bytes + CUZK_FP_BYTES, &out->c0);
}

/* up to GROUP points in lanes; false: not all are plain good ones */
static bool g2_lanes(const uint8_t *const *bytes, size_t n, struct cuzk_g2_affine *out)
{
    struct cuzk_g2_affine points[GROUP];
    struct cuzk_fp2 x[GROUP];
    bool larger[GROUP];
    const size_t vectors = (n + CUZK_CURVE_LANES - 1) / CUZK_CURVE_LANES;

    for (size_t i = 0; i < n; i++)
        if (!read_g2(bytes[i], &x[i], &larger[i]))
            return false;
    for (size_t i = n; i < vectors * CUZK_CURVE_LANES; i++) {
        x[i] = x[0];
        larger[i] = larger[0];
    }
    if (!cuzk_g2_ifma_from_x(x, larger, vectors, points))
        return false;
    memcpy(out, points, n * sizeof *out);
    return true;
}

bool cuzk_g2_decode_many(const uint8_t *const *bytes, size_t n, struct cuzk_g2_affine *out)
{
    const bool lanes = cuzk_cpu_level() >= CUZK_CPU_IFMA;

    for (size_t i = 0; i < n;) {
        size_t m = n - i < GROUP ? n - i : (size_t)GROUP;
        if (m > CUZK_CURVE_LANES && m % CUZK_CURVE_LANES < LEAST)
            m -= m % CUZK_CURVE_LANES;
        if (!lanes || m < LEAST || !g2_lanes(bytes + i, m, out + i))
            for (size_t k = 0; k < m; k++)
                if (cuzk_g2_decode(bytes[i + k], &out[i + k], NULL) != CUZK_OK)
                    return false;
        i += m;
    }
    return true;
}
