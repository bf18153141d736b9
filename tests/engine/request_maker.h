/* Requests for tests: random content from a seed, cut into parts at random. */
#ifndef CUZK_TESTS_ENGINE_REQUEST_MAKER_H
#define CUZK_TESTS_ENGINE_REQUEST_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/request.h"

struct request_maker {
    struct cuzk_request request;
    void *blocks[128]; /* what the request points at */
    size_t block_count;
};

/* The same seed gives the same content; `cut` chooses how it is cut into parts. */
void request_maker_make(struct request_maker *maker, uint64_t seed, uint64_t cut);

/* A request for a PoRep whose vanilla_proof has so many bytes, in `parts` parts. */
void request_maker_make_sized(struct request_maker *maker, uint64_t seed, size_t parts, size_t bytes);
void request_maker_free(struct request_maker *maker);

/* Every field but request_id. */
void request_maker_assert_equal(const struct cuzk_request *found, const struct cuzk_request *expected);

#endif
