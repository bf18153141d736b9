/* The direct SHA-256 witness against the gates, bit for bit, with constants and negations in the message; and
 * the digest against the plain hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "circuit/sha256.h"
#include "circuit/synthesis.h"
#include "hash/sha256.h"
#include "support/random.h"

enum { MAX_BYTES = 300 };

struct message {
    uint8_t bytes[MAX_BYTES];
    uint8_t kinds[8 * MAX_BYTES]; /* 0 constant, 1 variable, 2 negation */
    size_t n;                     /* bytes */
};

static struct test_random rng;

static void build(struct cuzk_cs *cs, void *context)
{
    const struct message *message = context;
    struct cuzk_boolean bits[8 * MAX_BYTES], digest[CUZK_SHA256_GADGET_BITS];
    uint8_t expected[CUZK_SHA256_BYTES];

    for (size_t i = 0; i < 8 * message->n; i++) {
        const bool value = message->bytes[i / 8] >> (7 - i % 8) & 1;
        if (message->kinds[i] == 0)
            bits[i] = cuzk_boolean_constant(value);
        else if (message->kinds[i] == 1)
            bits[i] = cuzk_boolean_alloc(cs, value);
        else
            bits[i] = cuzk_boolean_not(cuzk_boolean_alloc(cs, !value));
    }
    cuzk_sha256_gadget(cs, bits, 8 * message->n, digest);
    cuzk_sha256_digest(message->bytes, message->n, expected);
    for (size_t i = 0; i < CUZK_SHA256_GADGET_BITS && cs->mode == CUZK_CS_WITNESS; i++)
        assert_int_equal(digest[i].value, expected[i / 8] >> (7 - i % 8) & 1);
}

static void draw(struct message *message, size_t n, unsigned constants)
{
    message->n = n;
    test_random_bytes(&rng, message->bytes, n);
    for (size_t i = 0; i < 8 * n; i++) {
        /* whole words alike in half of the cases, else bit by bit */
        if (i % 32 != 0 && test_random_below(&rng, 2))
            message->kinds[i] = message->kinds[i - 1];
        else
            message->kinds[i] =
                test_random_below(&rng, 100) < constants ? 0 : (uint8_t)(1 + test_random_below(&rng, 2));
    }
}

static void test_sha256__direct_equals_gates(void **state)
{
    static const size_t lengths[] = {0, 1, 31, 32, 55, 56, 63, 64, 65, 119, 120, 128, 300};
    struct message message;
    struct synthesis s;

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (unsigned constants = 0; constants <= 100; constants += 50) {
            draw(&message, lengths[i], constants);
            synthesis_run(build, &message, 0, &s);
            synthesis_free(&s);
        }
}

/* The allocations must not depend on the message's values: two messages of equal kinds, one circuit. */
static void test_sha256__circuit_is_independent_of_values(void **state)
{
    struct message message;
    struct synthesis first, second;

    (void)state;
    draw(&message, 100, 0);
    synthesis_run(build, &message, 0, &first);
    test_random_bytes(&rng, message.bytes, message.n);
    synthesis_run(build, &message, 0, &second);
    assert_memory_equal(first.digest.sha256, second.digest.sha256, sizeof first.digest.sha256);
    synthesis_free(&first);
    synthesis_free(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256__direct_equals_gates),
        cmocka_unit_test(test_sha256__circuit_is_independent_of_values),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
