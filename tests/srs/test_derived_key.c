/* Derived keys as files: made, found, left alone where they are damaged or another's, made anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../groth16/toy.h"
#include "backend/cpu/cpu.h"
#include "groth16/setup.h"
#include "srs/cache.h"
#include "srs/derived_key.h"

static struct cuzk_pool *pool;
static struct cuzk_backend *backend;

struct place {
    char folder[64], params[128], vk[128], derived[128];
    struct toy toy;
};

static void make_params(struct place *place, bool other)
{
    struct cuzk_toxic toxic = place->toy.toxic;
    struct cuzk_error err;

    if (other)
        toxic.delta = toxic.alpha;
    assert_int_equal(cuzk_setup_files(backend, pool, place->toy.r1cs, &toxic, place->params, place->vk, true,
                                      (struct cuzk_sink){0}, NULL, &err),
                     CUZK_OK);
}

static void open_place(struct place *place)
{
    strcpy(place->folder, "/tmp/cuzk-derived-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->params, sizeof place->params, "%s/toy.params", place->folder);
    snprintf(place->vk, sizeof place->vk, "%s/toy.vk", place->folder);
    snprintf(place->derived, sizeof place->derived, "%s/toy.derived", place->folder);
    unsetenv(CUZK_CACHE_VARIABLE);
    toy_load("five-32", false, &place->toy);
    make_params(place, false);
}

static void close_place(struct place *place)
{
    char digest[160];

    snprintf(digest, sizeof digest, "%s.digest", place->params);
    unlink(digest);
    unlink(place->params);
    unlink(place->vk);
    unlink(place->derived);
    assert_int_equal(rmdir(place->folder), 0); /* nothing else was left there */
    toy_free(&place->toy);
    unsetenv(CUZK_CACHE_VARIABLE);
}

/* Whether there is a good one; note: part of what is said of it, NULL: nothing. */
static bool find(const struct place *place, const char *wanted)
{
    struct cuzk_error note, err = {0};
    struct cuzk_derived derived;
    bool found;

    assert_int_equal(
        cuzk_derived_find(place->params, place->toy.r1cs, pool, NULL, &found, &derived, &note, &err),
        CUZK_OK);
    if (wanted == NULL)
        assert_string_equal(note.message, "");
    else
        assert_non_null(strstr(note.message, wanted));
    cuzk_derived_close(&derived);
    return found;
}

static void flip(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    int byte;

    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    fputc(byte ^ 4, file);
    assert_int_equal(fclose(file), 0);
}

static enum cuzk_status build_with(const struct place *place, const struct cuzk_progress *progress)
{
    struct cuzk_params params;
    struct cuzk_error err;

    assert_int_equal(cuzk_params_open(place->params, &params, &err), CUZK_OK);
    const enum cuzk_status status =
        cuzk_derived_build(backend, pool, place->toy.r1cs, &params, place->params, progress, &err);
    cuzk_params_close(&params);
    return status;
}

static enum cuzk_status build(const struct place *place)
{
    return build_with(place, NULL);
}

static void test_derived_find__takes_good_files_alone(void **state)
{
    struct cuzk_error err;
    struct place place;

    (void)state;
    open_place(&place);
    assert_false(find(&place, NULL));
    assert_int_equal(
        cuzk_derived_make(backend, pool, place.toy.r1cs, &place.toy.toxic, place.params, NULL, &err),
        CUZK_OK);
    assert_true(find(&place, NULL));
    assert_int_equal(
        cuzk_derived_make(backend, pool, place.toy.r1cs, &place.toy.toxic, place.params, NULL, &err),
        CUZK_EXISTS);
    flip(place.derived, 2000);
    assert_false(find(&place, "damaged"));
    assert_int_equal(build(&place), CUZK_OK);
    assert_true(find(&place, NULL));
    assert_int_equal(truncate(place.derived, 1000), 0);
    assert_false(find(&place, "length"));
    assert_int_equal(build(&place), CUZK_OK);
    make_params(&place, true); /* others under the same name */
    assert_false(find(&place, "other parameters"));
    assert_int_equal(build(&place), CUZK_OK);
    assert_true(find(&place, NULL));
    close_place(&place);
}

