/* A sector of fixtures/sectors: its parameters and its C1 output. */
#ifndef CUZK_TESTS_FILECOIN_SECTOR_H
#define CUZK_TESTS_FILECOIN_SECTOR_H

#include "filecoin/porep_verify.h"
#include "filecoin/vectors.h"

struct sector {
    uint8_t *text;
    struct fixture_json json;
    struct cuzk_porep_config config;
    struct cuzk_porep_owner owner;
    int registered_proof; /* or -1 */
};

static const char *const sector_names[] = {"porep-2k",       "porep-2k-b",  "porep-2k-v1",
                                           "porep-2k-synth", "porep-2k-ni", "porep-4k",
                                           "porep-16k",      "porep-32k",   "porep-8m"};
enum { SECTORS = sizeof sector_names / sizeof sector_names[0] };

static inline struct sector sector_open(const char *name)
{
    struct sector s;
    size_t length;
    uint8_t porep_id[32];

    s.text = fixture_read(&length, "sectors/%s/sector.json", name);
    s.json = fixture_json_parse((char *)s.text);
    s.registered_proof = -1;
    enum cuzk_porep_feature feature = CUZK_POREP_INTERACTIVE;
    const struct fixture_json features = fixture_json_get(s.json, "api_features");
    if (fixture_json_count(features) > 0) {
        char *feature_name = fixture_json_string(fixture_json_at(features, 0));
        feature =
            strcmp(feature_name, "synthetic-porep") == 0 ? CUZK_POREP_SYNTHETIC : CUZK_POREP_NON_INTERACTIVE;
        free(feature_name);
    }
    vector_hex(s.json, "porep_id", porep_id, 32);
    assert_int_equal(cuzk_porep_config_make(vector_u64(s.json, "sector_size"), feature,
                                            vector_api(fixture_json_get(s.json, "api_version")), porep_id,
                                            &s.config, NULL),
                     CUZK_OK);
    const struct fixture_json proof = fixture_json_get(s.json, "registered_proof");
    if (!fixture_json_is_null(proof)) {
        char *proof_name = fixture_json_string(proof);
        s.registered_proof = cuzk_seal_proof_number(proof_name, strlen(proof_name));
        free(proof_name);
    }
    vector_hex(s.json, "prover_id", s.owner.prover_id, 32);
    s.owner.sector_number = vector_u64(s.json, "sector_id");
    return s;
}

static inline void sector_close(struct sector *s)
{
    free(s->text);
}

static inline uint8_t *sector_c1(const char *name, size_t *length)
{
    char path[256];

    snprintf(path, sizeof path, "%s/sectors/%s/c1.json", fixture_root(), name);
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    return fixture_read(length, file != NULL ? "sectors/%s/c1.json" : "sectors/%s/c1.json.zst", name);
}

#endif
