#include "base/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <sodium.h>

#include "base/mem.h"

void cuzk_random_init_system(struct cuzk_random *random)
{
    memset(random, 0, sizeof *random);
}

void cuzk_random_init_seeded(struct cuzk_random *random, const uint8_t seed[32])
{
    memset(random, 0, sizeof *random);
    random->seeded = true;
    memcpy(random->seed, seed, sizeof random->seed);
    random->used = sizeof random->ready;
}

static enum cuzk_status system_bytes(uint8_t *bytes, size_t n, struct cuzk_error *err)
{
    while (n > 0) {
        const ssize_t got = getrandom(bytes, n < 65536 ? n : 65536, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return cuzk_error_set(err, CUZK_IO, "getrandom: %s", strerror(errno));
        bytes += got;
        n -= (size_t)got;
    }
    return CUZK_OK;
}

static enum cuzk_status next_block(struct cuzk_random *random, struct cuzk_error *err)
{
    static const uint8_t nonce[crypto_stream_chacha20_ietf_NONCEBYTES];
    static const uint8_t zero[sizeof random->ready];

    if (random->block == UINT32_MAX)
        return cuzk_error_set(err, CUZK_ARGUMENT, "random bytes: the key stream of this seed is used up");
    crypto_stream_chacha20_ietf_xor_ic(random->ready, zero, sizeof zero, nonce, random->block, random->seed);
    random->block++;
    random->used = 0;
    return CUZK_OK;
}

enum cuzk_status cuzk_random_bytes(struct cuzk_random *random, void *bytes, size_t n, struct cuzk_error *err)
{
    uint8_t *out = bytes;

    if (!random->seeded)
        return system_bytes(out, n, err);
    while (n > 0) {
        if (random->used == sizeof random->ready)
            CUZK_TRY(next_block(random, err));
        const size_t left = sizeof random->ready - random->used;
        const size_t take = n < left ? n : left;

        memcpy(out, random->ready + random->used, take);
        random->used += (uint32_t)take;
        out += take;
        n -= take;
    }
    return CUZK_OK;
}

void cuzk_random_wipe(struct cuzk_random *random)
{
    cuzk_mem_wipe(random, sizeof *random);
}
