/* The tiers of keys: the rules one by one, and random use against a slow model that keeps lists in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "srs/tiers.h"
#include "support/random.h"

static struct cuzk_tiers tiers;

static void open_tiers(uint32_t devices, uint64_t host, uint64_t device)
{
    memset(&tiers, 0, sizeof tiers);
    tiers.devices = devices;
    tiers.units = 1;
    tiers.host_budget = host;
    for (uint32_t d = 0; d < devices; d++)
        tiers.device_budget[d] = device;
}

static uint32_t add(uint64_t file, uint64_t partition, struct cuzk_tiers_need need)
{
    struct cuzk_tiers_need all[CUZK_TIERS_DEVICES_MOST];

    for (uint32_t d = 0; d < tiers.devices; d++)
        all[d] = need;
    return cuzk_tiers_add(&tiers, file, partition, all);
}

/* Does what is asked until the key is hot; false: it would have to wait. */
static bool make_hot(uint32_t key, uint32_t device)
{
    for (;;) {
        const struct cuzk_tiers_step step = cuzk_tiers_next(&tiers, key, device);

        switch (step.action) {
        case CUZK_TIERS_READY:
            cuzk_tiers_touch(&tiers, key, device);
            return true;
        case CUZK_TIERS_WAIT:
            return false;
        case CUZK_TIERS_COOL:
            cuzk_tiers_begin_warm(&tiers, step.key);
            cuzk_tiers_end_warm(&tiers, step.key, false);
            break;
        default:
            cuzk_tiers_begin(&tiers, step.key, step.device);
            cuzk_tiers_end(&tiers, step.key, step.device, step.action == CUZK_TIERS_LOAD);
            break;
        }
    }
}

/* Moves files until nothing is left to move. */
static void settle(uint64_t in_use)
{
    for (unsigned moves = 0; moves < 4 * CUZK_TIERS_KEYS_MOST; moves++) {
        const struct cuzk_tiers_step step = cuzk_tiers_next_warm(&tiers, in_use);

        if (step.action == CUZK_TIERS_READY)
            return;
        assert_true(step.action == CUZK_TIERS_WARM || step.action == CUZK_TIERS_COOL);
        cuzk_tiers_begin_warm(&tiers, step.key);
        cuzk_tiers_end_warm(&tiers, step.key, step.action == CUZK_TIERS_WARM);
    }
    fail_msg("files move for ever");
}

static bool is_warm(uint32_t key)
{
    return tiers.key[key].warm == CUZK_TIERS_THERE;
}

static void test_next__evicts_the_least_recently_used(void **state)
{
    uint32_t key[4];

    (void)state;
    open_tiers(1, 0, 10);
    for (int k = 0; k < 4; k++)
        key[k] = add(5, 1, (struct cuzk_tiers_need){.key_device = 3, .unit_device = 1});
    assert_true(make_hot(key[0], 0));
    assert_true(make_hot(key[1], 0));
    assert_true(make_hot(key[2], 0)); /* 9 and a unit of 1 */
    assert_int_equal(cuzk_tiers_device_bytes(&tiers, 0), 9);
    assert_true(make_hot(key[0], 0)); /* used again: 1 is the oldest */
    assert_true(make_hot(key[3], 0));
    assert_int_equal(cuzk_tiers_of(&tiers, key[0]), CUZK_TIER_HOT);
    assert_int_equal(cuzk_tiers_of(&tiers, key[1]), CUZK_TIER_COLD);
    cuzk_tiers_acquire(&tiers, key[0], 0);
    cuzk_tiers_acquire(&tiers, key[2], 0);
    cuzk_tiers_acquire(&tiers, key[3], 0);
    assert_false(make_hot(key[1], 0)); /* all are in use */
    cuzk_tiers_release(&tiers, key[2], 0);
    assert_true(make_hot(key[1], 0));
    assert_int_equal(cuzk_tiers_of(&tiers, key[2]), CUZK_TIER_COLD);
}

static void test_next__leaves_room_for_the_largest_unit(void **state)
{
    (void)state;
    open_tiers(1, 0, 10);
    tiers.units = 2;
    const uint32_t small = add(0, 0, (struct cuzk_tiers_need){.key_device = 4, .unit_device = 1});
    const uint32_t large = add(0, 0, (struct cuzk_tiers_need){.key_device = 3, .unit_device = 2});

    assert_true(make_hot(small, 0));
    assert_int_equal(cuzk_tiers_next(&tiers, large, 0).action, CUZK_TIERS_EVICT); /* 4 + 3 + 2 x 2 */
    tiers.device_budget[0] = 11;
    assert_int_equal(cuzk_tiers_next(&tiers, large, 0).action, CUZK_TIERS_LOAD);
}

