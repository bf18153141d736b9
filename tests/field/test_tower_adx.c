/* The tower over Fp products with BMI2 and ADX; skipped where the processor has none. */
#include "tower_tests.h"

int main(void)
{
    if (cuzk_cpu_level() < CUZK_CPU_ADX) {
        print_message("skipped: the level is %s\n", cuzk_cpu_level_name(cuzk_cpu_level()));
        return 77;
    }
    return run_tower_tests();
}
