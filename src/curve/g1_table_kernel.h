/*
 * Building and summing the tables of curve/g1_table.h, and short combinations of points with their image
 * under the endomorphism. Static functions, for curve/kernel.h.
 */
#ifndef CUZK_CURVE_G1_TABLE_KERNEL_H
#define CUZK_CURVE_G1_TABLE_KERNEL_H

#include "curve/g1_kernel.h"
#include "curve/kernel.h"

CUZK_KERNEL void cuzk_g1_kernel_table_build(const struct cuzk_g1_affine *point,
                                            struct cuzk_g1_affine table[CUZK_G1_TABLE_POINTS])
{
    struct cuzk_g1 multiples[CUZK_G1_TABLE_POINTS], base, twice;

    cuzk_g1_law_from_affine(point, &base);
    for (int part = 0; part < CUZK_G1_TABLE_PARTS; part++) {
        struct cuzk_g1 *row = multiples + (size_t)part * CUZK_G1_TABLE_ODD;
        row[0] = base;
        cuzk_g1_law_double(&base, &twice);
        for (int i = 1; i < CUZK_G1_TABLE_ODD; i++)
            cuzk_g1_law_add(&row[i - 1], &twice, &row[i]);
        for (int i = 0; i < CUZK_G1_TABLE_BITS; i++)
            cuzk_g1_law_double(&base, &base);
    }
    cuzk_g1_kernel_batch_to_affine(multiples, CUZK_G1_TABLE_POINTS, table);
}

CUZK_KERNEL void cuzk_g1_kernel_table_sum(const struct cuzk_g1_affine *points,
                                          const struct cuzk_g1_table_digit *digits,
                                          const uint32_t first[CUZK_G1_TABLE_BITS], struct cuzk_g1 *out)
{
    struct cuzk_g1 acc;

    cuzk_g1_law_identity(&acc);
    for (int bit = CUZK_G1_TABLE_BITS - 1; bit >= 0; bit--) {
        if (!cuzk_g1_law_is_identity(&acc))
            cuzk_g1_law_double(&acc, &acc);
        for (uint32_t i = first[bit]; i != CUZK_G1_TABLE_END; i = digits[i].next) {
            struct cuzk_g1_affine p = points[digits[i].point];
            if (digits[i].negative)
                cuzk_fp_neg(&p.y, &p.y);
            cuzk_g1_law_add_mixed(&acc, &p, &acc);
        }
    }
    *out = acc;
}

/* Width-4 non-adjacent form: digits[i] is 0 or odd, between -7 and 7; 65 digits. */
static inline void cuzk_g1_kernel_recode64(uint64_t word, int16_t digits[65])
{
    unsigned carry = 0;

    for (int i = 0; i < 65; i++)
        digits[i] = 0;
    for (int i = 0; i < 65;) {
        const unsigned bit = i < 64 ? (unsigned)(word >> i & 1) : 0;
        if (bit == carry) {
            i++;
            continue;
        }
        const unsigned window = (i < 64 ? (unsigned)(word >> i & 15) : 0) + carry;
        carry = window >> 3 & 1;
        digits[i] = (int16_t)((int)window - (int)(carry << 4));
        i += 4;
    }
}

/* The sum of (w0 + w1 lambda) P over n points, at most CUZK_G1_WEIGHTS, where phi(x, y) = (beta x, y) is
 * multiplication by lambda = -x^2: the doublings are shared. */
CUZK_KERNEL void cuzk_g1_kernel_sum_weights(const struct cuzk_g1_affine *points, const uint64_t (*weights)[2],
                                            size_t n, struct cuzk_g1 *out)
{
    struct cuzk_g1 odd[CUZK_G1_WEIGHTS][4], twice, acc, t;
    int16_t digits[CUZK_G1_WEIGHTS][2][65];

    for (size_t i = 0; i < n; i++) {
        cuzk_g1_law_from_affine(&points[i], &odd[i][0]);
        cuzk_g1_law_double(&odd[i][0], &twice);
        for (int k = 1; k < 4; k++)
            cuzk_g1_law_add(&odd[i][k - 1], &twice, &odd[i][k]);
        cuzk_g1_kernel_recode64(weights[i][0], digits[i][0]);
        cuzk_g1_kernel_recode64(weights[i][1], digits[i][1]);
    }
    cuzk_g1_law_identity(&acc);
    for (int bit = 64; bit >= 0; bit--) {
        cuzk_g1_law_double(&acc, &acc);
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 2; k++) {
                const int d = digits[i][k][bit];
                if (d == 0)
                    continue;
                t = odd[i][d < 0 ? -d / 2 : d / 2];
                if (d < 0)
                    cuzk_g1_law_neg(&t, &t);
                if (k == 1)
                    cuzk_g1_kernel_endomorphism_x(&t.x);
                cuzk_g1_law_add(&acc, &t, &acc);
            }
    }
    *out = acc;
}

#endif
