#include "circuit/sha256.h"

#include <string.h>

#include "circuit/packing.h"
#include "circuit/sha256_direct.h"
#include "circuit/uint32.h"
#include "hash/sha256.h"

enum { BLOCK_BITS = 512, LENGTH_BITS = 64, MAX_OPERANDS = 10 };

/* A sum that is taken only once it is needed, so that further words can still join it. */
struct deferred {
    struct cuzk_uint32 words[MAX_OPERANDS];
    size_t count; /* 1: the word itself */
};

static void defer(struct deferred *sum, const struct cuzk_uint32 *word)
{
    sum->words[sum->count++] = *word;
}

static void take(struct cuzk_multieq *equation, const char *name, const struct deferred *sum,
                 struct cuzk_uint32 *out)
{
    const struct cuzk_uint32 *operands[MAX_OPERANDS];

    if (sum->count == 1) {
        *out = sum->words[0];
        return;
    }
    for (size_t i = 0; i < sum->count; i++)
        operands[i] = &sum->words[i];
    cuzk_cs_enter(equation->cs, name);
    cuzk_uint32_add(equation, operands, sum->count, out);
    cuzk_cs_leave(equation->cs);
}

/* out = f(a, b, c): a rotated by x, by y, and rotated (or shifted) by z, all xored */
static void sigma(struct cuzk_cs *cs, const char *name, const struct cuzk_uint32 *a, unsigned x, unsigned y,
                  unsigned z, bool shift, struct cuzk_uint32 *out)
{
    struct cuzk_uint32 t;

    cuzk_cs_enter(cs, name);
    cuzk_uint32_rotr(a, x, out);
    cuzk_uint32_rotr(a, y, &t);
    cuzk_uint32_xor(cs, out, &t, out);
    if (shift)
        cuzk_uint32_shr(a, z, &t);
    else
        cuzk_uint32_rotr(a, z, &t);
    cuzk_uint32_xor(cs, out, &t, out);
    cuzk_cs_leave(cs);
}

static void extend(struct cuzk_multieq *equation, struct cuzk_uint32 w[64])
{
    struct cuzk_cs *cs = equation->cs;

    for (unsigned i = 16; i < 64; i++) {
        struct cuzk_uint32 s0, s1;
        cuzk_cs_enter_n(cs, "w extension #", i);
        sigma(cs, "s0", &w[i - 15], 7, 18, 3, true, &s0);
        sigma(cs, "s1", &w[i - 2], 17, 19, 10, true, &s1);
        cuzk_cs_enter(cs, "computation of w[i]");
        cuzk_uint32_add(equation, (const struct cuzk_uint32 *[]){&w[i - 16], &s0, &w[i - 7], &s1}, 4, &w[i]);
        cuzk_cs_leave(cs);
        cuzk_cs_leave(cs);
    }
}

static void generic_block(struct cuzk_cs *cs, const struct cuzk_boolean message[BLOCK_BITS],
                          struct cuzk_uint32 state[8])
{
    struct cuzk_multieq equation;
    struct cuzk_uint32 w[64], b = state[1], c = state[2], d = state[3], f = state[5], g = state[6],
                              h = state[7];
    struct deferred a = {.words = {state[0]}, .count = 1}, e = {.words = {state[4]}, .count = 1};

    cuzk_multieq_begin(&equation, cs);
    for (int i = 0; i < 16; i++)
        cuzk_uint32_from_bits_be(message + (ptrdiff_t)32 * i, &w[i]);
    extend(&equation, w);
    for (unsigned i = 0; i < 64; i++) {
        struct cuzk_uint32 new_a, new_e, s0, s1, choice, majority, constant;
        cuzk_cs_enter_n(cs, "compression round #", i);
        take(&equation, "deferred e computation", &e, &new_e);
        sigma(cs, "s1", &new_e, 6, 11, 25, false, &s1);
        cuzk_cs_enter(cs, "ch");
        cuzk_uint32_choose(cs, &new_e, &f, &g, &choice);
        cuzk_cs_leave(cs);
        take(&equation, "deferred a computation", &a, &new_a);
        sigma(cs, "s0", &new_a, 2, 13, 22, false, &s0);
        cuzk_cs_enter(cs, "maj");
        cuzk_uint32_majority(cs, &new_a, &b, &c, &majority);
        cuzk_cs_leave(cs);

        cuzk_uint32_constant(cuzk_sha256_round_constants[i], &constant);
        a.count = 0;
        defer(&a, &h);
        defer(&a, &s1);
        defer(&a, &choice);
        defer(&a, &constant);
        defer(&a, &w[i]);
        e = a;
        defer(&e, &d);
        defer(&a, &s0);
        defer(&a, &majority);
        h = g;
        g = f;
        f = new_e;
        d = c;
        c = b;
        b = new_a;
        cuzk_cs_leave(cs);
    }
    const struct cuzk_uint32 *const last[8] = {NULL, &b, &c, &d, NULL, &f, &g, &h};
    for (unsigned i = 0; i < 8; i++) {
        if (i == 0 || i == 4) {
            struct deferred *sum = i == 0 ? &a : &e;
            defer(sum, &state[i]);
            take(&equation, i == 0 ? "deferred h0 computation" : "deferred h4 computation", sum, &state[i]);
        } else {
            cuzk_cs_enter_n(cs, "new h#", i);
            cuzk_uint32_add(&equation, (const struct cuzk_uint32 *[]){&state[i], last[i]}, 2, &state[i]);
            cuzk_cs_leave(cs);
        }
    }
    cuzk_multieq_finish(&equation);
}