/* ---- warm files ---- */

static void test_warm__only_where_a_key_may_have_to_go(void **state)
{
    (void)state;
    open_tiers(2, 0, 10);
    const uint32_t first = add(5, 1, (struct cuzk_tiers_need){.key_device = 5, .unit_device = 1});
    const uint32_t second = add(6, 1, (struct cuzk_tiers_need){.key_device = 4, .unit_device = 1});
    const uint32_t third = add(7, 1, (struct cuzk_tiers_need){.key_device = 1, .unit_device = 1});

    /* whoever is alone, hot on all devices or on one, will not be read again */
    assert_true(make_hot(first, 0));
    cuzk_tiers_name(&tiers, first);
    settle(0);
    assert_false(is_warm(first));
    assert_true(make_hot(first, 1));
    settle(0);
    assert_false(is_warm(first));
    /* nor one of two that fit */
    assert_true(make_hot(second, 0)); /* 5 + 4 and a unit of 1 */
    settle(0);
    assert_false(is_warm(first) || is_warm(second));
    /* a third is one too many on that device: all three come and go there */
    assert_true(make_hot(third, 0));
    assert_int_equal(cuzk_tiers_next(&tiers, first, 0).action, CUZK_TIERS_EVICT);
    settle(0);
    assert_true(is_warm(first) && is_warm(second) && is_warm(third));
    /* until one is given up by name */
    cuzk_tiers_give_up(&tiers, second);
    cuzk_tiers_begin(&tiers, second, 0);
    cuzk_tiers_end(&tiers, second, 0, false);
    settle(0);
    assert_false(is_warm(first) || is_warm(second) || is_warm(third));
}

static void test_warm__a_lost_device_makes_nothing_warm(void **state)
{
    (void)state;
    open_tiers(2, 0, 10);
    const uint32_t key = add(5, 1, (struct cuzk_tiers_need){.key_device = 5, .unit_device = 1});

    assert_true(make_hot(key, 0) && make_hot(key, 1));
    cuzk_tiers_lost(&tiers, 1);
    settle(0); /* it is loaded again from the page cache or the disk */
    assert_false(is_warm(key));
}

static void test_warm__what_a_device_in_host_memory_works_from(void **state)
{
    (void)state;
    open_tiers(1, 0, 0);
    tiers.in_host[0] = true;
    const uint32_t named = add(5, 1, (struct cuzk_tiers_need){0}),
                   other = add(5, 1, (struct cuzk_tiers_need){0});

    assert_true(make_hot(named, 0) && make_hot(other, 0));
    cuzk_tiers_name(&tiers, named);
    settle(0);
    assert_true(is_warm(named));
    assert_false(is_warm(other));
}

/* Room is made for a file whose key has no place, at the cost of one whose key is hot; never of a hot key. */
static void test_warm__room_goes_to_who_is_not_hot(void **state)
{
    (void)state;
    open_tiers(1, 20, 10);
    const uint32_t first = add(8, 4, (struct cuzk_tiers_need){.key_device = 6, .key_host = 1});
    const uint32_t second = add(9, 4, (struct cuzk_tiers_need){.key_device = 7, .key_host = 2});

    assert_true(make_hot(first, 0));
    assert_true(make_hot(second, 0));
    assert_int_equal(cuzk_tiers_of(&tiers, first), CUZK_TIER_COLD);
    settle(0); /* 2 of the hot key, 8 of the file, 4 of a partition: 9 more are too much */
    assert_true(is_warm(first));
    assert_false(is_warm(second));
    assert_true(make_hot(first, 0)); /* they change places */
    assert_int_equal(cuzk_tiers_of(&tiers, second), CUZK_TIER_COLD);
    settle(0);
    assert_true(is_warm(second));
    assert_false(is_warm(first));
    tiers.host_budget = 1 + 9 + 8 + 4;
    settle(5); /* partitions at work hold one more */
    assert_false(is_warm(first));
    settle(4);
    assert_true(is_warm(first) && is_warm(second));
}

