#include "circuit/sha256_direct.h"

#include "circuit/boolean.h"
#include "hash/sha256.h"

typedef struct cuzk_sha256_word word;

static word constant_word(uint32_t value)
{
    return (word){value, UINT32_MAX, 0};
}

static inline uint32_t rotate(uint32_t a, unsigned by)
{
    return a >> by | a << (32 - by);
}

static inline word rotr(word a, unsigned by)
{
    return (word){rotate(a.value, by), rotate(a.constant, by), rotate(a.negated, by)};
}

/* zeros that come in are constants */
static inline word shr(word a, unsigned by)
{
    return (word){a.value >> by, a.constant >> by | ~(UINT32_MAX >> by), a.negated >> by};
}

/* the bits of values under the mask, lowest first, as new variables */
static void put_masked(struct cuzk_cs *cs, uint32_t values, uint32_t mask)
{
    uint32_t packed = 0;
    unsigned n = 0;

    for (; mask; mask &= mask - 1, n++)
        packed |= (values >> __builtin_ctz(mask) & 1) << n;
    (void)cuzk_cs_alloc_bits(cs, packed, n);
}

/* A new variable where both bits are variables; it is the xor of the variables without their negations. */
static inline word exclusive_or(struct cuzk_cs *cs, word a, word b)
{
    const uint32_t variable = ~(a.constant | b.constant);
    const uint32_t plain = a.value ^ a.negated ^ b.value ^ b.negated;
    const uint32_t flips = (a.constant & a.value) ^ (b.constant & b.value);

    if (variable == UINT32_MAX)
        (void)cuzk_cs_alloc_bits(cs, plain, 32);
    else
        put_masked(cs, plain, variable);
    const uint32_t constant = a.constant & b.constant;
    return (word){a.value ^ b.value, constant, (a.negated ^ b.negated ^ flips) & ~constant};
}

static struct cuzk_boolean bit_of(word a, int i)
{
    const uint8_t kind = a.constant >> i & 1  ? CUZK_BOOLEAN_CONSTANT
                         : a.negated >> i & 1 ? CUZK_BOOLEAN_NOT
                                              : CUZK_BOOLEAN_IS;
    return (struct cuzk_boolean){.kind = kind, .value = a.value >> i & 1};
}

static void set_bit(word *a, int i, struct cuzk_boolean bit)
{
    a->value |= (uint32_t)bit.value << i;
    a->constant |= (uint32_t)(bit.kind == CUZK_BOOLEAN_CONSTANT) << i;
    a->negated |= (uint32_t)(bit.kind == CUZK_BOOLEAN_NOT) << i;
}

/* Constants among the operands fold by many rules: those few words go bit by bit. */
static word bitwise(struct cuzk_cs *cs,
                    struct cuzk_boolean (*gate)(struct cuzk_cs *, struct cuzk_boolean, struct cuzk_boolean,
                                                struct cuzk_boolean),
                    word a, word b, word c)
{
    word out = {0, 0, 0};

    for (int i = 0; i < 32; i++)
        set_bit(&out, i, gate(cs, bit_of(a, i), bit_of(b, i), bit_of(c, i)));
    return out;
}

static inline word choose(struct cuzk_cs *cs, word a, word b, word c)
{
    const uint32_t value = (a.value & b.value) ^ (~a.value & c.value);

    if (a.constant | b.constant | c.constant)
        return bitwise(cs, cuzk_boolean_choose, a, b, c);
    (void)cuzk_cs_alloc_bits(cs, value, 32);
    return (word){value, 0, 0};
}

/* bit i goes to position 2i */
static inline uint64_t spread(uint64_t a)
{
    a = (a | a << 16) & UINT64_C(0x0000ffff0000ffff);
    a = (a | a << 8) & UINT64_C(0x00ff00ff00ff00ff);
    a = (a | a << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    a = (a | a << 2) & UINT64_C(0x3333333333333333);
    return (a | a << 1) & UINT64_C(0x5555555555555555);
}

/* For each bit two variables: the majority, then b and c. */
static inline word majority(struct cuzk_cs *cs, word a, word b, word c)
{
    const uint32_t both = b.value & c.value;
    const uint32_t value = (a.value & (b.value | c.value)) | both;

    if (a.constant | b.constant | c.constant)
        return bitwise(cs, cuzk_boolean_majority, a, b, c);
    (void)cuzk_cs_alloc_bits(cs, spread(value) | spread(both) << 1, 64);
    return (word){value, 0, 0};
}

/* A sum of `count` words: all bits that it can have. */
static inline word sum(struct cuzk_cs *cs, uint64_t value, uint32_t constant, unsigned count)
{
    if (constant == UINT32_MAX)
        return constant_word((uint32_t)value);
    (void)cuzk_cs_alloc_bits(cs, value, 64 - (unsigned)__builtin_clzll((uint64_t)count * UINT32_MAX));
    return (word){(uint32_t)value, 0, 0};
}

/* What of a running sum is known: its value, and the bits that are constants in all of its words. */
struct partial {
    uint64_t value;
    uint32_t constant;
    unsigned count;
};

static inline void add(struct partial *partial, word a)
{
    partial->value += a.value;
    partial->constant &= a.constant;
    partial->count++;
}

static inline word take(struct cuzk_cs *cs, const struct partial *partial)
{
    return sum(cs, partial->value, partial->constant, partial->count);
}

void cuzk_sha256_direct_block(struct cuzk_cs *cs, const word message[16], word state[8])
{
    const struct partial nothing = {0, UINT32_MAX, 0};
    word w[64], new_a = state[0], b = state[1], c = state[2], d = state[3], new_e = state[4], f = state[5],
                g = state[6], h = state[7], t;
    struct partial a = nothing, e = nothing;

    for (int i = 0; i < 16; i++)
        w[i] = message[i];
    for (int i = 16; i < 64; i++) {
        struct partial p = nothing;
        add(&p, w[i - 16]);
        t = exclusive_or(cs, rotr(w[i - 15], 7), rotr(w[i - 15], 18));
        add(&p, exclusive_or(cs, t, shr(w[i - 15], 3)));
        add(&p, w[i - 7]);
        t = exclusive_or(cs, rotr(w[i - 2], 17), rotr(w[i - 2], 19));
        add(&p, exclusive_or(cs, t, shr(w[i - 2], 10)));
        w[i] = take(cs, &p);
    }
    for (int i = 0; i < 64; i++) {
        if (i > 0)
            new_e = take(cs, &e);
        struct partial p = nothing;
        add(&p, h);
        t = exclusive_or(cs, rotr(new_e, 6), rotr(new_e, 11));
        add(&p, exclusive_or(cs, t, rotr(new_e, 25)));
        add(&p, choose(cs, new_e, f, g));
        add(&p, constant_word(cuzk_sha256_round_constants[i]));
        add(&p, w[i]);
        if (i > 0)
            new_a = take(cs, &a);
        e = a = p;
        add(&e, d);
        t = exclusive_or(cs, rotr(new_a, 2), rotr(new_a, 13));
        add(&a, exclusive_or(cs, t, rotr(new_a, 22)));
        add(&a, majority(cs, new_a, b, c));
        h = g;
        g = f;
        f = new_e;
        d = c;
        c = b;
        b = new_a;
    }
    add(&a, state[0]);
    add(&e, state[4]);
    const word last[8] = {state[0], b, c, d, state[4], f, g, h};
    for (int i = 0; i < 8; i++) {
        struct partial p = nothing;
        add(&p, state[i]);
        add(&p, last[i]);
        state[i] = take(cs, i == 0 ? &a : i == 4 ? &e : &p);
    }
}
