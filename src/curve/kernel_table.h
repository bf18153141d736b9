/* The functions of the headers below as one table: the same list for each level that they are compiled for.
 * Private to the files curve/kernel_*.c. */
#ifndef CUZK_CURVE_KERNEL_TABLE_H
#define CUZK_CURVE_KERNEL_TABLE_H

#include "curve/g1_kernel.h"
#include "curve/g1_table_kernel.h"
#include "curve/g2_kernel.h"
#include "curve/kernel.h"

#define CUZK_CURVE_KERNEL_TABLE                                                                              \
    {                                                                                                        \
        .g1_to_affine = cuzk_g1_kernel_to_affine,                                                            \
        .g1_batch_to_affine = cuzk_g1_kernel_batch_to_affine,                                                \
        .g1_double = cuzk_g1_law_double,                                                                     \
        .g1_add = cuzk_g1_law_add,                                                                           \
        .g1_add_mixed = cuzk_g1_law_add_mixed,                                                               \
        .g1_equal = cuzk_g1_law_equal,                                                                       \
        .g1_mul = cuzk_g1_kernel_mul,                                                                        \
        .g1_curve_rhs = cuzk_g1_kernel_curve_rhs,                                                            \
        .g1_is_on_curve = cuzk_g1_kernel_is_on_curve,                                                        \
        .g1_in_subgroup = cuzk_g1_kernel_in_subgroup,                                                        \
        .g2_to_affine = cuzk_g2_kernel_to_affine,                                                            \
        .g2_batch_to_affine = cuzk_g2_kernel_batch_to_affine,                                                \
        .g2_double = cuzk_g2_law_double,                                                                     \
        .g2_add = cuzk_g2_law_add,                                                                           \
        .g2_add_mixed = cuzk_g2_law_add_mixed,                                                               \
        .g2_equal = cuzk_g2_law_equal,                                                                       \
        .g2_mul = cuzk_g2_kernel_mul,                                                                        \
        .g2_curve_rhs = cuzk_g2_kernel_curve_rhs,                                                            \
        .g2_is_on_curve = cuzk_g2_kernel_is_on_curve,                                                        \
        .g2_in_subgroup = cuzk_g2_kernel_in_subgroup,                                                        \
        .g1_table_build = cuzk_g1_kernel_table_build,                                                        \
        .g1_table_sum = cuzk_g1_kernel_table_sum,                                                            \
        .g1_sum_weights = cuzk_g1_kernel_sum_weights,                                                        \
    }

#endif
