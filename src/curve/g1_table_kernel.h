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
static inline void cuzk_g1_kernel_recode64(uint64_t word, int8_t digits[65])
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
        digits[i] = (int8_t)((int)window - (int)(carry << 4));
        i += 4;
    }
}

/* (w0 + w1 lambda) P, where phi(x, y) = (beta x, y) is multiplication by lambda = -x^2 */
CUZK_KERNEL void cuzk_g1_kernel_mul_weight(const struct cuzk_g1_affine *p, const uint64_t weight[2],
                                           struct cuzk_g1 *out)
{
    struct cuzk_g1 odd[2][4], twice, acc;
    int8_t digits[2][65];

    cuzk_g1_law_from_affine(p, &odd[0][0]);
    cuzk_g1_law_double(&odd[0][0], &twice);
    for (int i = 1; i < 4; i++)
        cuzk_g1_law_add(&odd[0][i - 1], &twice, &odd[0][i]);
    for (int i = 0; i < 4; i++) {
        odd[1][i] = odd[0][i];
        cuzk_g1_kernel_endomorphism_x(&odd[1][i].x);
    }
    cuzk_g1_kernel_recode64(weight[0], digits[0]);
    cuzk_g1_kernel_recode64(weight[1], digits[1]);
    cuzk_g1_law_identity(&acc);
    for (int i = 64; i >= 0; i--) {
        cuzk_g1_law_double(&acc, &acc);
        for (int k = 0; k < 2; k++) {
            const int d = digits[k][i];
            if (d > 0) {
                cuzk_g1_law_add(&acc, &odd[k][d / 2], &acc);
            } else if (d < 0) {
                struct cuzk_g1 t;
                cuzk_g1_law_neg(&odd[k][-d / 2], &t);
                cuzk_g1_law_add(&acc, &t, &acc);
            }
        }
    }
    *out = acc;
}

#endif
