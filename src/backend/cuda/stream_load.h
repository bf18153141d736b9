/* Fills a key's chunks from the points of a parameter file; private to src/backend/cuda. */
#ifndef CUZK_BACKEND_CUDA_STREAM_LOAD_H
#define CUZK_BACKEND_CUDA_STREAM_LOAD_H

#include "backend/cuda/stream.h"

/* How many points of each kind and query a plan has. */
void cuda_stream_count(const struct cuzk_backend_plan *plan, uint32_t points[CUDA_CHUNK_KINDS][CUZK_QUERIES]);

/* Decodes and checks every point once, on the device, and puts it where its chunk is. `room`: device memory
 * that nobody uses yet, for what passes through. Errors: INPUT (names the query and the point), MEMORY,
 * DEVICE, and those of a query's listener. */
enum cuzk_status cuda_stream_load(struct cuda_stream *stream, const struct cuzk_backend_plan *plan,
                                  unsigned char *room, size_t room_bytes, struct cuzk_error *err);

#endif
