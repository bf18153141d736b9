#include "sector_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/post_case.h"
#include "engine/post_public.h"
#include "engine/update_case.h"
#include "support/fixture.h"

enum { SECTORS_MOST = 3, COMMITMENT_BYTES = 32 };

static void must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK)
        fail_msg("%s", err->message);
}

static void open_porep(const char *folder, struct sector_case *out)
{
    const struct cuzk_porep_facts facts = {0};
    const struct cuzk_log log = {0};
    struct cuzk_error err = {0};
    char path[512];
    size_t length;

    snprintf(path, sizeof path, "%s/%s/c1.json", fixture_root(), folder);
    const bool plain = access(path, R_OK) == 0;
    uint8_t *c1 = fixture_read(&length, "%s/c1.json%s", folder, plain ? "" : ".zst");

    must(cuzk_porep_case_open(folder, c1, length, &facts, &log, &out->porep, &err), &err);
    out->that = &out->porep.common;
    free(c1);
}

static void open_post(const char *folder, bool winning, struct sector_case *out)
{
    struct cuzk_post_source sources[SECTORS_MOST];
    struct cuzk_post_public public_side;
    struct cuzk_error err = {0};
    size_t length;
    char *text = (char *)fixture_read(&length, "%s/post.json", folder);

    must(cuzk_post_public_decode("post.json", text, length, winning, &public_side, &err), &err);
    struct cuzk_post_wanted wanted = {
        .config = public_side.config, .sources = sources, .count = public_side.count};

    assert_true(public_side.count <= SECTORS_MOST);
    cuzk_post_randomness(public_side.randomness, wanted.randomness);
    for (size_t i = 0; i < public_side.count; i++) {
        sources[i].name = "vanilla";
        sources[i].bytes = fixture_read(&sources[i].length, "%s/vanilla-%llu.bin", folder,
                                        (unsigned long long)public_side.sectors[i].sector_id);
    }
    must(cuzk_post_case_open(&wanted, &out->that, &err), &err);
    must(cuzk_post_public_compare(&public_side, out->that, &err), &err);
    for (size_t i = 0; i < public_side.count; i++)
        free((void *)(uintptr_t)sources[i].bytes);
    cuzk_post_public_destroy(&public_side);
    free(text);
}

static void open_update(const char *folder, struct sector_case *out)
{
    static const char *const names[] = {"comm_r_old", "comm_r_new", "comm_d_new"};
    struct cuzk_request_part parts[CUZK_REQUEST_VANILLA_MOST], commitment_parts[3];
    struct cuzk_request_blob proofs[CUZK_REQUEST_VANILLA_MOST];
    struct cuzk_request request = {
        .request_id = "", .kind = CUZK_PROOF_KIND_SNAP, .vanilla_proofs = proofs, .sector_size = 0};
    struct cuzk_request_blob *const blobs[] = {&request.comm_r_old, &request.comm_r_new, &request.comm_d_new};
    uint8_t commitments[3][COMMITMENT_BYTES];
    struct cuzk_error err = {0};
    size_t length;
    char *text = (char *)fixture_read(&length, "%s/update.json", folder);
    const struct fixture_json record = fixture_json_parse(text);

    request.sector_size = fixture_json_u64(fixture_json_get(record, "sector_size"));
    request.vanilla_proof_count = fixture_json_u64(fixture_json_get(record, "partitions"));
    for (size_t i = 0; i < 3; i++) {
        fixture_json_hex(fixture_json_get(record, names[i]), commitments[i], COMMITMENT_BYTES);
        commitment_parts[i] = (struct cuzk_request_part){commitments[i], COMMITMENT_BYTES};
        *blobs[i] = (struct cuzk_request_blob){&commitment_parts[i], 1, COMMITMENT_BYTES};
    }
    for (size_t k = 0; k < request.vanilla_proof_count; k++) {
        parts[k].data = fixture_read(&parts[k].length, "%s/partition-%zu.bin", folder, k);
        proofs[k] = (struct cuzk_request_blob){&parts[k], 1, parts[k].length};
    }
    must(cuzk_update_open(&request, NULL, &out->that, &err), &err);
    for (size_t k = 0; k < request.vanilla_proof_count; k++)
        free((void *)(uintptr_t)parts[k].data);
    free(text);
}

void sector_case_open(const char *folder, struct sector_case *out)
{
    *out = (struct sector_case){0};
    if (strncmp(folder, "sectors/porep", 13) == 0)
        open_porep(folder, out);
    else if (strncmp(folder, "sectors/update", 14) == 0)
        open_update(folder, out);
    else
        open_post(folder, strncmp(folder, "sectors/winning", 15) == 0, out);
}

void sector_case_close(struct sector_case *that)
{
    if (that->that == &that->porep.common)
        cuzk_porep_case_close(&that->porep);
    else
        cuzk_case_close(that->that);
    *that = (struct sector_case){0};
}
