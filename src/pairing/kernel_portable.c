#include "pairing/kernel.h"

#include "pairing/pairing_kernel.h"

const struct cuzk_pairing_kernel cuzk_pairing_kernel_portable = {
    .prepare = cuzk_pairing_kernel_prepare,
    .miller_loop = cuzk_pairing_kernel_miller_loop,
    .final_exponentiation = cuzk_pairing_kernel_final_exponentiation,
};
