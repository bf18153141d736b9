#include "engine/porep_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "circuit/circuit.h"
#include "engine/porep_case.h"
#include "groth16/params.h"
#include "groth16/verify.h"
#include "srs/directory.h"
#include "support/fixture.h"

const struct cuzk_circuit_id porep_unit_circuit = {CUZK_CIRCUIT_POREP, 2048};

static struct cuzk_porep_case porep;
static struct cuzk_witness_layout layout;
static struct cuzk_shared_witness *witness;
static struct cuzk_prepared_vk *vk;
static struct cuzk_params params;

#define OK(call)                                                                                             \
    do {                                                                                                     \
        struct cuzk_error err = {0};                                                                         \
        if ((call) != CUZK_OK)                                                                               \
            fail_msg("%s", err.message);                                                                     \
    } while (0)

const char *porep_unit_params(void)
{
    static char path[CUZK_PARAMETER_PATH];

    OK(cuzk_parameter_find(getenv("CUZK_TEST_KEY"), &porep_unit_circuit, ".params", path, &err));
    return path;
}

void porep_unit_open(void)
{
    const struct cuzk_porep_facts facts = {0};
    struct cuzk_circuit circuit;
    size_t length;
    uint8_t *c1 = fixture_read(&length, "sectors/porep-2k/c1.json");

    OK(cuzk_porep_case_open("c1.json", c1, length, &facts, NULL, &porep, &err));
    free(c1);
    OK(cuzk_circuit_open(&porep_unit_circuit, &circuit, &err));
    OK(cuzk_circuit_layout(&circuit, &layout, &err));
    OK(cuzk_shared_witness_create(&layout, &witness, &err));
    OK(porep.common.ops->witness(&porep.common, 0, &circuit, NULL, &witness->witness, &err));
    OK(cuzk_params_open(porep_unit_params(), &params, &err));
    OK(cuzk_prepared_vk_create(NULL, &params.vk, &vk, &err));
}

void porep_unit_close(void)
{
    cuzk_prepared_vk_destroy(vk);
    cuzk_params_close(&params);
    cuzk_shared_witness_destroy(witness);
    cuzk_witness_layout_destroy(&layout);
    cuzk_porep_case_close(&porep);
}

struct cuzk_device_unit porep_unit(void)
{
    return (struct cuzk_device_unit){.circuit = &porep_unit_circuit, .witness = witness};
}

bool porep_unit_verifies(const uint8_t proof[CUZK_PROOF_BYTES])
{
    const struct cuzk_public_inputs inputs = {cuzk_porep_case_inputs(&porep, 0), porep.common.inputs};

    return cuzk_verify(vk, &inputs, proof, CUZK_PROOF_BYTES, NULL) == CUZK_OK;
}

enum cuzk_status porep_unit_prove(struct cuzk_device *device, unsigned slot, struct cuzk_device_unit *unit,
                                  struct cuzk_error *err)
{
    static const enum cuzk_sched_stage stages[] = {CUZK_STAGE_SETUP, CUZK_STAGE_UPLOAD, CUZK_STAGE_QUOTIENT,
                                                   CUZK_STAGE_MSM, CUZK_STAGE_FINISH};

    *unit = porep_unit();
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        CUZK_TRY(device->ops->stage(device, slot, stages[i], unit, err));
    return CUZK_OK;
}
