#include "server/rpc.h"

#include <string.h>

static const struct cuzk_rpc_group *const groups[] = {&cuzk_rpc_proof, &cuzk_rpc_status, &cuzk_rpc_keys,
                                                      &cuzk_rpc_health, &cuzk_rpc_reflection};

const struct cuzk_rpc_method *cuzk_rpc_find(grpc_slice path)
{
    const size_t n = GRPC_SLICE_LENGTH(path);
    const uint8_t *name = GRPC_SLICE_START_PTR(path);

    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (size_t i = 0; i < groups[g]->count; i++) {
            const char *candidate = groups[g]->methods[i].path;

            if (strlen(candidate) == n && memcmp(candidate, name, n) == 0)
                return &groups[g]->methods[i];
        }
    return NULL;
}

grpc_status_code cuzk_rpc_code(enum cuzk_status status)
{
    switch (status) {
    case CUZK_OK:
        return GRPC_STATUS_OK;
    case CUZK_ARGUMENT:
    case CUZK_INPUT:
    case CUZK_INVALID:
    case CUZK_UNSATISFIED:
        return GRPC_STATUS_INVALID_ARGUMENT;
    case CUZK_NOT_FOUND:
        return GRPC_STATUS_NOT_FOUND;
    case CUZK_BUSY:
        return GRPC_STATUS_RESOURCE_EXHAUSTED;
    case CUZK_MEMORY: /* it does not fit, and coming back would not help */
    case CUZK_EXISTS:
    case CUZK_UNSUPPORTED:
        return GRPC_STATUS_FAILED_PRECONDITION;
    case CUZK_IO:
    case CUZK_DEVICE:
    case CUZK_DEVICE_LOST:
    case CUZK_CANCELLED: /* draining */
        return GRPC_STATUS_UNAVAILABLE;
    case CUZK_INTERNAL:
        return GRPC_STATUS_INTERNAL;
    }
    return GRPC_STATUS_INTERNAL;
}
