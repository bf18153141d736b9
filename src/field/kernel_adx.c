/* Compiled with CUZK_FP_ADX and for BMI2 and ADX. */
#include "field/fp2_kernel.h"
#include "field/kernel.h"

const struct cuzk_field_kernel cuzk_field_kernel_adx = {
    .fp_pow = cuzk_fp_kernel_pow,
    .fp_inverse = cuzk_fp_kernel_inverse,
    .fp_batch_inverse = cuzk_fp_kernel_batch_inverse,
    .fp_sqrt = cuzk_fp_kernel_sqrt,
    .fp2_inverse = cuzk_fp2_kernel_inverse,
    .fp2_batch_inverse = cuzk_fp2_kernel_batch_inverse,
    .fp2_sqrt = cuzk_fp2_kernel_sqrt,
};
