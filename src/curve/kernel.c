#include "curve/kernel.h"

#include "base/cpu.h"

const struct cuzk_curve_kernel *cuzk_curve_kernel(void)
{
    return cuzk_cpu_level() >= CUZK_CPU_ADX ? &cuzk_curve_kernel_adx : &cuzk_curve_kernel_portable;
}
