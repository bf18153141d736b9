#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"

static int policy_of_this_thread(void)
{
    return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK; /* glibc's own answer is from before */
}

static void *note_policy(void *context)
{
    *(int *)context = policy_of_this_thread();
    return NULL;
}

struct seen {
    int own, child;
    bool realtime;
};

static void *prefer(void *context)
{
    struct seen *const seen = context;
    pthread_t child;

    cuzk_thread_prefer_soon(seen->realtime);
    seen->own = policy_of_this_thread();
    assert_int_equal(pthread_create(&child, NULL, note_policy, &seen->child), 0);
    pthread_join(child, NULL);
    return NULL;
}

static struct seen in_a_thread(bool realtime)
{
    struct seen seen = {.realtime = realtime};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, prefer, &seen), 0);
    pthread_join(thread, NULL);
    return seen;
}

static void test_prefer_soon__is_of_the_calling_thread_alone(void **state)
{
    (void)state;
    const struct seen plain = in_a_thread(false);

    assert_int_equal(plain.own, SCHED_OTHER);
    assert_int_equal(plain.child, SCHED_OTHER);
    assert_int_equal(policy_of_this_thread(), SCHED_OTHER);
}

static void test_prefer_soon__realtime_where_it_is_allowed(void **state)
{
    const struct seen seen = in_a_thread(true);
    struct rlimit limit;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_RTPRIO, &limit), 0);
    assert_true(seen.own == SCHED_FIFO || seen.own == SCHED_OTHER);
    if (limit.rlim_cur >= 1)
        assert_int_equal(seen.own, SCHED_FIFO);
    if (seen.own == SCHED_OTHER)
        print_message("skipped: this user may not have threads of SCHED_FIFO\n");
    assert_int_equal(seen.child, SCHED_OTHER);
}

static void *note_nice(void *context)
{
    *(int *)context = getpriority(PRIO_PROCESS, (id_t)gettid());
    return NULL;
}

static void *be_late(void *context)
{
    struct seen *const seen = context;
    pthread_t child;

    cuzk_thread_prefer_late();
    (void)note_nice(&seen->own);
    assert_int_equal(pthread_create(&child, NULL, note_nice, &seen->child), 0);
    pthread_join(child, NULL);
    return NULL;
}

static void test_prefer_late__is_of_the_calling_thread_and_those_it_starts(void **state)
{
    const int before = getpriority(PRIO_PROCESS, (id_t)gettid());
    struct seen seen = {0};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, be_late, &seen), 0);
    pthread_join(thread, NULL);
    assert_true(seen.own >= 10);
    assert_int_equal(seen.child, seen.own);
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t)gettid()), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefer_soon__is_of_the_calling_thread_alone),
        cmocka_unit_test(test_prefer_soon__realtime_where_it_is_allowed),
        cmocka_unit_test(test_prefer_late__is_of_the_calling_thread_and_those_it_starts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
