#include "support/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void test_random_seed(struct test_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) { /* splitmix64 */
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        random->s[i] = z ^ (z >> 31);
    }
}

void test_random_init(struct test_random *random)
{
    struct timespec now;
    const char *given = getenv("CUZK_TEST_SEED");

    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 10)
                                        : (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
    printf("seed: %" PRIu64 " (repeat with CUZK_TEST_SEED)\n", seed);
    test_random_seed(random, seed);
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t test_random_u64(struct test_random *random)
{
    uint64_t *s = random->s;
    const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t test_random_below(struct test_random *random, uint64_t n)
{
    return test_random_u64(random) % n;
}

void test_random_bytes(struct test_random *random, void *bytes, size_t n)
{
    uint8_t *out = bytes;
    const int runs = (int)(test_random_u64(random) & 1);

    if (!runs) {
        for (size_t i = 0; i < n; i++)
            out[i] = (uint8_t)test_random_u64(random);
        return;
    }
    memset(out, 0, n);
    for (size_t bit = 0; bit < 8 * n;) {
        const uint64_t draw = test_random_u64(random);
        const size_t length = 1 + (draw >> 8) % (draw & 2 ? 96 : 5);
        for (size_t i = 0; i < length && bit < 8 * n; i++, bit++)
            out[bit / 8] |= (uint8_t)((draw & 1) << (bit % 8));
    }
}
