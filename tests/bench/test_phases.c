#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/json_reader.h"
#include "bench/phases.h"
#include "bench/published.h"
#include "support/fixture.h"

enum { SEEDS = 6 };

static struct cuzk_machine_model historical, h200;
static struct cuzk_published_figures published;
static struct cuzk_phases phases, phases_h200;

/* The bounds that were set before: a file cannot loosen them. */
static const struct {
    const char *group;
    double each, median;
    uint32_t least_rows;
} bounds[] = {
    {"fitted", 5, 5, 14},     {"throughput", 9, 4, 39},        {"calls", 16, 6, 22},
    {"utilisation", 4, 4, 4}, {"utilisation-single", 9, 9, 1}, {"gaps", 35, 35, 1},
    {"memory-5", 12, 12, 9},  {"memory-20", 15, 15, 4},        {"memory-open", 25, 25, 2},
    {"others", 9, 9, 2},
};

static void test_published__rows_are_within_their_bounds(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        const struct cuzk_published_group *group = NULL;

        for (uint32_t g = 0; g < published.group_count; g++)
            if (strcmp(published.groups[g].name, bounds[b].group) == 0)
                group = &published.groups[g];
        assert_non_null(group);
        assert_true(group->unit != CUZK_PUBLISHED_NONE);
        assert_true(group->each <= bounds[b].each && group->median <= bounds[b].median);
        assert_true(group->rows >= bounds[b].least_rows);
        for (uint32_t i = 0; i < published.row_count; i++) {
            const struct cuzk_published_row *row = &published.rows[i];

            if (&published.groups[row->group] == group && fabs(row->error) > bounds[b].each)
                fail_msg("%s, %s: published %.1f, simulated %.1f, error %+.1f", group->name, row->name,
                         row->published, row->simulated, row->error);
        }
        if (group->middle > bounds[b].median)
            fail_msg("%s: median error %.1f", group->name, group->middle);
    }
}

static double per_proof(const char *preset, const char *knobs, uint32_t proofs, uint32_t in_flight)
{
    struct cuzk_sim_result result;
    struct cuzk_knobs set;

    assert_int_equal(cuzk_published_knobs(preset, knobs, &set, NULL), CUZK_OK);
    assert_int_equal(cuzk_bench_simulate(&historical, &set, proofs, in_flight, SEEDS, &result, NULL),
                     CUZK_OK);
    return result.per_proof;
}

static void test_shapes__are_those_of_the_history(void **state)
{
    const double at_12 = per_proof("phase-12", "partition_workers=12", 20, 20),
                 at_14 = per_proof("phase-12", "partition_workers=14", 20, 20),
                 at_16 = per_proof("phase-12", "partition_workers=16", 20, 20);
    const double two = per_proof("phase-11", "membw_throttle=off", 20, 15);
    const double phase_7 = per_proof("phase-7", "", 5, 3), phase_8 = per_proof("phase-8", "", 5, 3),
                 phase_9 = per_proof("phase-9", "", 5, 3);

    (void)state;
    assert_true(fabs(at_14 / at_12 - 1) < 0.03 && fabs(at_16 / at_12 - 1) < 0.03);
    assert_true(per_proof("phase-11", "membw_throttle=off workers_per_device=3", 20, 15) > 0.99 * two);
    assert_true(per_proof("phase-11", "membw_throttle=off workers_per_device=4", 20, 15) > 0.99 * two);
    assert_true(phase_7 > phase_8 && phase_8 > phase_9);
    assert_true(per_proof("phase-8", "partition_workers=30", 5, 3) >
                1.10 * per_proof("phase-8", "partition_workers=20", 5, 3));
}

