/* The format of pages and log: https://www.sqlite.org/fileformat2.html, sections 1.6 and 4. */
#include "engine/journal_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "engine/journal.h"
#include "engine/journal_row.h"

enum {
    PAGE = 4096, /* the journal's, all of it usable */
    LOG_HEAD = 32,
    FRAME_HEAD = 24,
    FRAME = FRAME_HEAD + PAGE,
    LEAF = 0x0d, /* type of a page of rows */
    LOCAL_MOST = PAGE - 35,
    LOCAL_LEAST = (PAGE - 12) * 32 / 255 - 23,
    PAYLOAD_MOST = ((int)CUZK_JOURNAL_INLINE_BYTES > (int)CUZK_JOURNAL_ROW_MOST ? CUZK_JOURNAL_INLINE_BYTES
                                                                                : CUZK_JOURNAL_ROW_MOST) +
                   64,
    PAGES_MOST = 1 << 24, /* 64 GiB */
};

struct cuzk_journal_pages {
    int database, log;
    uint32_t count;     /* pages, those that only the log has included */
    uint32_t frames;    /* of the log */
    uint32_t reached;   /* frames that SQLite takes */
    uint32_t hidden;    /* the first frame that damage may hide; frames: none */
    uint32_t *latest;   /* by page, from 1: 1 + its newest frame of this generation; 0: none */
    uint32_t *previous; /* by frame: 1 + the frame before it of the same page */
    uint32_t *page_of;  /* by frame */
    bool big_endian;    /* words of the log's checksums */
    uint32_t sums[2];
    uint8_t page[PAGE], overflow[PAGE], frame[FRAME];
    uint8_t payload[PAYLOAD_MOST];
};