static void test_warm__goes_before_hot_keys_do(void **state)
{
    (void)state;
    open_tiers(1, 20, 0);
    tiers.in_host[0] = true;
    const uint32_t first = add(8, 4, (struct cuzk_tiers_need){.key_host = 4});
    const uint32_t second = add(9, 4, (struct cuzk_tiers_need){.key_host = 5});

    cuzk_tiers_name(&tiers, first);
    assert_true(make_hot(first, 0));
    settle(0); /* 8 + 4 + a partition of 4 */
    assert_int_equal(cuzk_tiers_host_bytes(&tiers), 12);
    assert_int_equal(cuzk_tiers_next(&tiers, second, 0).action, CUZK_TIERS_COOL);
    assert_true(make_hot(second, 0));
    assert_int_equal(cuzk_tiers_host_bytes(&tiers), 9);
    assert_int_equal(cuzk_tiers_of(&tiers, first), CUZK_TIER_HOT);
    settle(0); /* 9 + 8 + 4: not at the cost of hot keys */
    assert_false(is_warm(first));
    tiers.host_budget = 21;
    settle(5); /* nor of partitions at work */
    assert_false(is_warm(first));
    settle(4);
    assert_true(is_warm(first));
    cuzk_tiers_lost(&tiers, 0);
    assert_int_equal(cuzk_tiers_of(&tiers, first), CUZK_TIER_WARM);
    assert_int_equal(cuzk_tiers_of(&tiers, second), CUZK_TIER_COLD);
}

static void test_fits__refuses_one_key_with_the_sum(void **state)
{
    const uint64_t gib = UINT64_C(1) << 30;
    struct cuzk_tiers_need need[2] = {{.key_host = 3 * gib}, {.key_host = 2 * gib}};
    struct cuzk_error err;

    (void)state;
    open_tiers(2, 4 * gib, 0);
    assert_int_equal(cuzk_tiers_fits(&tiers, "porep-32g", gib, need, &err), CUZK_OK);
    assert_int_equal(cuzk_tiers_fits(&tiers, "porep-32g", 2 * gib, need, &err), CUZK_MEMORY);
    assert_non_null(strstr(err.message, "porep-32g: 3.000 GiB of key + 2.000 GiB for one partition = 5.000"));
    assert_non_null(strstr(err.message, "the budget is 4.000 GiB"));
    tiers.device_budget[0] = tiers.device_budget[1] = 10;
    need[1].key_device = 11;
    assert_int_equal(cuzk_tiers_fits(&tiers, "porep-32g", gib, need, &err), CUZK_MEMORY);
}

static void test_reserve__counts_as_long_as_it_lasts(void **state)
{
    (void)state;
    open_tiers(1, 20, 10);
    const uint32_t first =
        add(0, 4, (struct cuzk_tiers_need){.key_device = 3, .key_host = 5, .unit_device = 1});
    const uint32_t second = add(0, 4, (struct cuzk_tiers_need){.key_device = 3, .unit_device = 1});

    assert_true(make_hot(first, 0));
    assert_false(cuzk_tiers_reserve(&tiers, 0, 7, 1));  /* 3 and a unit of 1 */
    assert_false(cuzk_tiers_reserve(&tiers, 0, 1, 12)); /* 5 and a partition of 4 */
    assert_true(cuzk_tiers_reserve(&tiers, 0, 6, 11));
    assert_int_equal(cuzk_tiers_device_bytes(&tiers, 0), 9);
    assert_int_equal(cuzk_tiers_host_bytes(&tiers), 16);
    cuzk_tiers_acquire(&tiers, first, 0);
    assert_int_equal(cuzk_tiers_next(&tiers, second, 0).action, CUZK_TIERS_WAIT);
    cuzk_tiers_unreserve(&tiers, 0);
    assert_int_equal(cuzk_tiers_next(&tiers, second, 0).action, CUZK_TIERS_LOAD);
    assert_int_equal(cuzk_tiers_host_bytes(&tiers), 5);
}

/* ---- random use against a model ---- */

enum { MODEL_KEYS = 8, MODEL_DEVICES = 3 };

/* Places in the order of their last use, oldest first; sums are counted from the ground each time. */
struct model {
    uint32_t order[MODEL_KEYS * MODEL_DEVICES], count;
    uint32_t warm[MODEL_KEYS], warm_count;
    uint32_t references[MODEL_KEYS][MODEL_DEVICES];
};

static uint32_t at(uint32_t key, uint32_t device)
{
    return key * MODEL_DEVICES + device;
}

static void list_remove(uint32_t *list, uint32_t *count, uint32_t item)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == item) {
            memmove(list + i, list + i + 1, (*count - i - 1) * sizeof *list);
            --*count;
            return;
        }
}

static bool list_has(const uint32_t *list, uint32_t count, uint32_t item)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == item)
            return true;
    return false;
}

static void list_refresh(uint32_t *list, uint32_t *count, uint32_t item)
{
    list_remove(list, count, item);
    list[(*count)++] = item;
}