static void test_published__refuses_with_the_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"groups\":[],\"rows\":[{\"group\":\"x\"}]}", "row"},
        {"{\"groups\":[{\"group\":\"x\"}]}", "expected group, meaning, unit"},
        {"{\"colour\":1}", "unknown field"},
        {"[]", "figures"},
        {"{\"groups\":[],\"rows\":[{\"group\":\"x\",\"row\":\"r\",\"preset\":\"phase-0\",\"knobs\":\"\","
         "\"proofs\":1,\"in_flight\":1,\"metric\":\"gaps\",\"published\":1}]}",
         "group 'x' is not among"},
        {"{\"groups\":[],\"rows\":[{\"proofs\":0}]}", "expected 1 to 10000, found 0"},
    };
    static struct cuzk_published_figures out;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_error err = {CUZK_OK, ""};

        assert_int_equal(cuzk_published_read("p", cases[i].text, strlen(cases[i].text), &out, &err),
                         CUZK_INPUT);
        if (strstr(err.message, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].text, err.message);
    }
}

static void test_run__covers_every_preset(void **state)
{
    (void)state;
    assert_int_equal(phases.phase_count, 14);
    for (uint32_t i = 0; i < phases.phase_count; i++) {
        const struct cuzk_phase *phase = &phases.phases[i];
        double parts = 0;

        if (i == 10) { /* two locks do not fit 16 GiB: said with the sum */
            assert_false(phase->runs);
            assert_non_null(strstr(phase->refusal, "= 25.3 GiB; the device has 16.0 GiB"));
            continue;
        }
        assert_true(phase->runs);
        for (unsigned part = 0; part < CUZK_PARTS; part++)
            parts += phase->loaded.part[part];
        assert_true(fabs(parts - phase->loaded.per_proof) < 1e-3);
        assert_true(phase->kernel_floor < phase->loaded.per_proof);
        assert_true(phase->loaded_limit[0] != '\0' && phase->alone_limit[0] != '\0');
    }
    assert_true(phases.saturation >= 9 && phases.saturation <= 14);
    assert_true(phases.memory_slope > 15 && phases.memory_slope < 40);
    assert_int_equal(phases.question_count, 5);
    /* what the history argued about, decided from the device's time */
    assert_non_null(strstr(phases.phases[2].loaded_limit, "synthesis"));
    assert_non_null(strstr(phases.phases[7].loaded_limit, "PCIe"));
    assert_non_null(strstr(phases.phases[9].loaded_limit, "synthesis"));
    /* the whole key on the device and compact witnesses: what the engine is made for */
    assert_true(phases_h200.phases[13].runs && phases_h200.phases[10].runs);
    assert_true(phases_h200.phases[13].loaded.per_proof < 10);
    assert_non_null(strstr(phases_h200.phases[13].loaded_limit, "device kernels"));
}

static void test_write__tables_picture_and_page(void **state)
{
    struct cuzk_buffer text = {0}, page = {0}, picture = {0}, object = {0};
    struct cuzk_json_document reader;
    struct cuzk_json_writer json;

    (void)state;
    assert_int_equal(cuzk_phases_write_text(&phases, cuzk_buffer_sink(&text), NULL), CUZK_OK);
    for (char table = '1'; table <= '6'; table++) {
        const char heading[] = {'\n', table, '.', ' ', '\0'};

        assert_non_null(strstr(cuzk_buffer_text(&text), heading));
    }
    assert_non_null(strstr(cuzk_buffer_text(&text), "agreement is no proof"));
    assert_int_equal(cuzk_phases_write_svg(&phases, cuzk_buffer_sink(&picture), NULL), CUZK_OK);
    assert_true(strncmp(cuzk_buffer_text(&picture), "<svg ", 5) == 0);
    assert_int_equal(cuzk_phases_write_html(&phases, cuzk_buffer_sink(&page), NULL), CUZK_OK);
    assert_non_null(strstr(cuzk_buffer_text(&page), "</html>"));
    assert_null(strstr(cuzk_buffer_text(&page), "src="));
    assert_null(strstr(cuzk_buffer_text(&page), "href="));
    cuzk_json_write_init(&json, cuzk_buffer_sink(&object), false, NULL);
    cuzk_json_write_object_begin(&json);
    cuzk_phases_write_json(&phases, &json);
    cuzk_json_write_object_end(&json);
    assert_int_equal(cuzk_json_write_finish(&json), CUZK_OK);
    cuzk_json_read_init(&reader, "report", object.bytes, object.length);
    assert_int_equal(cuzk_json_read_skip(&reader, NULL), CUZK_OK);
    assert_int_equal(cuzk_json_read_end(&reader, NULL), CUZK_OK);
    cuzk_buffer_clear(&text);
    cuzk_buffer_clear(&page);
    cuzk_buffer_clear(&picture);
    cuzk_buffer_clear(&object);
}

