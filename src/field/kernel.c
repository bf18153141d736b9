#include "field/kernel.h"

#include "base/cpu.h"

const struct cuzk_field_kernel *cuzk_field_kernel(void)
{
    return cuzk_cpu_level() >= CUZK_CPU_ADX ? &cuzk_field_kernel_adx : &cuzk_field_kernel_portable;
}