static void model_use(struct model *model, uint32_t key, uint32_t device)
{
    list_refresh(model->order, &model->count, at(key, device));
    if (list_has(model->warm, model->warm_count, key))
        list_refresh(model->warm, &model->warm_count, key);
}

static const struct cuzk_tiers_need *need_of(uint32_t key, uint32_t device)
{
    return &tiers.key[key].place[device].need;
}

static bool model_fits(const struct model *model, uint32_t key, uint32_t device, bool *host_short)
{
    uint64_t host = need_of(key, device)->key_host, on_device = need_of(key, device)->key_device;
    uint64_t unit = need_of(key, device)->unit_device, partition = tiers.key[key].partition;

    for (uint32_t i = 0; i < model->count; i++) {
        const uint32_t k = model->order[i] / MODEL_DEVICES, d = model->order[i] % MODEL_DEVICES;

        host += need_of(k, d)->key_host;
        if (tiers.key[k].partition > partition)
            partition = tiers.key[k].partition;
        if (d == device) {
            on_device += need_of(k, d)->key_device;
            if (need_of(k, d)->unit_device > unit)
                unit = need_of(k, d)->unit_device;
        }
    }
    for (uint32_t i = 0; i < model->warm_count; i++)
        host += tiers.key[model->warm[i]].file_bytes;
    *host_short = host + partition > tiers.host_budget;
    return !*host_short && on_device + tiers.units * unit <= tiers.device_budget[device];
}

/* What must go next, in the model's eyes; false: nothing can. */
static bool model_evict(struct model *model, uint32_t device, bool host_short)
{
    if (host_short && model->warm_count > 0) {
        list_remove(model->warm, &model->warm_count, model->warm[0]);
        return true;
    }
    for (unsigned pass = 0; pass < (host_short ? 2 : 1); pass++)
        for (uint32_t i = 0; i < model->count; i++) {
            const uint32_t k = model->order[i] / MODEL_DEVICES, d = model->order[i] % MODEL_DEVICES;

            if (model->references[k][d] == 0 && (pass == 0) == (d == device) &&
                (pass == 0 || need_of(k, d)->key_host > 0)) {
                list_remove(model->order, &model->count, model->order[i]);
                return true;
            }
        }
    return false;
}

static bool model_hot(struct model *model, uint32_t key, uint32_t device)
{
    bool host_short;

    while (!list_has(model->order, model->count, at(key, device))) {
        if (model_fits(model, key, device, &host_short))
            model->order[model->count++] = at(key, device);
        else if (!model_evict(model, device, host_short))
            return false;
    }
    model_use(model, key, device);
    return true;
}

static void compare(const struct model *model)
{
    uint64_t host = 0, on_device[MODEL_DEVICES] = {0};

    for (uint32_t k = 0; k < MODEL_KEYS; k++) {
        const bool warm = list_has(model->warm, model->warm_count, k);

        assert_int_equal(tiers.key[k].warm, warm ? CUZK_TIERS_THERE : CUZK_TIERS_AWAY);
        host += warm ? tiers.key[k].file_bytes : 0;
        for (uint32_t d = 0; d < MODEL_DEVICES; d++) {
            const bool hot = list_has(model->order, model->count, at(k, d));

            assert_int_equal(tiers.key[k].place[d].state, hot ? CUZK_TIERS_THERE : CUZK_TIERS_AWAY);
            assert_int_equal(tiers.key[k].place[d].references, model->references[k][d]);
            host += hot ? need_of(k, d)->key_host : 0;
            on_device[d] += hot ? need_of(k, d)->key_device : 0;
        }
    }
    assert_int_equal(cuzk_tiers_host_bytes(&tiers), host);
    assert_true(host <= tiers.host_budget);
    for (uint32_t d = 0; d < MODEL_DEVICES; d++) {
        assert_int_equal(cuzk_tiers_device_bytes(&tiers, d), on_device[d]);
        assert_true(on_device[d] <= tiers.device_budget[d]);
    }
}

/* Sums from the ground: whether the keys that were ever hot on a device are too many for it. */
static bool model_contested(uint32_t device)
{
    uint64_t on_device = 0, unit = 0, host = 0, partition = 0;

    for (uint32_t k = 0; k < MODEL_KEYS; k++)
        for (uint32_t d = 0; d < MODEL_DEVICES; d++) {
            if (!tiers.key[k].place[d].asked)
                continue;
            host += need_of(k, d)->key_host;
            partition = tiers.key[k].partition > partition ? tiers.key[k].partition : partition;
            on_device += d == device ? need_of(k, d)->key_device : 0;
            if (d == device && need_of(k, d)->unit_device > unit)
                unit = need_of(k, d)->unit_device;
        }
    return on_device + tiers.units * unit > tiers.device_budget[device] ||
           host + partition > tiers.host_budget;
}

