#include "support/resident_key.h"

#include "backend/cuda/key.h"

static bool flip(unsigned char *byte, unsigned bit)
{
    unsigned char value;

    if (cudaMemcpy(&value, byte, 1, cudaMemcpyDefault) != cudaSuccess)
        return false;
    value ^= (unsigned char)(1u << bit);
    return cudaMemcpy(byte, &value, 1, cudaMemcpyDefault) == cudaSuccess;
}

bool resident_key_flip(struct cuzk_backend_key *base, enum cuzk_query query, uint32_t point, unsigned bit)
{
    const struct cuda_key *key = (const struct cuda_key *)base;
    const size_t size = cuda_point_bytes(cuzk_query_is_g2(query));
    const size_t offset = bit / 8;

    if (cuda_use((const struct cuda_backend *)base->backend, NULL) != CUZK_OK)
        return false;
    if (key->stream == NULL)
        return flip((unsigned char *)key->group[cuzk_query_is_g2(query)].points +
                        (key->query[query].first + point) * size + offset,
                    bit % 8);
    for (uint32_t i = 0; i < key->stream->count; i++) {
        const struct cuda_chunk *chunk = &key->stream->chunks[i];
        if (chunk->query != query)
            continue;
        if (point < chunk->n)
            return flip(chunk->memory + point * size + offset, bit % 8);
        point -= chunk->n;
    }
    return false;
}