static void word_from_bits(const struct cuzk_boolean bits[32], struct cuzk_sha256_word *out)
{
    uint32_t value = 0, constant = 0, negated = 0;

    for (int i = 0; i < 32; i++) {
        value = value << 1 | bits[i].value;
        constant = constant << 1 | (bits[i].kind == CUZK_BOOLEAN_CONSTANT);
        negated = negated << 1 | (bits[i].kind == CUZK_BOOLEAN_NOT);
    }
    *out = (struct cuzk_sha256_word){value, constant, negated};
}

/* The bits of a block, the message's or of the padding behind it: a one, zeros, the length. */
static void fill_block(const struct cuzk_boolean *message, size_t n, size_t blocks, size_t block,
                       struct cuzk_boolean out[BLOCK_BITS])
{
    const size_t from = block * BLOCK_BITS;
    const size_t held = n <= from ? 0 : n - from < BLOCK_BITS ? n - from : BLOCK_BITS;

    if (held > 0)
        memcpy(out, message + from, held * sizeof *out);
    for (size_t i = held; i < BLOCK_BITS; i++) {
        const size_t left = blocks * BLOCK_BITS - (from + i); /* bits from here to the end */
        const bool length_bit = left <= LENGTH_BITS && (uint64_t)n >> (left - 1) & 1;
        out[i] = cuzk_boolean_constant(from + i == n || length_bit);
    }
}

void cuzk_sha256_gadget(struct cuzk_cs *cs, const struct cuzk_boolean *message, size_t n,
                        struct cuzk_boolean digest[CUZK_SHA256_GADGET_BITS])
{
    const size_t blocks = (n + 1 + LENGTH_BITS + BLOCK_BITS - 1) / BLOCK_BITS;
    struct cuzk_boolean block[BLOCK_BITS];
    struct cuzk_uint32 state[8];
    struct cuzk_sha256_word words[16], direct[8];

    for (int i = 0; i < 8; i++) {
        cuzk_uint32_constant(cuzk_sha256_initial[i], &state[i]);
        direct[i] = (struct cuzk_sha256_word){cuzk_sha256_initial[i], UINT32_MAX, 0};
    }
    for (size_t i = 0; i < blocks && !cuzk_cs_failed(cs); i++) {
        fill_block(message, n, blocks, i, block);
        cuzk_cs_enter_n(cs, "block #", (uint32_t)i);
        if (cuzk_cs_is_direct(cs)) {
            for (int word = 0; word < 16; word++)
                word_from_bits(block + (ptrdiff_t)32 * word, &words[word]);
            cuzk_sha256_direct_block(cs, words, direct);
        } else {
            generic_block(cs, block, state);
        }
        cuzk_cs_leave(cs);
    }
    /* after the direct routine only the values count: nobody asks for variables in witness mode */
    for (int i = 0; i < 8 && cuzk_cs_is_direct(cs); i++)
        for (int bit = 0; bit < 32; bit++)
            state[i].bits[bit] = (struct cuzk_boolean){
                .kind = direct[i].constant >> bit & 1 ? CUZK_BOOLEAN_CONSTANT : CUZK_BOOLEAN_IS,
                .value = direct[i].value >> bit & 1};
    for (int i = 0; i < 8; i++)
        cuzk_uint32_to_bits_be(&state[i], digest + (ptrdiff_t)32 * i);
}

void cuzk_sha256_reverse_bytes(const struct cuzk_boolean *in, size_t n, struct cuzk_boolean *out)
{
    struct cuzk_boolean byte[8];

    for (size_t i = 0; i < CUZK_SHA256_GADGET_BITS; i += 8) {
        for (size_t bit = 0; bit < 8; bit++)
            byte[bit] = i + bit < n ? in[i + bit] : cuzk_boolean_constant(false);
        for (size_t bit = 0; bit < 8; bit++)
            out[i + bit] = byte[7 - bit];
    }
}

struct cuzk_num cuzk_sha256_node_gadget(struct cuzk_cs *cs, const struct cuzk_sha256_node_names *names,
                                        const struct cuzk_num *left, const struct cuzk_num *right)
{
    struct cuzk_boolean bits[CUZK_FR_BITS], message[2 * CUZK_SHA256_GADGET_BITS],
        digest[CUZK_SHA256_GADGET_BITS];

    cuzk_cs_enter(cs, names->left);
    cuzk_num_to_bits(cs, left, bits);
    cuzk_cs_leave(cs);
    cuzk_sha256_reverse_bytes(bits, CUZK_FR_BITS, message);
    cuzk_cs_enter(cs, names->right);
    cuzk_num_to_bits(cs, right, bits);
    cuzk_cs_leave(cs);
    cuzk_sha256_reverse_bytes(bits, CUZK_FR_BITS, message + CUZK_SHA256_GADGET_BITS);
    cuzk_cs_enter(cs, names->hash);
    cuzk_sha256_gadget(cs, message, 2 * CUZK_SHA256_GADGET_BITS, digest);
    cuzk_cs_leave(cs);
    cuzk_sha256_reverse_bytes(digest, CUZK_SHA256_GADGET_BITS, digest);
    cuzk_cs_enter(cs, names->pack);
    const struct cuzk_num packed = cuzk_packing_to_num(cs, digest, CUZK_PACKING_CAPACITY);
    cuzk_cs_leave(cs);
    return packed;
}