/* After files were moved: none is warm that nobody wants, and none is cold that is wanted and fits. */
static void model_settled(struct model *model)
{
    for (uint32_t k = 0; k < MODEL_KEYS; k++) {
        uint64_t host = tiers.key[k].file_bytes + cuzk_tiers_host_bytes(&tiers);
        uint64_t partition = tiers.key[k].partition;
        bool wanted = false;

        for (uint32_t d = 0; d < MODEL_DEVICES; d++)
            wanted |= tiers.key[k].place[d].asked && model_contested(d);
        assert_int_equal(cuzk_tiers_wants_warm(&tiers, k), wanted);
        for (uint32_t i = 0; i < model->count; i++) {
            const uint64_t other = tiers.key[model->order[i] / MODEL_DEVICES].partition;

            partition = other > partition ? other : partition;
        }
        if (is_warm(k))
            assert_true(wanted);
        else if (wanted && tiers.key[k].file_bytes > 0)
            assert_true(host + partition > tiers.host_budget);
        list_remove(model->warm, &model->warm_count, k);
    }
    for (uint64_t used = 0; used <= tiers.clock; used++)
        for (uint32_t k = 0; k < MODEL_KEYS; k++)
            if (is_warm(k) && tiers.key[k].warm_used == used)
                list_refresh(model->warm, &model->warm_count, k);
}

static void random_run(struct test_random *random)
{
    struct model model = {0};

    open_tiers(MODEL_DEVICES, 20 + test_random_below(random, 80), 10 + test_random_below(random, 40));
    tiers.units = 1 + (uint32_t)test_random_below(random, 2);
    for (uint32_t k = 0; k < MODEL_KEYS; k++)
        add(test_random_below(random, 30), test_random_below(random, 8),
            (struct cuzk_tiers_need){.key_device = test_random_below(random, 12),
                                     .key_host = test_random_below(random, 3) * test_random_below(random, 8),
                                     .unit_device = test_random_below(random, 5)});
    for (unsigned i = 0; i < 300; i++) {
        const uint32_t key = (uint32_t)test_random_below(random, MODEL_KEYS);
        const uint32_t device = (uint32_t)test_random_below(random, MODEL_DEVICES);

        switch (test_random_below(random, 16)) {
        case 0:
            cuzk_tiers_lost(&tiers, device);
            for (uint32_t k = 0; k < MODEL_KEYS; k++) {
                list_remove(model.order, &model.count, at(k, device));
                while (model.references[k][device] > 0) { /* the units that used it are gone */
                    cuzk_tiers_release(&tiers, k, device);
                    model.references[k][device]--;
                }
            }
            break;
        case 1:
        case 2:
        case 3:
            settle(0);
            model_settled(&model);
            break;
        case 4:
        case 5:
        case 6:
        case 7:
        case 8:
            if (model.references[key][device] > 0) {
                cuzk_tiers_release(&tiers, key, device);
                model.references[key][device]--;
            }
            break;
        default: {
            const bool hot = make_hot(key, device);

            assert_int_equal(model_hot(&model, key, device), hot);
            if (hot && test_random_below(random, 2) == 0) {
                cuzk_tiers_acquire(&tiers, key, device);
                model.references[key][device]++;
                model_use(&model, key, device);
            }
            break;
        }
        }
        compare(&model);
    }
}

static void test_random__agrees_with_the_model(void **state)
{
    struct test_random random;

    (void)state;
    test_random_init(&random);
    for (unsigned run = 0; run < 300; run++)
        random_run(&random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next__evicts_the_least_recently_used),
        cmocka_unit_test(test_next__leaves_room_for_the_largest_unit),
        cmocka_unit_test(test_warm__only_where_a_key_may_have_to_go),
        cmocka_unit_test(test_warm__a_lost_device_makes_nothing_warm),
        cmocka_unit_test(test_warm__what_a_device_in_host_memory_works_from),
        cmocka_unit_test(test_warm__room_goes_to_who_is_not_hot),
        cmocka_unit_test(test_warm__goes_before_hot_keys_do),
        cmocka_unit_test(test_fits__refuses_one_key_with_the_sum),
        cmocka_unit_test(test_reserve__counts_as_long_as_it_lasts),
        cmocka_unit_test(test_random__agrees_with_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
