#include "cli/remote_post.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "engine/post_public.h"

/* Where standard input was read, it is to be read again. */
static void rewind_standard_input(const char *path)
{
    if (strcmp(path, "-") == 0)
        (void)lseek(STDIN_FILENO, 0, SEEK_SET);
}

/* The head of a vanilla proof: the sector's id and comm_r (docs/vanilla.md). */
static enum cuzk_status read_head(const char *path, struct cuzk_post_vanilla *out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_file_map map;
    struct cuzk_bytes bytes;
    uint8_t comm_r[CUZK_FR_BYTES];

    CUZK_TRY(cuzk_file_map_open(path, "vanilla proof", 0, &map, err));
    cuzk_bytes_init(&bytes, map.path, map.bytes, map.length);
    CUZK_TRY_OUT(cuzk_bytes_u64le(&bytes, "sector_id", &out->sector_id, err));
    CUZK_TRY_OUT(cuzk_bytes_copy(&bytes, "comm_r", comm_r, sizeof comm_r, err));
    if (!cuzk_fr_from_bytes(comm_r, &out->comm_r))
        status = cuzk_bytes_fail(&bytes, "comm_r", sizeof out->sector_id, err,
                                 "expected a field element below the modulus");
out:
    cuzk_file_map_close(&map);
    rewind_standard_input(path);
    return status;
}

static int by_sector_id(const void *a, const void *b)
{
    const struct cuzk_post_vanilla *left = a, *right = b;

    return (left->sector_id > right->sector_id) - (left->sector_id < right->sector_id);
}

enum cuzk_status cli_remote_post_check(const struct cli_job *job, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_file_map request = {0};
    struct cuzk_post_public wanted = {0};
    struct cuzk_post_vanilla *found = NULL;

    CUZK_TRY_OUT(cuzk_file_map_open(job->request, "request", CUZK_POST_PUBLIC_BYTES_MOST, &request, err));
    CUZK_TRY_OUT(cuzk_post_public_decode(request.path, request.bytes, (size_t)request.length,
                                         strcmp(job->kind, "winning") == 0, &wanted, err));
    if (job->partition_index.set && !wanted.one_partition)
        CUZK_TRY_OUT(cuzk_post_public_take(&wanted, request.path, job->partition_index.value, err));
    CUZK_TRY_OUT(CUZK_NEW(&found, job->in_count, "sectors", err));
    for (size_t i = 0; i < job->in_count; i++)
        CUZK_TRY_OUT(read_head(job->in[i], &found[i], err));
    qsort(found, job->in_count, sizeof *found, by_sector_id);
    status = cuzk_post_public_match(&wanted, found, job->in_count, err);
    if (status != CUZK_OK)
        status = cuzk_error_prefix(err, status, "%s", job->request);
out:
    cuzk_mem_free(found);
    cuzk_post_public_destroy(&wanted);
    cuzk_file_map_close(&request);
    rewind_standard_input(job->request);
    return status;
}
