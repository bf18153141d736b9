#include "backend/choice.h"

#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/cuda/cuda.h"

enum cuzk_status cuzk_backend_open(const char *choice, struct cuzk_pool *pool, struct cuzk_backend **out,
                                   struct cuzk_error *err)
{
    int devices;

    *out = NULL;
    if (choice == NULL || strcmp(choice, "auto") == 0)
        choice = cuzk_cuda_device_count(&devices, NULL) == CUZK_OK && devices > 0 ? "cuda" : "cpu";
    if (strcmp(choice, "cpu") == 0)
        return cuzk_backend_cpu_create(pool, out, err);
    if (strcmp(choice, "cuda") == 0)
        return cuzk_backend_cuda_create(NULL, out, err);
    if (strncmp(choice, "cuda:", 5) == 0 && choice[5] != '\0')
        return cuzk_backend_cuda_create(choice + 5, out, err);
    return cuzk_error_set(err, CUZK_ARGUMENT, "no backend \"%s\": auto, cpu, cuda, cuda:ORDINAL or cuda:UUID",
                          choice);
}
