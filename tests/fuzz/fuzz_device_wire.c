/* Messages of a device's child: refused, or within every bound that is relied on. */
#include <stdlib.h>
#include <string.h>

#include "engine/device_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* The input, and the input over a right message of the right size, so that single fields are reached. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cuzk_wire_message given, taken;
    struct cuzk_error err;
    uint32_t at = 0;

    (void)cuzk_wire_check(data, size, &taken, &err);
    cuzk_wire_init(&given, CUZK_WIRE_DONE);
    if (size >= sizeof at)
        memcpy(&at, data, sizeof at);
    at %= sizeof given;
    const size_t room = sizeof given - at;

    if (size > sizeof at)
        memcpy((uint8_t *)&given + at, data + sizeof at, size - sizeof at < room ? size - sizeof at : room);
    if (cuzk_wire_check(&given, sizeof given, &taken, &err) != CUZK_OK) {
        must(err.status == CUZK_INPUT);
        return 0;
    }
    must(taken.kind < CUZK_WIRE_KINDS && taken.stage < CUZK_STAGES && taken.slot < CUZK_WIRE_SLOTS_MOST);
    must(taken.status <= CUZK_INTERNAL && cuzk_status_text((enum cuzk_status)taken.status) != NULL);
    must(strlen(taken.text) < sizeof taken.text && strlen(taken.facts.name) < sizeof taken.facts.name);
    must(strlen(taken.facts.backend) < sizeof taken.facts.backend);
    must(strlen(taken.facts.id) < sizeof taken.facts.id);
    must((unsigned)taken.circuit.kind < CUZK_CIRCUIT_KINDS);
    return 0;
}
