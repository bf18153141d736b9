/* What backend/cuda/cuda.h promises, in a build without CUDA. */
#include "backend/cuda/cuda.h"
#include "backend/cuda/measure.h"

static enum cuzk_status absent(struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_UNSUPPORTED,
                          "this build has no CUDA: it was made without nvcc, or with CUZK_CUDA=OFF");
}

enum cuzk_status cuzk_cuda_device_count(int *out, struct cuzk_error *err)
{
    *out = 0;
    return absent(err);
}

enum cuzk_status cuzk_cuda_device_describe(int ordinal, struct cuzk_cuda_device *out, struct cuzk_error *err)
{
    (void)ordinal;
    *out = (struct cuzk_cuda_device){0};
    return absent(err);
}

enum cuzk_status cuzk_backend_cuda_create(const char *device, struct cuzk_backend **out,
                                          struct cuzk_error *err)
{
    (void)device;
    *out = NULL;
    return absent(err);
}

void cuzk_cuda_fail_after(size_t n, int error)
{
    (void)n;
    (void)error;
}

const char *cuzk_cuda_work_name(enum cuzk_cuda_work work)
{
    (void)work;
    return "";
}

enum cuzk_status cuzk_cuda_measure(struct cuzk_backend *backend, enum cuzk_cuda_work work, unsigned log_n,
                                   unsigned rounds, uint64_t *ns, struct cuzk_error *err)
{
    (void)backend;
    (void)work;
    (void)log_n;
    (void)rounds;
    (void)ns;
    return absent(err);
}
