/* The portable tower. */
#include "tower_tests.h"

int main(void)
{
    return run_tower_tests();
}
