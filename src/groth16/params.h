/*
 * The parameters of a Groth16 circuit: a verifying key, then five queries, as a .params file holds them.
 *
 * After the key (groth16/vk.h) come h, l, a, b_g1 in G1 and b_g2 in G2: each a u32 big-endian count, then
 * that many uncompressed points. The file is mapped, never read as a whole; opening looks at the key and the
 * counts alone, and holds these against the file's size before anything else. Points of the queries are
 * checked to be on their curve by whoever uses them (msm/msm.h) and, all of them, by cuzk_params_validate.
 * Read-only once open: any number of threads.
 */
#ifndef CUZK_GROTH16_PARAMS_H
#define CUZK_GROTH16_PARAMS_H

#include "backend/backend.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/progress.h"
#include "groth16/vk.h"

struct cuzk_params {
    struct cuzk_file_map map; /* empty where the bytes are not a file */
    const char *name;         /* of the file, for errors; borrowed from map or from the caller */
    const uint8_t *bytes;
    struct cuzk_vk vk;
    struct cuzk_params_query {
        uint64_t offset; /* of the first point */
        uint32_t count;
    } query[CUZK_QUERIES];
};

/* "h", "l", "a", "b_g1", "b_g2" */
const char *cuzk_params_query_name(enum cuzk_query query);

/* Maps a .params file. Errors: NOT_FOUND, INPUT (with field, offset, expected and found), IO, MEMORY. */
enum cuzk_status cuzk_params_open(const char *path, struct cuzk_params *out, struct cuzk_error *err);

/* The same over bytes in memory, which must outlive it; name is for errors. */
enum cuzk_status cuzk_params_from_bytes(const char *name, const uint8_t *bytes, uint64_t length,
                                        struct cuzk_params *out, struct cuzk_error *err);

void cuzk_params_close(struct cuzk_params *params);

/* What cuzk_params_validate asks of a point, besides canonical coordinates and not being infinity. */
enum cuzk_params_check {
    CUZK_PARAMS_ON_CURVE,
    CUZK_PARAMS_IN_SUBGROUP, /* and in the subgroup of order r: about a hundred times the work */
};

/* Checks every point of every query. Errors: INPUT with query, number and offset of the first bad point
 * found, CANCELLED. */
enum cuzk_status cuzk_params_validate(const struct cuzk_params *params, enum cuzk_params_check check,
                                      struct cuzk_pool *pool, const struct cuzk_progress *progress,
                                      struct cuzk_error *err);

/* Points [begin, end) of a query will not be read again soon: where they are of a file, their pages go. */
void cuzk_params_release(const struct cuzk_params *params, enum cuzk_query query, size_t begin, size_t end);

/* Fills the queries of a plan, without the variables they belong to: bytes, counts, names, and a listener
 * that drops the pages that were used. */
void cuzk_params_plan(const struct cuzk_params *params, struct cuzk_backend_query query[CUZK_QUERIES]);

#endif