/* False where not all of it can be read. */
static bool read_at(int fd, uint64_t offset, void *bytes, size_t n)
{
    uint8_t *to = bytes;

    while (fd >= 0 && n > 0) {
        const ssize_t got = pread(fd, to, n, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return fd >= 0;
}

/* ---- the log ---- */

static void add_sums(struct cuzk_journal_pages *pages, const uint8_t *bytes, size_t n)
{
    uint32_t a = pages->sums[0], b = pages->sums[1];

    for (size_t i = 0; i + 8 <= n; i += 8) {
        a += (pages->big_endian ? cuzk_load_u32be(bytes + i) : cuzk_load_u32le(bytes + i)) + b;
        b += (pages->big_endian ? cuzk_load_u32be(bytes + i + 4) : cuzk_load_u32le(bytes + i + 4)) + a;
    }
    pages->sums[0] = a;
    pages->sums[1] = b;
}

static bool sums_are(const struct cuzk_journal_pages *pages, const uint8_t *at)
{
    return cuzk_load_u32be(at) == pages->sums[0] && cuzk_load_u32be(at + 4) == pages->sums[1];
}

static bool head_is_whole(struct cuzk_journal_pages *pages, const uint8_t head[LOG_HEAD])
{
    const uint32_t magic = cuzk_load_u32be(head);

    pages->big_endian = (magic & 1) != 0;
    pages->sums[0] = pages->sums[1] = 0;
    add_sums(pages, head, 24);
    return (magic & ~UINT32_C(1)) == 0x377f0682 && cuzk_load_u32be(head + 8) == PAGE &&
           sums_are(pages, head + 24);
}

static void note_frame(struct cuzk_journal_pages *pages, uint32_t frame, uint32_t page)
{
    pages->previous[frame] = pages->latest[page];
    pages->latest[page] = frame + 1;
}

/* Which frames SQLite takes, and which are of this generation: one of their two salts is the log's. A log is
 * written from its beginning again, so its first frame tells the salts where the head is damaged.
 *
 * A process that is killed in the middle of a transaction leaves sound frames without an end, perhaps the
 * head of one more before an old page: that hides nothing. A transaction that was whole has an end behind the
 * damage, or in the damaged frame itself, whose page is then new. */
static void read_log(struct cuzk_journal_pages *pages)
{
    uint8_t head[LOG_HEAD], salts[8];
    uint32_t sound = 0, ending = 0; /* frames before the first that is not sound; the last from it on that
                                       ends a transaction, from 1 */
    bool chain;

    pages->hidden = pages->frames;
    if (!read_at(pages->log, 0, head, sizeof head))
        return;
    chain = head_is_whole(pages, head);
    memcpy(salts, head + 16, sizeof salts);
    for (uint32_t i = 0; i < pages->frames; i++) {
        const uint8_t *const frame = pages->frame;

        if (!read_at(pages->log, LOG_HEAD + (uint64_t)i * FRAME, pages->frame, FRAME)) {
            chain = false;
            continue;
        }
        if (i == 0 && !chain && memcmp(salts, frame + 8, 4) != 0 && memcmp(salts + 4, frame + 12, 4) != 0)
            memcpy(salts, frame + 8, sizeof salts);
        add_sums(pages, frame, 8);
        add_sums(pages, frame + FRAME_HEAD, PAGE);
        chain = chain && memcmp(salts, frame + 8, 8) == 0 && sums_are(pages, frame + 16);
        const bool ends = cuzk_load_u32be(frame + 4) != 0; /* the last of a transaction */
        const bool ours = memcmp(salts, frame + 8, 4) == 0 || memcmp(salts + 4, frame + 12, 4) == 0;

        if (chain)
            sound = i + 1;
        if (chain && ends)
            pages->reached = i + 1;
        else if (ends && ours)
            ending = i + 1;
        const uint32_t page = cuzk_load_u32be(frame);

        pages->page_of[i] = page;

        if (ours && page >= 1 && page <= pages->count)
            note_frame(pages, i, page);
    }
    if (ending > sound)
        pages->hidden = ending > sound + 1 ? pages->reached : sound;
}

static enum cuzk_status open_file(const char *path, const char *ending, int *fd, uint64_t *bytes,
                                  struct cuzk_error *err)
{
    char whole[PATH_MAX];
    struct stat facts;

    snprintf(whole, sizeof whole, "%s%s", path, ending);
    *fd = open(whole, O_RDONLY | O_CLOEXEC);
    *bytes = 0;
    if (*fd < 0 && errno == ENOENT)
        return CUZK_OK;
    if (*fd < 0 || fstat(*fd, &facts) != 0)
        return cuzk_error_set(err, CUZK_IO, "%s: %s", whole, strerror(errno));
    *bytes = (uint64_t)facts.st_size;
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_pages_open(const char *path, struct cuzk_journal_pages **out,
                                         struct cuzk_error *err)
{
    struct cuzk_journal_pages *pages;
    uint64_t database_bytes, log_bytes;
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&pages, 1, "pages of the journal", err));
    pages->database = pages->log = -1;
    CUZK_TRY_OUT(open_file(path, "", &pages->database, &database_bytes, err));
    CUZK_TRY_OUT(open_file(path, "-wal", &pages->log, &log_bytes, err));
    const uint64_t frames = log_bytes > LOG_HEAD ? (log_bytes - LOG_HEAD) / FRAME : 0;
    const uint64_t count = (database_bytes + PAGE - 1) / PAGE + frames;

    if (count > PAGES_MOST) {
        status = cuzk_error_set(err, CUZK_IO, "%s: too large to be salvaged", path);
        goto out;
    }
    pages->count = (uint32_t)count;
    pages->frames = (uint32_t)frames;
    CUZK_TRY_OUT(CUZK_NEW(&pages->latest, (size_t)count + 1, "pages of the journal", err));
    CUZK_TRY_OUT(CUZK_NEW(&pages->previous, (size_t)frames + 1, "pages of the journal", err));
    CUZK_TRY_OUT(CUZK_NEW(&pages->page_of, (size_t)frames + 1, "pages of the journal", err));
    read_log(pages);
    *out = pages;
out:
    if (status != CUZK_OK)
        cuzk_journal_pages_close(pages);
    return status;
}

void cuzk_journal_pages_close(struct cuzk_journal_pages *pages)
{
    if (pages == NULL)
        return;
    if (pages->database >= 0)
        close(pages->database);
    if (pages->log >= 0)
        close(pages->log);
    cuzk_mem_free(pages->latest);
    cuzk_mem_free(pages->previous);
    cuzk_mem_free(pages->page_of);
    cuzk_mem_free(pages);
}

/* ---- a page ---- */

/* frame: 1 + its number in the log; 0: the database's own. */
static bool read_image(const struct cuzk_journal_pages *pages, uint32_t page, uint32_t frame,
                       uint8_t bytes[PAGE])
{
    if (frame > 0)
        return read_at(pages->log, LOG_HEAD + (uint64_t)(frame - 1) * FRAME + FRAME_HEAD, bytes, PAGE);
    memset(bytes, 0, PAGE);
    return read_at(pages->database, (uint64_t)(page - 1) * PAGE, bytes, PAGE);
}

/* A variable-length integer of 1 to 9 bytes; false where it leaves the bytes. */
static bool read_varint(const uint8_t *bytes, size_t end, size_t *at, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < 9 && *at < end; i++) {
        const uint8_t byte = bytes[(*at)++];

        if (i == 8) {
            *value = *value << 8 | byte;
            return true;
        }
        *value = *value << 7 | (byte & 0x7f);
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

/* The rest of a payload, in a chain of pages: the newest image of each, or the database's own. */
static bool read_chain(struct cuzk_journal_pages *pages, uint32_t page, size_t used, size_t length,
                       bool newest)
{
    while (used < length) {
        const size_t n = length - used < PAGE - 4 ? length - used : PAGE - 4;

        if (page == 0 || page > pages->count ||
            !read_image(pages, page, newest ? pages->latest[page] : 0, pages->overflow))
            return false;
        memcpy(pages->payload + used, pages->overflow + 4, n);
        used += n;
        page = cuzk_load_u32be(pages->overflow);
    }
    return true;
}

/* The body in a payload of two columns, the first of which is the id and stored as NULL. */
static bool give_body(struct cuzk_journal_pages *pages, size_t length, uint64_t id,
                      cuzk_journal_pages_row row, void *context)
{
    uint64_t head, first, second;
    size_t at = 0;

    if (!read_varint(pages->payload, length, &at, &head) ||
        !read_varint(pages->payload, length, &at, &first) ||
        !read_varint(pages->payload, length, &at, &second) || head != at || first != 0 || second < 12 ||
        second % 2 != 0 || (second - 12) / 2 != length - at)
        return false;
    return row(context, id, pages->payload + at, length - at);
}

static bool give_cell(struct cuzk_journal_pages *pages, size_t at, cuzk_journal_pages_row row, void *context)
{
    const uint8_t *const page = pages->page;
    uint64_t length, id;

    if (at >= PAGE || !read_varint(page, PAGE, &at, &length) || !read_varint(page, PAGE, &at, &id) ||
        length > PAYLOAD_MOST)
        return false;
    size_t local = (size_t)length;

    if (length > LOCAL_MOST) {
        local = LOCAL_LEAST + (size_t)(length - LOCAL_LEAST) % (PAGE - 4);
        if (local > LOCAL_MOST)
            local = LOCAL_LEAST;
    }
    if (local + (local < length ? 4 : 0) > PAGE - at)
        return false;
    memcpy(pages->payload, page + at, local);
    if (local == length)
        return give_body(pages, local, id, row, context);
    const uint32_t chain = cuzk_load_u32be(page + at + local);

    if (read_chain(pages, chain, local, (size_t)length, true) &&
        give_body(pages, (size_t)length, id, row, context))
        return true;
    return read_chain(pages, chain, local, (size_t)length, false) &&
           give_body(pages, (size_t)length, id, row, context);
}

/* Whether the image needs no older one beside it: it is no page of rows, or all of them are whole. A page
 * that begins with zero continues a row or is free; what is in it came from outside and is not looked at as a
 * list of rows. Any other may be one whose type is damaged. */
static bool give_page(struct cuzk_journal_pages *pages, uint32_t number, cuzk_journal_pages_row row,
                      void *context)
{
    const size_t head = number == 1 ? 100 : 0; /* of the database */
    const uint8_t *const page = pages->page;
    const size_t most = (PAGE - 8 - head) / 2, told = (size_t)page[head + 3] << 8 | page[head + 4];
    const size_t cells = told < most ? told : most;
    size_t whole = 0;

    if (page[head] == 0)
        return true;
    for (size_t i = 0; i < cells; i++) {
        const size_t at = (size_t)page[head + 8 + 2 * i] << 8 | page[head + 9 + 2 * i];

        whole += give_cell(pages, at, row, context);
    }
    return page[head] == LEAF ? whole == told : whole == 0;
}

enum cuzk_status cuzk_journal_pages_each(struct cuzk_journal_pages *pages, cuzk_journal_pages_row row,
                                         void *context, struct cuzk_error *err)
{
    (void)err;
    for (uint32_t number = 1; number <= pages->count; number++) {
        uint32_t frame = pages->latest[number];

        for (;;) {
            if (read_image(pages, number, frame, pages->page) && give_page(pages, number, row, context))
                break;
            if (frame == 0)
                break;
            frame = pages->previous[frame - 1];
        }
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_pages_each_unreached(struct cuzk_journal_pages *pages,
                                                   cuzk_journal_pages_row row, void *context,
                                                   struct cuzk_error *err)
{
    (void)err;
    for (uint32_t i = pages->hidden; i < pages->frames; i++)
        if (read_image(pages, 0, i + 1, pages->page))
            (void)give_page(pages, pages->page_of[i], row, context);
    return CUZK_OK;
}
