/*
 * What a key and a unit hold on a device, computed from the circuit's sizes before either is made.
 *
 * The circuit's variables are counted without recording it; constraints and terms, which are not counted,
 * follow from them by bounds that hold for every circuit of this project (test_device_need holds them to the
 * recorded circuits). Thread-safe.
 */
#ifndef CUZK_ENGINE_DEVICE_NEED_H
#define CUZK_ENGINE_DEVICE_NEED_H

#include "backend/backend.h"
#include "engine/device.h"

/* On a device with memory of its own the backend says what its kernels take (backend/backend.h, needs), which
 * *device receives as it is; all zero where a device works in host memory. device may be NULL. Errors:
 * ARGUMENT (no such circuit), MEMORY (the device cannot hold it; both figures are named). */
enum cuzk_status cuzk_device_need_estimate(const struct cuzk_backend *backend,
                                           const struct cuzk_circuit_id *circuit,
                                           struct cuzk_device_need *out, struct cuzk_backend_needs *device,
                                           struct cuzk_error *err);

#endif
