#include "filecoin/seal_proof.h"

#include <stdio.h>
#include <string.h>

enum { SIZES = CUZK_REGISTERED_SIZES, VARIANTS = 4 };

static const struct {
    uint64_t bytes;
    const char *name;
} sizes[SIZES] = {
    {UINT64_C(2) << 10, "2KiB"},   {UINT64_C(8) << 20, "8MiB"},   {UINT64_C(512) << 20, "512MiB"},
    {UINT64_C(32) << 30, "32GiB"}, {UINT64_C(64) << 30, "64GiB"},
};

static const struct {
    const char *suffix;
    enum cuzk_api_version api_version;
    enum cuzk_porep_feature feature;
} variants[VARIANTS] = {
    {"V1", CUZK_API_1_0_0, CUZK_POREP_INTERACTIVE},
    {"V1_1", CUZK_API_1_1_0, CUZK_POREP_INTERACTIVE},
    {"V1_1_Feat_SyntheticPoRep", CUZK_API_1_2_0, CUZK_POREP_SYNTHETIC},
    {"V1_2_Feat_NonInteractivePoRep", CUZK_API_1_2_0, CUZK_POREP_NON_INTERACTIVE},
};

static bool is_large(unsigned log2_nodes)
{
    return log2_nodes >= 30;
}

enum cuzk_status cuzk_porep_config_make(uint64_t sector_size, enum cuzk_porep_feature feature,
                                        enum cuzk_api_version api_version, const uint8_t porep_id[32],
                                        struct cuzk_porep_config *config, struct cuzk_error *err)
{
    struct cuzk_porep_shape shape;

    if (!cuzk_porep_shape_of(sector_size, &shape))
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "no sectors have %llu bytes: 2KiB, 4KiB, 16KiB, 32KiB, 8MiB, 16MiB, 512MiB, 1GiB, 32GiB "
            "and 64GiB are there",
            (unsigned long long)sector_size);
    config->sector_size = sector_size;
    config->shape = shape;
    config->feature = feature;
    config->api_version = api_version;
    if (feature == CUZK_POREP_NON_INTERACTIVE)
        config->partitions = is_large(shape.log2_nodes) ? 126 : 13;
    else
        config->partitions = is_large(shape.log2_nodes) ? 10 : 1;
    memcpy(config->porep_id, porep_id, sizeof config->porep_id);
    return CUZK_OK;
}

void cuzk_porep_config_registered(unsigned number, struct cuzk_porep_config *config)
{
    const uint8_t porep_id[32] = {(uint8_t)number};
    const unsigned variant = number / SIZES;

    (void)cuzk_porep_config_make(sizes[number % SIZES].bytes, variants[variant].feature,
                                 variants[variant].api_version, porep_id, config, NULL);
}

void cuzk_seal_proof_name(unsigned number, char name[CUZK_SEAL_PROOF_NAME])
{
    snprintf(name, CUZK_SEAL_PROOF_NAME, "StackedDrg%s%s", sizes[number % SIZES].name,
             variants[number / SIZES].suffix);
}

void cuzk_seal_proof_tag(unsigned number, char tag[CUZK_SEAL_PROOF_NAME])
{
    cuzk_seal_proof_name(number % SIZES, tag);
}

int cuzk_seal_proof_number(const char *name, size_t n)
{
    char candidate[CUZK_SEAL_PROOF_NAME];

    for (unsigned number = 0; number < CUZK_SEAL_PROOFS; number++) {
        cuzk_seal_proof_name(number, candidate);
        if (strlen(candidate) == n && memcmp(candidate, name, n) == 0)
            return (int)number;
    }
    return -1;
}

uint64_t cuzk_seal_proof_sector_size(unsigned number)
{
    return sizes[number % SIZES].bytes;
}

static const char *const api_names[] = {"1.0.0", "1.1.0", "1.2.0"};

const char *cuzk_api_version_name(enum cuzk_api_version version)
{
    return api_names[version];
}

bool cuzk_api_version_parse(const char *text, enum cuzk_api_version *version)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(text, api_names[i]) == 0) {
            *version = (enum cuzk_api_version)i;
            return true;
        }
    return false;
}
