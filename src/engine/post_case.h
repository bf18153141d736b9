/*
 * A PoSt to prove or to verify, of either kind: its sectors' vanilla proofs in partitions.
 *
 * Sectors stand in ascending order of their ids, as the chain's verifier has them; none may come twice.
 * WinningPoSt has one. A WindowPoSt is all partitions of a set of sectors, or one partition of it
 * (`partition`, whose sectors alone are then given).
 */
#ifndef CUZK_ENGINE_POST_CASE_H
#define CUZK_ENGINE_POST_CASE_H

#include "engine/proof_kind.h"
#include "filecoin/post.h"

enum { CUZK_POST_SECTORS_MOST = 1 << 16 };

/* One vanilla proof; `name` is for errors. */
struct cuzk_post_source {
    const char *name;
    const void *bytes;
    size_t length;
};

struct cuzk_post_wanted {
    struct cuzk_post_config config;
    uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES]; /* as given; its top bits do not count */
    bool one_partition;
    uint32_t partition; /* of one_partition: which among all */
    const struct cuzk_post_source *sources;
    size_t count;
};

/* Decodes the vanilla proofs (the bytes may go afterwards) and derives public inputs. Errors: INPUT, MEMORY.
 */
enum cuzk_status cuzk_post_case_open(const struct cuzk_post_wanted *wanted, struct cuzk_case **out,
                                     struct cuzk_error *err);

/* The vanilla proofs of a case, in order. */
const struct cuzk_post_vanilla *cuzk_post_case_sectors(const struct cuzk_case *that, size_t *count);

/* A request as a case: see engine/proof_kind.h. */
enum cuzk_status cuzk_winning_look(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                                   unsigned *partitions, struct cuzk_error *err);
enum cuzk_status cuzk_window_look(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                                  unsigned *partitions, struct cuzk_error *err);
enum cuzk_status cuzk_winning_open(const struct cuzk_request *request, const struct cuzk_log *log,
                                   struct cuzk_case **out, struct cuzk_error *err);
enum cuzk_status cuzk_window_open(const struct cuzk_request *request, const struct cuzk_log *log,
                                  struct cuzk_case **out, struct cuzk_error *err);

#endif