static void read_model(const char *name, struct cuzk_machine_model *model)
{
    struct cuzk_error err;
    size_t length;
    uint8_t *text = fixture_read(&length, "../../models/%s", name);

    if (cuzk_machine_model_read(name, text, length, model, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    free(text);
}

static int simulate(void **state)
{
    struct cuzk_error err;
    size_t length;
    uint8_t *text = fixture_read(&length, "../../models/threadripper-5070ti.published.json");

    (void)state;
    read_model("threadripper-5070ti.json", &historical);
    read_model("h200.json", &h200);
    if (cuzk_published_read("published", text, length, &published, &err) != CUZK_OK ||
        cuzk_published_compare(&historical, SEEDS, &published, &err) != CUZK_OK ||
        cuzk_phases_run(&historical, 20, 15, SEEDS, &phases, &err) != CUZK_OK ||
        cuzk_phases_run(&h200, 20, 15, 2, &phases_h200, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    phases.published = &published;
    free(text);
    return 0;
}

/* ---- measured: what the processors counted is part of the verdict ---- */

static enum cuzk_status pretend(void *context, const struct cuzk_knobs *knobs, uint32_t proofs,
                                uint32_t in_flight, struct cuzk_sim_result *out, struct cuzk_error *err)
{
    (void)knobs;
    (void)in_flight;
    (void)err;
    *out = *(const struct cuzk_sim_result *)context;
    out->wall = out->per_proof * proofs;
    return CUZK_OK;
}

static void test_measure__says_what_in_the_host_is_the_limit(void **state)
{
    static const struct {
        const char *backend;
        double ipc, remote;
        const char *says, *does_not;
    } cases[] = {
        {"cpu", 0.3, 0.1, "waits for memory: 12.0 GB/s", "another node"},
        {"cpu", 0.3, 0.6, "60% of cache lines from another node", "waits for memory"},
        {"cpu", 1.5, 0.1, "device kernels", ";"},
        {"cpu", 0, 0, "device kernels", ";"},      /* not counted */
        {"cuda", 0.3, 0.6, "device kernels", ";"}, /* they run elsewhere */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_sim_result result = {.per_proof = 2,
                                         .ipc = cases[i].ipc,
                                         .cache_gb_s = 12,
                                         .remote_share = cases[i].remote,
                                         .units = 1};
        const struct cuzk_phases_runner runner = {.run = pretend,
                                                  .context = &result,
                                                  .backend = cases[i].backend,
                                                  .partitions = 1,
                                                  .devices = 1,
                                                  .workers_most = 2,
                                                  .host_memory = 1};
        struct cuzk_phases *report = calloc(1, sizeof *report);
        struct cuzk_error err;

        assert_non_null(report);
        result.part[CUZK_PART_KERNELS] = 1.9;
        result.part[CUZK_PART_SYNTHESIS] = 0.1;
        if (cuzk_phases_measure(&runner, 4, 2, 1, report, &err) != CUZK_OK)
            fail_msg("%s", err.message);
        for (uint32_t p = 0; p < report->phase_count; p++) {
            assert_non_null(strstr(report->phases[p].loaded_limit, cases[i].says));
            assert_null(strstr(report->phases[p].loaded_limit, cases[i].does_not));
        }
        free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published__rows_are_within_their_bounds),
        cmocka_unit_test(test_shapes__are_those_of_the_history),
        cmocka_unit_test(test_published__refuses_with_the_place),
        cmocka_unit_test(test_run__covers_every_preset),
        cmocka_unit_test(test_write__tables_picture_and_page),
        cmocka_unit_test(test_measure__says_what_in_the_host_is_the_limit),
    };

    return cmocka_run_group_tests(tests, simulate, NULL);
}
