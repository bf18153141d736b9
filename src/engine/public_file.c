#include "engine/public_file.h"

#include <string.h>

#include "base/json_reader.h"
#include "base/mem.h"

/* The shortest way to write one value: 64 digits in quotes and a comma. */
enum { LEAST_VALUE_BYTES = 66 };

struct collector {
    struct cuzk_json_document document;
    struct cuzk_public_file *file;
    size_t used, room;
};

static enum cuzk_status read_value(struct collector *collector, struct cuzk_error *err)
{
    uint8_t bytes[CUZK_FR_BYTES];

    CUZK_TRY(cuzk_json_read_hex(&collector->document, "public input", bytes, sizeof bytes, err));
    if (collector->used == collector->room)
        return cuzk_json_read_fail(&collector->document, "public input", err, "more values than bytes allow");
    if (!cuzk_fr_from_bytes(bytes, &collector->file->values[collector->used]))
        return cuzk_json_read_fail(
            &collector->document, "public input", err,
            "expected a number below the modulus of the scalar field, found a larger one");
    collector->used++;
    return CUZK_OK;
}

/* A list of values, entered already; it makes one partition. */
static enum cuzk_status read_values(struct collector *collector, struct cuzk_error *err)
{
    struct cuzk_public_file *file = collector->file;
    const size_t start = collector->used;
    bool more = true;

    if (file->partitions == CUZK_PUBLIC_PARTITIONS_MOST)
        return cuzk_json_read_fail(&collector->document, "partitions", err, "expected at most %d",
                                   CUZK_PUBLIC_PARTITIONS_MOST);
    for (;;) {
        CUZK_TRY(read_value(collector, err));
        CUZK_TRY(cuzk_json_read_element(&collector->document, &more, err));
        if (!more)
            break;
    }
    file->counts[file->partitions++] = collector->used - start;
    return CUZK_OK;
}

/* An array: of values, or of arrays and objects that each make a partition. */
static enum cuzk_status read_array(struct collector *collector, bool outer, struct cuzk_error *err);

static enum cuzk_status read_object(struct collector *collector, struct cuzk_error *err)
{
    struct cuzk_json_slice key;
    bool more, found = false;

    CUZK_TRY(cuzk_json_read_object(&collector->document, "public inputs", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(&collector->document, &key, &more, err));
        if (!more)
            break;
        if (!cuzk_json_slice_is(key, "inputs")) {
            CUZK_TRY(cuzk_json_read_skip(&collector->document, err));
            continue;
        }
        if (found)
            return cuzk_json_read_fail(&collector->document, "inputs", err, "given twice");
        found = true;
        CUZK_TRY(read_array(collector, false, err));
    }
    if (!found)
        return cuzk_json_read_fail(&collector->document, "inputs", err, "missing");
    return CUZK_OK;
}

static enum cuzk_status read_array(struct collector *collector, bool outer, struct cuzk_error *err)
{
    struct cuzk_json_document *document = &collector->document;
    bool more;

    CUZK_TRY(cuzk_json_read_array(document, "inputs", err));
    CUZK_TRY(cuzk_json_read_element(document, &more, err));
    if (!more) {
        if (outer || collector->file->partitions == CUZK_PUBLIC_PARTITIONS_MOST)
            return cuzk_json_read_fail(document, "inputs", err, "expected values, found an empty array");
        collector->file->counts[collector->file->partitions++] = 0;
        return CUZK_OK;
    }
    if (cuzk_json_read_kind(document) == CUZK_JSON_STRING || !outer)
        return read_values(collector, err);
    while (more) {
        if (cuzk_json_read_kind(document) == CUZK_JSON_OBJECT)
            CUZK_TRY(read_object(collector, err));
        else
            CUZK_TRY(read_array(collector, false, err));
        CUZK_TRY(cuzk_json_read_element(document, &more, err));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_public_file_decode(const char *name, const void *text, size_t length,
                                         struct cuzk_public_file *out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct collector collector = {.file = out, .room = length / LEAST_VALUE_BYTES + 1};

    memset(out, 0, sizeof *out);
    cuzk_json_read_init(&collector.document, name, text, length);
    CUZK_TRY(CUZK_NEW(&out->values, collector.room, "public inputs", err));
    do { /* one document, or one a line */
        if (cuzk_json_read_kind(&collector.document) == CUZK_JSON_OBJECT)
            CUZK_TRY_OUT(read_object(&collector, err));
        else
            CUZK_TRY_OUT(read_array(&collector, true, err));
    } while (cuzk_json_read_end(&collector.document, NULL) != CUZK_OK);
out:
    if (status != CUZK_OK)
        cuzk_public_file_destroy(out);
    return status;
}

void cuzk_public_file_destroy(struct cuzk_public_file *file)
{
    cuzk_mem_free(file->values);
    memset(file, 0, sizeof *file);
}
