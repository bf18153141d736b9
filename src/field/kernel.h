/*
 * The larger functions of the field, compiled once for each arithmetic level and chosen at run time
 * (base/cpu.h). Every level computes the same.
 */
#ifndef CUZK_FIELD_KERNEL_H
#define CUZK_FIELD_KERNEL_H

#include "field/fp2.h"

struct cuzk_field_kernel {
    void (*fp_pow)(const struct cuzk_fp *base, const uint64_t *exponent, size_t limbs, struct cuzk_fp *out);
    void (*fp_inverse)(const struct cuzk_fp *a, struct cuzk_fp *out);
    void (*fp_batch_inverse)(struct cuzk_fp *elements, size_t n, struct cuzk_fp *scratch);
    bool (*fp_sqrt)(const struct cuzk_fp *a, struct cuzk_fp *out);
    void (*fp2_inverse)(const struct cuzk_fp2 *a, struct cuzk_fp2 *out);
    void (*fp2_batch_inverse)(struct cuzk_fp2 *elements, size_t n, struct cuzk_fp2 *scratch);
    bool (*fp2_sqrt)(const struct cuzk_fp2 *a, struct cuzk_fp2 *out);
};

extern const struct cuzk_field_kernel cuzk_field_kernel_portable; /* kernel_portable.c */
extern const struct cuzk_field_kernel cuzk_field_kernel_adx;      /* kernel_adx.c */

/* The table of the level in force. */
const struct cuzk_field_kernel *cuzk_field_kernel(void);

#endif
