#include "support/illegal_access.h"

static __global__ void write_to(unsigned long long *where)
{
    *where = 1;
}

void illegal_access(void)
{
    write_to<<<1, 1>>>((unsigned long long *)8);
}
