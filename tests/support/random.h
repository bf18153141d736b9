/* Seeded pseudo-random numbers for tests. The seed is CUZK_TEST_SEED or drawn from the clock, and printed, so
 * that a failure can be repeated. Not for secrets. */
#ifndef CUZK_TESTS_RANDOM_H
#define CUZK_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct test_random {
    uint64_t s[4];
};

/* Seeds from the environment or the clock and prints "seed: N". */
void test_random_init(struct test_random *random);
void test_random_seed(struct test_random *random, uint64_t seed);
uint64_t test_random_u64(struct test_random *random); /* xoshiro256** */
uint64_t test_random_below(struct test_random *random, uint64_t n);
/* Bytes with long runs of equal bits in half of the calls, to reach carries. */
void test_random_bytes(struct test_random *random, void *bytes, size_t n);

#endif