/* Offset of a byte of the first point of h. */
static long first_of_h(const struct place *place)
{
    struct cuzk_params params;

    assert_int_equal(cuzk_params_open(place->params, &params, NULL), CUZK_OK);
    const long at = (long)params.query[CUZK_QUERY_H].offset + 95;
    cuzk_params_close(&params);
    return at;
}

static void test_derived_build__leaves_nothing_behind_where_it_fails(void **state)
{
    struct place place;

    (void)state;
    open_place(&place);
    flip(place.params, first_of_h(&place));
    assert_int_equal(build(&place), CUZK_INPUT); /* a point that is none */
    assert_int_not_equal(access(place.derived, F_OK), 0);
    flip(place.params, first_of_h(&place));
    setenv(CUZK_CACHE_VARIABLE, CUZK_CACHE_OFF, 1);
    assert_int_equal(build(&place), CUZK_IO); /* nowhere to keep it */
    assert_false(find(&place, NULL));
    unsetenv(CUZK_CACHE_VARIABLE);
    close_place(&place);
}

/* Whoever listens and, after some questions, wants it to stop. */
struct listener {
    atomic_int patience;
    atomic_uint reports;
    _Atomic uint64_t done, total;
};

static void listen(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct listener *listener = context;

    atomic_fetch_add(&listener->reports, 1);
    if (strcmp(stage, "transforms of h") != 0)
        return;
    assert_true(done >= listener->done); /* one stage, which only grows */
    listener->done = done;
    listener->total = total;
}

static bool want_stop(void *context)
{
    return atomic_fetch_sub(&((struct listener *)context)->patience, 1) <= 0;
}

static void test_derived_build__stops_when_asked_and_leaves_nothing_behind(void **state)
{
    enum cuzk_status status = CUZK_CANCELLED;
    struct place place;
    int patience = 0;

    (void)state;
    open_place(&place);
    for (; status == CUZK_CANCELLED; patience++) {
        struct listener listener = {.patience = patience};
        const struct cuzk_progress progress = {listen, want_stop, &listener};
        status = build_with(&place, &progress);
        if (status == CUZK_CANCELLED)
            assert_int_not_equal(access(place.derived, F_OK), 0);
        else
            assert_int_equal(listener.done, listener.total);
    }
    assert_int_equal(status, CUZK_OK);
    assert_true(patience > 8);
    assert_true(find(&place, NULL));
    close_place(&place);
}

static void test_derived_mode__is_use_where_nobody_says_off(void **state)
{
    (void)state;
    unsetenv(CUZK_DERIVED_VARIABLE);
    assert_int_equal(cuzk_derived_mode_now(), CUZK_DERIVED_USE);
    assert_int_equal(cuzk_derived_mode_set("off", NULL), CUZK_OK);
    assert_int_equal(cuzk_derived_mode_now(), CUZK_DERIVED_OFF);
    assert_int_equal(cuzk_derived_mode_set(NULL, NULL), CUZK_OK);
    assert_int_equal(cuzk_derived_mode_now(), CUZK_DERIVED_OFF);
    assert_int_equal(cuzk_derived_mode_set("use", NULL), CUZK_OK);
    assert_int_equal(cuzk_derived_mode_now(), CUZK_DERIVED_USE);
    assert_int_equal(cuzk_derived_mode_parse("build"), CUZK_DERIVED_BUILD);
    unsetenv(CUZK_DERIVED_VARIABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derived_find__takes_good_files_alone),
        cmocka_unit_test(test_derived_build__leaves_nothing_behind_where_it_fails),
        cmocka_unit_test(test_derived_build__stops_when_asked_and_leaves_nothing_behind),
        cmocka_unit_test(test_derived_mode__is_use_where_nobody_says_off),
    };

    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK ||
        cuzk_backend_cpu_create(pool, &backend, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_backend_destroy(backend);
    cuzk_pool_destroy(pool);
    return failed;
}
