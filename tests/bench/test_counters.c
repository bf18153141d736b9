#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <time.h>

#include <cmocka.h>

#include "bench/counters.h"

/* 100 ms of a processor. */
static void *work(void *unused)
{
    struct timespec begin, now;
    volatile uint64_t sum = 0;

    (void)unused;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (unsigned i = 0; i < 100000; i++)
            sum = sum + i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) * 1e9 + (double)(now.tv_nsec - begin.tv_nsec) < 1e8);
    return NULL;
}

static void test_read__counts_later_threads(void **state)
{
    struct cuzk_counters counters;
    double before[CUZK_COUNTERS], after[CUZK_COUNTERS];
    pthread_t threads[2];

    (void)state;
    cuzk_counters_begin(&counters);
    if (counters.fd[CUZK_COUNTER_WORK] < 0) {
        print_message("skipped: this kernel counts nothing\n");
        return;
    }
    cuzk_counters_read(&counters, before);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    cuzk_counters_read(&counters, after);
    const double ns = after[CUZK_COUNTER_WORK] - before[CUZK_COUNTER_WORK];

    if (ns < 1.8e8 || ns > 6e8)
        fail_msg("200 ms of work count as %.0f", ns / 1e6);
    if (counters.why[0] == '\0')
        assert_true(after[CUZK_COUNTER_INSTRUCTIONS] > before[CUZK_COUNTER_INSTRUCTIONS] + 1e6);
    else
        print_message("skipped the processor's own: %s\n", counters.why);
    cuzk_counters_end(&counters);
    cuzk_counters_read(&counters, after);
    assert_true(after[CUZK_COUNTER_WORK] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__counts_later_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
