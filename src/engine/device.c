#include "engine/device.h"

#include <string.h>

const char *cuzk_device_lane_prefix(const char *backend)
{
    return strcmp(backend, "cpu") == 0 ? "cpu" : "gpu";
}

void cuzk_device_destroy(struct cuzk_device *device)
{
    if (device != NULL)
        device->ops->destroy(device);
}

enum cuzk_status cuzk_device_check_stage(const struct cuzk_device *device, const char *name, unsigned slot,
                                         enum cuzk_sched_stage stage, struct cuzk_error *err)
{
    if (slot >= device->slots || stage < CUZK_STAGE_SETUP || stage > CUZK_STAGE_FINISH)
        return cuzk_error_set(err, CUZK_ARGUMENT, "device %s: no slot %u or stage %d", name, slot,
                              (int)stage);
    return CUZK_OK;
}
