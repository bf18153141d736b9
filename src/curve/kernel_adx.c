/* Compiled with CUZK_FP_ADX and for BMI2 and ADX. */
#include "curve/kernel_table.h"

const struct cuzk_curve_kernel cuzk_curve_kernel_adx = CUZK_CURVE_KERNEL_TABLE;
