#include "engine/key_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "circuit/circuit.h"
#include "groth16/params.h"
#include "groth16/verify.h"
#include "oracle/sector_case.h"
#include "srs/directory.h"

struct cuzk_circuit_id key_unit_circuit;

static struct sector_case its;
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

const char *key_unit_params(void)
{
    static char path[CUZK_PARAMETER_PATH];

    OK(cuzk_parameter_find(getenv("CUZK_TEST_KEY"), &key_unit_circuit, ".params", path, &err));
    return path;
}

static void open_sector(const char *sector)
{
    struct cuzk_circuit circuit;

    sector_case_open(sector, &its);
    key_unit_circuit = its.that->circuit;
    OK(cuzk_circuit_open(&key_unit_circuit, &circuit, &err));
    OK(cuzk_circuit_layout(&circuit, &layout, &err));
    OK(cuzk_shared_witness_create(&layout, &witness, &err));
    OK(its.that->ops->witness(its.that, 0, &circuit, NULL, NULL, &witness->witness, &err));
    OK(cuzk_params_open(key_unit_params(), &params, &err));
    OK(cuzk_prepared_vk_create(NULL, &params.vk, &vk, &err));
}

int key_unit_open_porep(void **state)
{
    (void)state;
    open_sector("sectors/porep-2k");
    return 0;
}

int key_unit_open_window(void **state)
{
    (void)state;
    open_sector("sectors/window-2k");
    return 0;
}

int key_unit_close(void **state)
{
    (void)state;
    cuzk_prepared_vk_destroy(vk);
    cuzk_params_close(&params);
    cuzk_shared_witness_destroy(witness);
    cuzk_witness_layout_destroy(&layout);
    sector_case_close(&its);
    return 0;
}

struct cuzk_device_unit key_unit(void)
{
    return (struct cuzk_device_unit){.circuit = &key_unit_circuit, .witness = witness};
}

bool key_unit_verifies(const uint8_t proof[CUZK_PROOF_BYTES])
{
    const struct cuzk_public_inputs inputs = {its.that->ops->inputs(its.that, 0), its.that->inputs};

    return cuzk_verify(vk, &inputs, proof, CUZK_PROOF_BYTES, NULL) == CUZK_OK;
}

enum cuzk_status key_unit_prove(struct cuzk_device *device, unsigned slot, struct cuzk_device_unit *unit,
                                struct cuzk_error *err)
{
    static const enum cuzk_sched_stage stages[] = {CUZK_STAGE_SETUP, CUZK_STAGE_UPLOAD, CUZK_STAGE_QUOTIENT,
                                                   CUZK_STAGE_MSM, CUZK_STAGE_FINISH};

    *unit = key_unit();
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        CUZK_TRY(device->ops->stage(device, slot, stages[i], unit, err));
    return CUZK_OK;
}

enum cuzk_status key_unit_load(struct cuzk_device *device, struct cuzk_error *err)
{
    return device->ops->load(device, &key_unit_circuit, key_unit_params(), NULL, err);
}

void key_unit_assert_proves(struct cuzk_device *device, unsigned slot)
{
    struct cuzk_device_unit unit;

    OK(key_unit_prove(device, slot, &unit, &err));
    assert_true(key_unit_verifies(unit.proof));
    assert_true(unit.kernels_ns > 0);
}
