#include "srs/digest_stream.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <sodium.h>

#include "base/hex.h"
#include "base/mem.h"

enum { SLOTS = 4, SLOT_BYTES = 8 << 20 };

struct slot {
    uint8_t *bytes;
    size_t n;
};

struct cuzk_digest_stream {
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot slots[SLOTS];
    unsigned filled, taken; /* how many ever; filled - taken wait to be hashed */
    bool ended;
    crypto_generichash_state state;
};

static void *hash_all(void *context)
{
    struct cuzk_digest_stream *stream = context;

    pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (stream->taken == stream->filled && !stream->ended)
            pthread_cond_wait(&stream->changed, &stream->lock);
        if (stream->taken == stream->filled)
            break;
        const struct slot *slot = &stream->slots[stream->taken % SLOTS];

        pthread_mutex_unlock(&stream->lock);
        crypto_generichash_update(&stream->state, slot->bytes, slot->n);
        pthread_mutex_lock(&stream->lock);
        stream->taken++;
        pthread_cond_signal(&stream->changed);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

enum cuzk_status cuzk_digest_stream_create(struct cuzk_digest_stream **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_digest_stream *stream;

    CUZK_TRY(CUZK_NEW(&stream, 1, "digest of a stream", err));
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->changed, NULL);
    crypto_generichash_init(&stream->state, NULL, 0, 64);
    for (unsigned i = 0; i < SLOTS; i++)
        CUZK_TRY_OUT(CUZK_NEW(&stream->slots[i].bytes, SLOT_BYTES, "buffers of a digest", err));
    if (pthread_create(&stream->thread, NULL, hash_all, stream) != 0) {
        status = cuzk_error_set(err, CUZK_MEMORY, "no thread for a digest");
        goto out;
    }
    stream->threaded = true;
    *out = stream;
out:
    if (status != CUZK_OK)
        cuzk_digest_stream_destroy(stream);
    return status;
}

static enum cuzk_status take(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct cuzk_digest_stream *stream = context;

    (void)err;
    for (size_t done = 0; done < n;) {
        const size_t part = n - done < SLOT_BYTES ? n - done : SLOT_BYTES;

        pthread_mutex_lock(&stream->lock);
        while (stream->filled - stream->taken == SLOTS)
            pthread_cond_wait(&stream->changed, &stream->lock);
        pthread_mutex_unlock(&stream->lock);
        struct slot *slot = &stream->slots[stream->filled % SLOTS]; /* nobody else looks at it */

        memcpy(slot->bytes, (const uint8_t *)bytes + done, part);
        slot->n = part;
        done += part;
        pthread_mutex_lock(&stream->lock);
        stream->filled++;
        pthread_cond_signal(&stream->changed);
        pthread_mutex_unlock(&stream->lock);
    }
    return CUZK_OK;
}

struct cuzk_sink cuzk_digest_stream_sink(struct cuzk_digest_stream *stream)
{
    return (struct cuzk_sink){.write = take, .context = stream};
}

static void end_thread(struct cuzk_digest_stream *stream)
{
    if (!stream->threaded)
        return;
    pthread_mutex_lock(&stream->lock);
    stream->ended = true;
    pthread_cond_signal(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    stream->threaded = false;
}

void cuzk_digest_stream_finish(struct cuzk_digest_stream *stream, char hex[CUZK_DIGEST_TEXT])
{
    uint8_t digest[64];

    end_thread(stream);
    crypto_generichash_final(&stream->state, digest, sizeof digest);
    cuzk_hex_encode(digest, CUZK_DIGEST_TEXT / 2, hex);
}

void cuzk_digest_stream_destroy(struct cuzk_digest_stream *stream)
{
    if (stream == NULL)
        return;
    end_thread(stream);
    for (unsigned i = 0; i < SLOTS; i++)
        cuzk_mem_free(stream->slots[i].bytes);
    pthread_cond_destroy(&stream->changed);
    pthread_mutex_destroy(&stream->lock);
    cuzk_mem_free(stream);
}
