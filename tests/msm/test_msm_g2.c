/* Multi-scalar multiplication and fixed bases in G2. */
#include "msm/group_g2.h"

#define MSM(suffix)   cuzk_msm_g2##suffix
#define TABLE(suffix) cuzk_fixed_base_g2##suffix

enum { MANY = 1 << 14 };

#include "msm_cases.h"

int main(void)
{
    return run_msm_tests();
}
