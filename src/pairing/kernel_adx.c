/* Compiled with CUZK_FP_ADX and for BMI2 and ADX. */
#include "pairing/kernel.h"

#include "pairing/pairing_kernel.h"

const struct cuzk_pairing_kernel cuzk_pairing_kernel_adx = {
    .prepare = cuzk_pairing_kernel_prepare,
    .miller_loop = cuzk_pairing_kernel_miller_loop,
    .final_exponentiation = cuzk_pairing_kernel_final_exponentiation,
};
