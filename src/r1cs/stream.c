#include "r1cs/stream.h"

#include "base/mem.h"

static void put_u32(uint32_t v, uint8_t *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(v >> (8 * i));
}

static uint32_t get_u32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

uint8_t *cuzk_stream_encode(struct cuzk_combination combination, uint8_t *out)
{
    put_u32((uint32_t)combination.count, out);
    out += CUZK_STREAM_COUNT_BYTES;
    for (size_t k = 0; k < combination.count; k++) {
        const struct cuzk_term *term = &combination.terms[k];
        out[0] = cuzk_variable_is_aux(term->variable);
        put_u32(cuzk_variable_index(term->variable), out + 1);
        cuzk_fr_to_bytes(&term->coefficient, out + 5);
        out += CUZK_STREAM_TERM_BYTES;
    }
    return out;
}

struct cuzk_stream_writer {
    struct cuzk_stream_target target;
    uint8_t *buffer;
    size_t capacity;
};

static enum cuzk_status write_constraint(void *context, struct cuzk_combination a, struct cuzk_combination b,
                                         struct cuzk_combination c, struct cuzk_error *err)
{
    struct cuzk_stream_writer *writer = context;
    const size_t size = cuzk_stream_size(a.count) + cuzk_stream_size(b.count) + cuzk_stream_size(c.count);

    CUZK_TRY(CUZK_GROW(&writer->buffer, size, 0, &writer->capacity, "encoded constraint", err));
    uint8_t *end = cuzk_stream_encode(a, writer->buffer);
    end = cuzk_stream_encode(b, end);
    (void)cuzk_stream_encode(c, end);
    return writer->target.write(writer->target.context, writer->buffer, size, err);
}

enum cuzk_status cuzk_stream_writer_create(struct cuzk_stream_target target, struct cuzk_stream_writer **out,
                                           struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(out, 1, "constraint stream writer", err));
    (*out)->target = target;
    return CUZK_OK;
}

struct cuzk_constraint_sink cuzk_stream_writer_sink(struct cuzk_stream_writer *writer)
{
    return (struct cuzk_constraint_sink){write_constraint, writer};
}

void cuzk_stream_writer_destroy(struct cuzk_stream_writer *writer)
{
    if (writer == NULL)
        return;
    cuzk_mem_free(writer->buffer);
    cuzk_mem_free(writer);
}

struct terms {
    struct cuzk_term *items;
    size_t capacity;
};

static enum cuzk_status decode_term(const uint8_t *bytes, size_t at, uint64_t constraint,
                                    struct cuzk_term *out, struct cuzk_error *err)
{
    const uint8_t kind = bytes[at];
    const uint32_t index = get_u32(bytes + at + 1);

    if (kind > 1)
        return cuzk_error_set(err, CUZK_INPUT,
                              "R1CS stream, constraint %llu: kind at offset %zu is %u, expected 0 or 1",
                              (unsigned long long)constraint, at, kind);
    if (index >= CUZK_VARIABLE_AUX)
        return cuzk_error_set(err, CUZK_INPUT,
                              "R1CS stream, constraint %llu: index at offset %zu is %u, expected below 2^31",
                              (unsigned long long)constraint, at + 1, index);
    if (!cuzk_fr_from_bytes(bytes + at + 5, &out->coefficient))
        return cuzk_error_set(err, CUZK_INPUT,
                              "R1CS stream, constraint %llu: coefficient at offset %zu is not below r",
                              (unsigned long long)constraint, at + 5);
    if (cuzk_fr_is_zero(&out->coefficient))
        return cuzk_error_set(err, CUZK_INPUT,
                              "R1CS stream, constraint %llu: coefficient at offset %zu is zero",
                              (unsigned long long)constraint, at + 5);
    out->variable = kind == 0 ? cuzk_variable_input(index) : cuzk_variable_aux(index);
    return CUZK_OK;
}

/* Decodes one combination at *at and moves *at behind it. */
static enum cuzk_status decode_combination(const uint8_t *bytes, size_t length, uint64_t constraint,
                                           size_t *at, struct terms *terms, struct cuzk_stream_counts *counts,
                                           struct cuzk_combination *out, struct cuzk_error *err)
{
    if (length - *at < CUZK_STREAM_COUNT_BYTES)
        return cuzk_error_set(
            err, CUZK_INPUT,
            "R1CS stream, constraint %llu: term count at offset %zu needs 4 bytes, found %zu",
            (unsigned long long)constraint, *at, length - *at);
    const size_t count = get_u32(bytes + *at);
    if ((length - *at - CUZK_STREAM_COUNT_BYTES) / CUZK_STREAM_TERM_BYTES < count)
        return cuzk_error_set(
            err, CUZK_INPUT,
            "R1CS stream, constraint %llu: %zu terms at offset %zu need %zu bytes, found %zu",
            (unsigned long long)constraint, count, *at, cuzk_stream_size(count), length - *at);
    *at += CUZK_STREAM_COUNT_BYTES;
    CUZK_TRY(CUZK_GROW(&terms->items, count, 0, &terms->capacity, "constraint terms", err));
    for (size_t k = 0; k < count; k++, *at += CUZK_STREAM_TERM_BYTES) {
        struct cuzk_term *term = &terms->items[k];
        CUZK_TRY(decode_term(bytes, *at, constraint, term, err));
        if (k > 0 && term->variable <= term[-1].variable)
            return cuzk_error_set(err, CUZK_INPUT,
                                  "R1CS stream, constraint %llu: variable at offset %zu is out of order",
                                  (unsigned long long)constraint, *at);
        const uint32_t needed = cuzk_variable_index(term->variable) + 1;
        uint32_t *seen = cuzk_variable_is_aux(term->variable) ? &counts->aux : &counts->inputs;
        if (needed > *seen)
            *seen = needed;
    }
    *out = (struct cuzk_combination){terms->items, count};
    return CUZK_OK;
}

enum cuzk_status cuzk_stream_decode(const uint8_t *bytes, size_t length,
                                    const struct cuzk_constraint_sink *sink,
                                    struct cuzk_stream_counts *counts, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct terms terms[3] = {0};
    size_t at = 0;

    *counts = (struct cuzk_stream_counts){.inputs = 1};
    while (at < length) {
        struct cuzk_combination part[3] = {0};
        for (int m = 0; m < 3; m++)
            CUZK_TRY_OUT(decode_combination(bytes, length, counts->constraints, &at, &terms[m], counts,
                                            &part[m], err));
        if (sink != NULL)
            CUZK_TRY_OUT(sink->constraint(sink->context, part[0], part[1], part[2], err));
        counts->constraints++;
    }
out:
    for (int m = 0; m < 3; m++)
        cuzk_mem_free(terms[m].items);
    return status;
}
