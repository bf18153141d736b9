#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "filecoin/c1.h"

enum { BUFFER = 1 << 16, LONGEST = 256 /* of one piece put at once */ };

/* Text on its way to the sink. After a failure nothing more is written; the status is asked for at the end.
 */
struct writer {
    const struct cuzk_sink *sink;
    struct cuzk_error *err;
    enum cuzk_status status;
    size_t used;
    char buffer[BUFFER];
};

/* "0," ... "255,": the digits of every byte with a comma */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    char text[4];
    unsigned length;
} bytes_text[256];

static void make_bytes_text(void)
{
    for (unsigned i = 0; i < 256; i++) {
        char text[8];
        bytes_text[i].length = (unsigned)snprintf(text, sizeof text, "%u,", i);
        memcpy(bytes_text[i].text, text, sizeof bytes_text[i].text);
    }
}

static void flush(struct writer *w)
{
    if (w->status == CUZK_OK)
        w->status = w->sink->write(w->sink->context, w->buffer, w->used, w->err);
    w->used = 0;
}

static void room(struct writer *w)
{
    if (w->used + LONGEST > BUFFER)
        flush(w);
}

static void put(struct writer *w, const char *text)
{
    const size_t n = strlen(text);

    room(w);
    memcpy(w->buffer + w->used, text, n);
    w->used += n;
}

static void put_number(struct writer *w, uint64_t v)
{
    room(w);
    w->used += (size_t)snprintf(w->buffer + w->used, LONGEST, "%llu", (unsigned long long)v);
}

static void put_bytes(struct writer *w, const uint8_t bytes[32])
{
    room(w);
    char *p = w->buffer + w->used;
    *p++ = '[';
    for (int i = 0; i < 32; i++) {
        memcpy(p, bytes_text[bytes[i]].text, 4);
        p += bytes_text[bytes[i]].length;
    }
    p[-1] = ']';
    w->used = (size_t)(p - w->buffer);
}

static void put_element(struct writer *w, const struct cuzk_fr *element)
{
    uint8_t bytes[32];

    cuzk_fr_to_bytes(element, bytes);
    put_bytes(w, bytes);
}

static void put_elements(struct writer *w, const struct cuzk_fr *elements, unsigned n)
{
    put(w, "[");
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            put(w, ",");
        put_element(w, &elements[i]);
    }
    put(w, "]");
}

/* {"path":[...]} of `levels` levels of one arity; moves *siblings and *index on */
static void put_part(struct writer *w, unsigned levels, unsigned arity, const struct cuzk_fr **siblings,
                     uint64_t *index)
{
    put(w, "{\"path\":[");
    for (unsigned i = 0; i < levels; i++) {
        put(w, i > 0 ? ",{\"hashes\":" : "{\"hashes\":");
        put_elements(w, *siblings, arity - 1);
        put(w, ",\"index\":");
        put_number(w, *index % arity);
        put(w, "}");
        *siblings += arity - 1;
        *index /= arity;
    }
    put(w, "]}");
}

static void put_ends(struct writer *w, const struct cuzk_merkle_path *path)
{
    put(w, "\"root\":");
    put_element(w, &path->root);
    put(w, ",\"leaf\":");
    put_element(w, &path->leaf);
}

static void put_single(struct writer *w, const struct cuzk_merkle_path *path, unsigned levels, unsigned arity)
{
    const struct cuzk_fr *siblings = path->siblings;
    uint64_t index = path->index;

    put(w, "{\"data\":{\"Single\":{");
    put_ends(w, path);
    put(w, ",\"path\":");
    put_part(w, levels, arity, &siblings, &index);
    put(w, "}}}");
}

static void put_oct_path(struct writer *w, const struct cuzk_merkle_path *path, struct cuzk_tree_shape shape)
{
    const struct cuzk_fr *siblings = path->siblings;
    uint64_t index = path->index;

    if (shape.sub_arity == 0) {
        put_single(w, path, shape.base_levels, CUZK_TREE_BASE_ARITY);
        return;
    }
    put(w,
        shape.top_arity == 0 ? "{\"data\":{\"Sub\":{\"base_proof\":" : "{\"data\":{\"Top\":{\"base_proof\":");
    put_part(w, shape.base_levels, CUZK_TREE_BASE_ARITY, &siblings, &index);
    put(w, ",\"sub_proof\":");
    put_part(w, 1, shape.sub_arity, &siblings, &index);
    if (shape.top_arity != 0) {
        put(w, ",\"top_proof\":");
        put_part(w, 1, shape.top_arity, &siblings, &index);
    }
    put(w, ",");
    put_ends(w, path);
    put(w, "}}}");
}

static void put_column(struct writer *w, const struct cuzk_porep_column *column, uint64_t node,
                       const struct cuzk_porep_shape *shape)
{
    put(w, "{\"column\":{\"index\":");
    put_number(w, node);
    put(w, ",\"rows\":");
    put_elements(w, column->labels, shape->layers);
    put(w, ",\"_h\":null},\"inclusion_proof\":");
    put_oct_path(w, &column->path, shape->tree);
    put(w, "}");
}

static void put_labeling(struct writer *w, const struct cuzk_c1_labeling *labeling)
{
    put(w, "{\"parents\":");
    put_elements(w, labeling->parents, CUZK_POREP_LABEL_PARENTS);
    put(w, ",\"layer_index\":");
    put_number(w, labeling->layer);
    put(w, ",\"node\":");
    put_number(w, labeling->node);
    put(w, "}");
}

