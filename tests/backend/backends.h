/* Every backend of this build, for tests that hold them against slow twins: one row each. */
#ifndef CUZK_TESTS_BACKENDS_H
#define CUZK_TESTS_BACKENDS_H

#include "backend/backend.h"
#include "base/cpu.h"
#include "base/pool.h"
#include "support/random.h"

struct test_backend {
    const char *name;
    struct cuzk_backend *backend; /* NULL: this machine has none */
    enum cuzk_cpu_level level;    /* arithmetic it is to be used with */
};

enum { TEST_BACKENDS = 4 };

/* Fills the table; pool is used by those that run on the processor. */
void test_backends_open(struct cuzk_pool *pool, struct test_backend table[TEST_BACKENDS]);
/* Runs body on each that this machine has, under its level of arithmetic; there must be one. */
void test_backends_each(const struct test_backend table[TEST_BACKENDS],
                        void (*body)(struct cuzk_backend *backend));
void test_backends_close(struct test_backend table[TEST_BACKENDS]);

/* A random scalar. Not zero: it may be a coefficient, or the logarithm of a point of a key. */
void test_backends_draw(struct test_random *random, struct cuzk_fr *out);

#endif
