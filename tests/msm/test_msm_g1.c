/* Multi-scalar multiplication and fixed bases in G1. */
#include "msm/group_g1.h"

#define MSM(suffix)   cuzk_msm_g1##suffix
#define TABLE(suffix) cuzk_fixed_base_g1##suffix

enum { MANY = 1 << 16 };

#include "msm_cases.h"

int main(void)
{
    return run_msm_tests();
}
