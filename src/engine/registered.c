#include "engine/registered.h"

#include <inttypes.h>

#include "filecoin/seal_proof.h"

enum { SIZES = CUZK_REGISTERED_SIZES };

uint64_t cuzk_registered_sector_size(enum cuzk_proof_kind kind, uint64_t number)
{
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(kind);

    if (row == NULL || number < row->registered_first || number >= row->registered_end)
        return 0;
    return cuzk_seal_proof_sector_size((unsigned)number % SIZES);
}

static bool is_registered_size(uint64_t size)
{
    for (unsigned i = 0; i < SIZES; i++)
        if (cuzk_seal_proof_sector_size(i) == size)
            return true;
    return false;
}

uint64_t cuzk_registered_number(enum cuzk_proof_kind kind, uint64_t sector_size, bool first_version)
{
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(kind);

    if (row == NULL)
        return 0;
    const unsigned begin = first_version ? row->registered_first : row->registered_end - SIZES;

    for (unsigned number = begin; number < begin + SIZES; number++)
        if (cuzk_registered_sector_size(kind, number) == sector_size)
            return number;
    return 0;
}

enum cuzk_status cuzk_registered_check(const struct cuzk_request *request, struct cuzk_error *err)
{
    const uint64_t number = request->registered_proof;
    const uint64_t size = cuzk_registered_sector_size(request->kind, number);

    if (request->sector_size == 0)
        return cuzk_error_set(err, CUZK_INPUT, "sector_size: not given");
    if (!is_registered_size(request->sector_size) && number == 0)
        return CUZK_OK;
    if (size == 0)
        return cuzk_error_set(err, CUZK_INPUT,
                              "registered_proof: %" PRIu64 " is no number of this proof_kind", number);
    if (size != request->sector_size)
        return cuzk_error_set(err, CUZK_INPUT,
                              "registered_proof: %" PRIu64 " is of sectors of %" PRIu64
                              " bytes, sector_size says %" PRIu64,
                              number, size, request->sector_size);
    return CUZK_OK;
}