static void put_proof(struct writer *w, const struct cuzk_porep_challenge *challenge,
                      const struct cuzk_c1_claims *claims, const struct cuzk_porep_shape *shape)
{
    put(w, "{\"comm_d_proofs\":");
    put_single(w, &challenge->data, shape->log2_nodes, 2);
    put(w, ",\"comm_r_last_proof\":");
    put_oct_path(w, &challenge->replica, shape->tree);
    put(w, ",\"replica_column_proofs\":{\"c_x\":");
    put_column(w, &challenge->column, claims->column_node, shape);
    for (unsigned i = 0; i < CUZK_POREP_PARENTS; i++) {
        put(w, i == 0 ? ",\"drg_parents\":[" : i == CUZK_POREP_DRG_PARENTS ? "],\"exp_parents\":[" : ",");
        put_column(w, &challenge->parents[i], claims->parent_node[i], shape);
    }
    put(w, "]},\"labeling_proofs\":[");
    for (unsigned i = 0; i < shape->layers; i++) {
        if (i > 0)
            put(w, ",");
        put_labeling(w, &claims->labeling[i]);
    }
    put(w, "],\"encoding_proof\":");
    put_labeling(w, &claims->encoding);
    put(w, "}");
}

static void put_c1(struct writer *w, const struct cuzk_c1 *c1)
{
    char name[CUZK_SEAL_PROOF_NAME];

    put(w, "{");
    if (c1->registered_proof >= 0) {
        cuzk_seal_proof_name((unsigned)c1->registered_proof, name);
        put(w, "\"registered_proof\":\"");
        put(w, name);
        cuzk_seal_proof_tag((unsigned)c1->registered_proof, name);
        put(w, "\",\"vanilla_proofs\":{\"");
        put(w, name);
        put(w, "\":[");
    } else {
        put(w, "\"vanilla_proofs\":[");
    }
    for (unsigned i = 0; i < c1->partitions; i++)
        for (unsigned j = 0; j < c1->shape.challenges; j++) {
            put(w, j > 0 ? "," : i > 0 ? "],[" : "[");
            put_proof(w, &c1->partition[i]->challenges[j], &c1->partition[i]->claims[j], &c1->shape);
        }
    put(w, c1->registered_proof >= 0 ? "]]},\"comm_r\":" : "]],\"comm_r\":");
    put_bytes(w, c1->comm_r);
    put(w, ",\"comm_d\":");
    put_bytes(w, c1->comm_d);
    put(w, ",\"replica_id\":");
    put_bytes(w, c1->replica_id);
    put(w, ",\"seed\":");
    put_bytes(w, c1->seed);
    put(w, ",\"ticket\":");
    put_bytes(w, c1->ticket);
    put(w, "}");
    flush(w);
}

enum cuzk_status cuzk_c1_encode(const struct cuzk_c1 *c1, const struct cuzk_sink *sink,
                                struct cuzk_error *err)
{
    struct writer *w;

    pthread_once(&once, make_bytes_text);
    CUZK_TRY(CUZK_NEW(&w, 1, "text buffer", err));
    w->sink = sink;
    w->err = err;
    put_c1(w, c1);
    const enum cuzk_status status = w->status;
    cuzk_mem_free(w);
    return status;
}

/* ---- the wrapped form: base64 between two pieces of JSON ---- */

struct base64_writer {
    const struct cuzk_sink *sink;
    uint8_t rest[3]; /* bytes of an unfinished group */
    size_t held;
};

static void encode_group(const uint8_t in[3], char out[4])
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t group = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];

    for (int i = 0; i < 4; i++)
        out[i] = alphabet[group >> (18 - 6 * i) & 63];
}

static enum cuzk_status write_base64(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct base64_writer *w = context;
    const uint8_t *p = bytes;
    char text[4096];
    size_t used = 0;

    for (; n > 0; n--) {
        w->rest[w->held++] = *p++;
        if (w->held < 3)
            continue;
        encode_group(w->rest, text + used);
        w->held = 0;
        used += 4;
        if (used == sizeof text) {
            CUZK_TRY(w->sink->write(w->sink->context, text, used, err));
            used = 0;
        }
    }
    return w->sink->write(w->sink->context, text, used, err);
}

enum cuzk_status cuzk_c1_encode_wrapped(const struct cuzk_c1 *c1, uint64_t sector_number,
                                        const struct cuzk_sink *sink, struct cuzk_error *err)
{
    struct base64_writer base64 = {.sink = sink};
    const struct cuzk_sink inner = {write_base64, &base64};
    char text[96];

    int n = snprintf(text, sizeof text, "{\"SectorNum\":%llu,\"Phase1Out\":\"",
                     (unsigned long long)sector_number);
    CUZK_TRY(sink->write(sink->context, text, (size_t)n, err));
    CUZK_TRY(cuzk_c1_encode(c1, &inner, err));
    if (base64.held > 0) {
        memset(base64.rest + base64.held, 0, 3 - base64.held);
        encode_group(base64.rest, text);
        memset(text + 1 + base64.held, '=', 3 - base64.held);
        CUZK_TRY(sink->write(sink->context, text, 4, err));
    }
    n = snprintf(text, sizeof text, "\",\"SectorSize\":%llu}", (unsigned long long)c1->sector_size);
    return sink->write(sink->context, text, (size_t)n, err);
}
