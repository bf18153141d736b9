#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "srs/circuit_id.h"
#include "support/fixture.h"

/* The kind that fixtures/circuits calls so; -1: none yet. */
static int kind_of(const char *name)
{
    static const char *const names[CUZK_CIRCUIT_KINDS] = {
        [CUZK_CIRCUIT_POREP] = "porep",           [CUZK_CIRCUIT_WINNING] = "winning",
        [CUZK_CIRCUIT_WPOST] = "window",          [CUZK_CIRCUIT_SNAP] = "update",
        [CUZK_CIRCUIT_SNAPP] = "update-poseidon",
    };

    for (int kind = 0; kind < CUZK_CIRCUIT_KINDS; kind++)
        if (strcmp(names[kind], name) == 0)
            return kind;
    return -1;
}

static void test_names__equal_the_reference(void **state)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "circuits/circuits.json");
    struct fixture_json circuits = fixture_json_get(fixture_json_parse(text), "circuits"),
                        circuit = {NULL, 0};
    int checked = 0;

    (void)state;
    while (fixture_json_next(circuits, &circuit)) {
        char *kind = fixture_json_string(fixture_json_get(circuit, "kind"));
        struct cuzk_circuit_id id = {(enum cuzk_circuit_kind)kind_of(kind),
                                     fixture_json_u64(fixture_json_get(circuit, "sector_size"))};
        struct fixture_json published = fixture_json_get(circuit, "published");
        char name[CUZK_PARAMETER_NAME], identifier[512], short_name[CUZK_CIRCUIT_NAME];
        struct cuzk_circuit_id back;

        if (kind_of(kind) >= 0) {
            char *file = fixture_json_string(fixture_json_get(circuit, "params_file"));
            char *want = fixture_json_string(fixture_json_get(circuit, "identifier"));

            assert_int_equal(cuzk_circuit_id_identifier(&id, identifier, NULL), CUZK_OK);
            assert_string_equal(identifier, want);
            assert_int_equal(cuzk_circuit_id_parameter_name(&id, name, NULL), CUZK_OK);
            assert_int_equal(strncmp(file, name, strlen(name)), 0);
            assert_string_equal(file + strlen(name), ".params");
            cuzk_circuit_id_format(&id, short_name);
            assert_int_equal(cuzk_circuit_id_parse(short_name, &back, NULL), CUZK_OK);
            assert_true(back.kind == id.kind && back.sector_size == id.sector_size);
            if (fixture_json_is_null(published)) {
                assert_null(cuzk_circuit_id_published(&id));
            } else {
                char *digest = fixture_json_string(fixture_json_get(published, "digest"));
                char *cid = fixture_json_string(fixture_json_get(published, "cid"));

                assert_string_equal(cuzk_circuit_id_published(&id)->digest, digest);
                assert_string_equal(cuzk_circuit_id_published(&id)->cid, cid);
                free(digest);
                free(cid);
            }
            free(file);
            free(want);
            checked++;
        }
        free(kind);
    }
    assert_int_equal(checked, 8 * CUZK_CIRCUIT_KINDS);
    free(text);
}

static void test_parse__refuses_other_names(void **state)
{
    static const char *const bad[] = {"",         "porep",     "porep-",   "porep-2K",
                                      "porep-1k", "porep-2k ", "winning-x"};
    struct cuzk_circuit_id id;
    struct cuzk_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(cuzk_circuit_id_parse(bad[i], &id, &err), CUZK_ARGUMENT);
        assert_non_null(strstr(err.message, "expected one of porep-S"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__equal_the_reference),
        cmocka_unit_test(test_parse__refuses_other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
