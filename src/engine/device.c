#include "engine/device.h"

void cuzk_device_destroy(struct cuzk_device *device)
{
    if (device != NULL)
        device->ops->destroy(device);
}
