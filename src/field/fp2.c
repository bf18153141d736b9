#include "field/fp2.h"

#include "field/kernel.h"

void cuzk_fp2_inverse(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    cuzk_field_kernel()->fp2_inverse(a, out);
}

void cuzk_fp2_batch_inverse(struct cuzk_fp2 *elements, size_t n, struct cuzk_fp2 *scratch)
{
    cuzk_field_kernel()->fp2_batch_inverse(elements, n, scratch);
}

bool cuzk_fp2_sqrt(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    return cuzk_field_kernel()->fp2_sqrt(a, out);
}

bool cuzk_fp2_is_larger_root(const struct cuzk_fp2 *a)
{
    return cuzk_fp_is_zero(&a->c1) ? cuzk_fp_is_larger_root(&a->c0) : cuzk_fp_is_larger_root(&a->c1);
}
