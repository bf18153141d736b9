#include "curve/kernel_table.h"

const struct cuzk_curve_kernel cuzk_curve_kernel_portable = CUZK_CURVE_KERNEL_TABLE;
