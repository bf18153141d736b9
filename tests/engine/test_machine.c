#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/machine.h"
#include "engine/model_file.h"

static void test_read__takes_both_models(void **state)
{
    struct cuzk_machine_model model;

    (void)state;
    read_model("threadripper-5070ti.json", &model);
    assert_true(model.partitions == 10 && model.device_memory == 16 && model.gib_key == 44);
    read_model("h200.json", &model);
    assert_true(model.device_memory == 139);
}

/* A model with one line changed or dropped. */
static enum cuzk_status read_changed(const char *line, const char *instead, struct cuzk_error *err)
{
    struct cuzk_machine_model model;
    size_t length;
    char *text = read_model_text("h200.json", &length);
    char *found = strstr(text, line), *changed;

    assert_non_null(found);
    changed = malloc(length + strlen(instead) + 1);
    assert_non_null(changed);
    const int n = sprintf(changed, "%.*s%s%s", (int)(found - text), text, instead, found + strlen(line));
    const enum cuzk_status status = cuzk_machine_model_read("model.json", changed, (size_t)n, &model, err);

    free(text);
    free(changed);
    return status;
}

static void test_read__refuses_with_the_field(void **state)
{
    static const struct {
        const char *line, *instead, *says;
    } cases[] = {
        {"\"prepare\": 1.7,", "", "prepare: missing"},
        {"\"prepare\": 1.7,", "\"prepare\": 1.7, \"prepare\": 2,", "prepare: found a second time"},
        {"\"prepare\": 1.7,", "\"prepare\": 1.7, \"colour\": 2,", "unknown field 'colour'"},
        {"\"prepare\": 1.7,", "\"prepare\": -1,", "prepare: expected 0 to 10000, found -1"},
        {"\"prepare\": 1.7,", "\"prepare\": 1e300,", "prepare: expected 0 to 10000"},
        {"\"prepare\": 1.7,", "\"prepare\": \"1.7\",", "prepare"},
        {"\"devices\": 1,", "\"devices\": 0,", "devices: expected 1 to 16"},
        {"\"devices\": 1,", "\"devices\": 17,", "devices: expected 1 to 16"},
        {"\"name\": \"NVIDIA", "\"name\": \"\\u004eVIDIA", "name"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_error err = {CUZK_OK, ""};

        assert_int_equal(read_changed(cases[i].line, cases[i].instead, &err), CUZK_INPUT);
        if (strstr(err.message, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].instead, err.message);
    }
}

static void test_set__changes_one_number(void **state)
{
    struct cuzk_machine_model model;
    struct cuzk_error err;

    (void)state;
    read_model("h200.json", &model);
    assert_int_equal(cuzk_machine_model_set(&model, "device_memory=24", NULL), CUZK_OK);
    assert_true(model.device_memory == 24 && model.host_memory == 125);
    assert_int_equal(cuzk_machine_model_set(&model, "device_memory=x", &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_machine_model_set(&model, "device_memory", &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_machine_model_set(&model, "colour=2", &err), CUZK_ARGUMENT);
    assert_non_null(strstr(err.message, "processors, devices"));
    assert_true(model.device_memory == 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__takes_both_models),
        cmocka_unit_test(test_read__refuses_with_the_field),
        cmocka_unit_test(test_set__changes_one_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
