#include "filecoin/replica_id.h"

#include <string.h>

#include "hash/sha256.h"

void cuzk_prover_id_of_miner(uint64_t miner_id, uint8_t prover_id[32])
{
    memset(prover_id, 0, 32);
    do {
        const uint8_t low = miner_id & 0x7f;
        miner_id >>= 7;
        *prover_id++ = miner_id != 0 ? low | 0x80 : low;
    } while (miner_id != 0);
}

void cuzk_replica_id(const uint8_t prover_id[32], uint64_t sector_id, const uint8_t ticket[32],
                     const uint8_t comm_d[32], const uint8_t porep_id[32], uint8_t replica_id[32])
{
    const uint64_t sector_be = __builtin_bswap64(sector_id);
    struct cuzk_sha256 hash;

    cuzk_sha256_init(&hash);
    cuzk_sha256_update(&hash, prover_id, 32);
    cuzk_sha256_update(&hash, &sector_be, sizeof sector_be);
    cuzk_sha256_update(&hash, ticket, 32);
    cuzk_sha256_update(&hash, comm_d, 32);
    cuzk_sha256_update(&hash, porep_id, 32);
    cuzk_sha256_final(&hash, replica_id);
    cuzk_sha256_trim(replica_id);
}
