/*
 * The functions of the curve, compiled once for each arithmetic level and chosen at run time (base/cpu.h).
 * Every level computes the same points; Jacobian coordinates are equal too.
 */
#ifndef CUZK_CURVE_KERNEL_H
#define CUZK_CURVE_KERNEL_H

#include "curve/g1_law.h"
#include "curve/g2_law.h"

/* of curve/g1_table.h: a point's table has rows for 32-bit parts of odd multiples */
enum {
    CUZK_G1_TABLE_WIDTH = 7, /* of the non-adjacent form */
    CUZK_G1_TABLE_BITS = 32, /* of a part */
    CUZK_G1_TABLE_PARTS = 8,
    CUZK_G1_TABLE_ODD = 1 << (CUZK_G1_TABLE_WIDTH - 2),
    CUZK_G1_TABLE_POINTS = CUZK_G1_TABLE_PARTS * CUZK_G1_TABLE_ODD,
};

/* A digit of a recoded scalar; digits at the same bit of their part are chained. */
struct cuzk_g1_table_digit {
    uint32_t point; /* index into all tables */
    uint32_t next;  /* digit, or CUZK_G1_TABLE_END */
    bool negative;
};

#define CUZK_G1_TABLE_END UINT32_MAX

enum { CUZK_G1_WEIGHTS = 32 }; /* weighted points that share doublings */

struct cuzk_curve_kernel {
    void (*g1_to_affine)(const struct cuzk_g1 *a, struct cuzk_g1_affine *out);
    void (*g1_batch_to_affine)(const struct cuzk_g1 *points, size_t n, struct cuzk_g1_affine *out);
    void (*g1_double)(const struct cuzk_g1 *a, struct cuzk_g1 *out);
    void (*g1_add)(const struct cuzk_g1 *a, const struct cuzk_g1 *b, struct cuzk_g1 *out);
    void (*g1_add_mixed)(const struct cuzk_g1 *a, const struct cuzk_g1_affine *b, struct cuzk_g1 *out);
    bool (*g1_equal)(const struct cuzk_g1 *a, const struct cuzk_g1 *b);
    void (*g1_mul)(const struct cuzk_g1 *a, const uint64_t scalar[4], struct cuzk_g1 *out);
    void (*g1_curve_rhs)(const struct cuzk_fp *x, struct cuzk_fp *out);
    bool (*g1_is_on_curve)(const struct cuzk_g1_affine *a);
    bool (*g1_in_subgroup)(const struct cuzk_g1_affine *a);
    void (*g2_to_affine)(const struct cuzk_g2 *a, struct cuzk_g2_affine *out);
    void (*g2_batch_to_affine)(const struct cuzk_g2 *points, size_t n, struct cuzk_g2_affine *out);
    void (*g2_double)(const struct cuzk_g2 *a, struct cuzk_g2 *out);
    void (*g2_add)(const struct cuzk_g2 *a, const struct cuzk_g2 *b, struct cuzk_g2 *out);
    void (*g2_add_mixed)(const struct cuzk_g2 *a, const struct cuzk_g2_affine *b, struct cuzk_g2 *out);
    bool (*g2_equal)(const struct cuzk_g2 *a, const struct cuzk_g2 *b);
    void (*g2_mul)(const struct cuzk_g2 *a, const uint64_t scalar[4], struct cuzk_g2 *out);
    void (*g2_curve_rhs)(const struct cuzk_fp2 *x, struct cuzk_fp2 *out);
    bool (*g2_is_on_curve)(const struct cuzk_g2_affine *a);
    bool (*g2_in_subgroup)(const struct cuzk_g2_affine *a);
    void (*g1_table_build)(const struct cuzk_g1_affine *point,
                           struct cuzk_g1_affine table[CUZK_G1_TABLE_POINTS]);
    void (*g1_table_sum)(const struct cuzk_g1_affine *points, const struct cuzk_g1_table_digit *digits,
                         const uint32_t first[CUZK_G1_TABLE_BITS], struct cuzk_g1 *out);
    void (*g1_sum_weights)(const struct cuzk_g1_affine *points, const uint64_t (*weights)[2], size_t n,
                           struct cuzk_g1 *out);
};

extern const struct cuzk_curve_kernel cuzk_curve_kernel_portable; /* kernel_portable.c */
extern const struct cuzk_curve_kernel cuzk_curve_kernel_adx;      /* kernel_adx.c */

/* The table of the level in force. */
const struct cuzk_curve_kernel *cuzk_curve_kernel(void);

#endif
