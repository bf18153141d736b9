#include "circuit/poseidon.h"

#include <string.h>

enum { WIDTH = CUZK_POSEIDON_MAX_WIDTH };

/* The state: values, and what they are made of as combinations (record and check mode only). After an S-box
 * an element is one variable. */
struct state {
    struct cuzk_cs *cs;
    const struct cuzk_poseidon *poseidon;
    const struct cuzk_fr *key; /* next compressed round constant */
    struct cuzk_fr value[WIDTH];
    struct cuzk_combination_builder combination[WIDTH], next[WIDTH];
};

static void set_variable(struct state *s, unsigned i, cuzk_variable variable, const struct cuzk_fr *value)
{
    s->value[i] = *value;
    if (!cuzk_cs_constrains(s->cs))
        return;
    s->combination[i].count = 0;
    cuzk_cs_add(s->cs, &s->combination[i], variable, cuzk_power_of_two(0));
}

/* A new variable c with a * b = c - c_key on ONE; a_key and b_key count on ONE beside a and b. */
static cuzk_variable product(struct cuzk_cs *cs, const char *name, cuzk_variable a,
                             const struct cuzk_fr *a_key, cuzk_variable b, const struct cuzk_fr *b_key,
                             const struct cuzk_fr *value, const struct cuzk_fr *c_key)
{
    const struct cuzk_fr *const one = cuzk_power_of_two(0);
    struct cuzk_fr negative;

    cuzk_cs_enter(cs, name);
    const cuzk_variable c = cuzk_cs_alloc(cs, value);
    if (cuzk_cs_constrains(cs)) {
        cuzk_cs_begin(cs);
        if (a_key)
            cuzk_cs_add(cs, &cs->a, CUZK_VARIABLE_ONE, a_key);
        cuzk_cs_add(cs, &cs->a, a, one);
        if (b_key)
            cuzk_cs_add(cs, &cs->b, CUZK_VARIABLE_ONE, b_key);
        cuzk_cs_add(cs, &cs->b, b, one);
        if (c_key) {
            cuzk_fr_neg(c_key, &negative);
            cuzk_cs_add(cs, &cs->c, CUZK_VARIABLE_ONE, &negative);
        }
        cuzk_cs_add(cs, &cs->c, c, one);
        cuzk_cs_enforce(cs, "product");
    }
    cuzk_cs_leave(cs);
    return c;
}

/* Element i, which is the variable l: l -> (l + pre)^5 + post; pre and post may be NULL. */
static void fifth_power(struct state *s, unsigned i, cuzk_variable l, const struct cuzk_fr *pre,
                        const struct cuzk_fr *post)
{
    struct cuzk_cs *cs = s->cs;
    struct cuzk_fr base = s->value[i], square, fourth, fifth;

    if (pre)
        cuzk_fr_add(&base, pre, &base);
    cuzk_fr_sqr(&base, &square);
    cuzk_fr_sqr(&square, &fourth);
    cuzk_fr_mul(&fourth, &base, &fifth);
    if (post)
        cuzk_fr_add(&fifth, post, &fifth);
    const cuzk_variable l2 = product(cs, pre ? "(l+rk)^2" : "l^2", l, pre, l, pre, &square, NULL);
    const cuzk_variable l4 = product(cs, "l^4", l2, NULL, l2, NULL, &fourth, NULL);
    const cuzk_variable l5 =
        product(cs, pre ? "l4 * (l + rk)" : "(l4 * l) + rk)", l, pre, l4, NULL, &fifth, post);
    set_variable(s, i, l5, &fifth);
}

/* A new variable bound to element i: combination * ONE = variable. */
static cuzk_variable allocate(struct state *s, unsigned i)
{
    struct cuzk_cs *cs = s->cs;

    cuzk_cs_enter(cs, "allocate for Elt::Num");
    const cuzk_variable variable = cuzk_cs_alloc(cs, &s->value[i]);
    cuzk_cs_leave(cs);
    if (cuzk_cs_constrains(cs)) {
        cuzk_cs_begin(cs);
        cuzk_cs_add(cs, &cs->b, CUZK_VARIABLE_ONE, cuzk_power_of_two(0));
        cuzk_cs_add(cs, &cs->c, variable, cuzk_power_of_two(0));
        cuzk_cs_enforce_combinations(cs, "enforce num allocation preserves lc",
                                     cuzk_combination_view(&s->combination[i]), cuzk_combination_view(&cs->b),
                                     cuzk_combination_view(&cs->c));
    }
    return variable;
}

static void s_box(struct state *s, unsigned i, const struct cuzk_fr *post)
{
    cuzk_cs_enter(s->cs, "S-box input");
    const cuzk_variable l = allocate(s, i);
    cuzk_cs_leave(s->cs);
    fifth_power(s, i, l, NULL, post);
}

/* ---- linear layers: on the values, and on the combinations where there are any ---- */

static void combine(struct state *s, const struct cuzk_fr *factors, struct cuzk_combination_builder *out)
{
    struct cuzk_error error;

    if (cuzk_combination_sum(s->combination, factors, s->poseidon->width, out, &error) != CUZK_OK)
        cuzk_cs_fail(s->cs, error.status, "%s", error.message);
}

static void inner_product(const struct cuzk_fr *a, const struct cuzk_fr *b, unsigned n, struct cuzk_fr *out)
{
    struct cuzk_fr term;

    cuzk_fr_mul(&a[0], &b[0], out);
    for (unsigned i = 1; i < n; i++) {
        cuzk_fr_mul(&a[i], &b[i], &term);
        cuzk_fr_add(out, &term, out);
    }
}

static void swap(struct state *s, unsigned i)
{
    const struct cuzk_combination_builder t = s->combination[i];
    s->combination[i] = s->next[i];
    s->next[i] = t;
}

static void multiply_dense(struct state *s, const struct cuzk_fr m[][WIDTH])
{
    const unsigned width = s->poseidon->width;
    struct cuzk_fr value[WIDTH], column[WIDTH];

    for (unsigned j = 0; j < width; j++) {
        for (unsigned i = 0; i < width; i++)
            column[i] = m[i][j];
        inner_product(s->value, column, width, &value[j]);
        if (cuzk_cs_constrains(s->cs))
            combine(s, column, &s->next[j]);
    }
    memcpy(s->value, value, width * sizeof *value);
    for (unsigned i = 0; i < width && cuzk_cs_constrains(s->cs); i++)
        swap(s, i);
}

/* Element 0 is one variable, newer than all others: it goes to the end of each combination. */
static void multiply_sparse(struct state *s, const struct cuzk_poseidon_sparse *m)
{
    const unsigned width = s->poseidon->width;
    const struct cuzk_fr first = s->value[0];
    struct cuzk_fr sum, term;

    inner_product(s->value, m->column, width, &sum);
    if (cuzk_cs_constrains(s->cs)) {
        const cuzk_variable variable =
            s->combination[0].count ? s->combination[0].terms[0].variable : CUZK_VARIABLE_ONE;
        combine(s, m->column, &s->next[0]);
        for (unsigned i = 1; i < width; i++)
            cuzk_cs_add(s->cs, &s->combination[i], variable, &m->row[i - 1]);
        swap(s, 0);
    }
    s->value[0] = sum;
    for (unsigned i = 1; i < width; i++) {
        cuzk_fr_mul(&first, &m->row[i - 1], &term);
        cuzk_fr_add(&s->value[i], &term, &s->value[i]);
    }
}

/* ---- rounds ---- */

/* The tag's S-box is a constant: a combination of ONE alone. */
static void constant_s_box(struct state *s, const struct cuzk_fr *pre, const struct cuzk_fr *post)
{
    struct cuzk_fr value, fourth;

    cuzk_fr_add(&s->value[0], pre, &value);
    cuzk_fr_sqr(&value, &fourth);
    cuzk_fr_sqr(&fourth, &fourth);
    cuzk_fr_mul(&fourth, &value, &value);
    cuzk_fr_add(&value, post, &value);
    s->value[0] = value;
    if (!cuzk_cs_constrains(s->cs))
        return;
    s->combination[0].count = 0;
    cuzk_cs_add(s->cs, &s->combination[0], CUZK_VARIABLE_ONE, &value);
}

static void first_round(struct state *s, const struct cuzk_num *preimage)
{
    const unsigned width = s->poseidon->width;
    const struct cuzk_fr *const pre = s->key, *const post = s->key + width;

    cuzk_cs_enter(s->cs, "first round");
    constant_s_box(s, &pre[0], &post[0]);
    for (unsigned i = 1; i < width; i++) {
        cuzk_cs_enter_n(s->cs, "quintic s-box #", i);
        cuzk_cs_enter(s->cs, "S-box input");
        cuzk_cs_leave(s->cs);
        fifth_power(s, i, preimage[i - 1].variable, &pre[i], &post[i]);
        cuzk_cs_leave(s->cs);
    }
    s->key += 2 * (ptrdiff_t)width;
    multiply_dense(s, s->poseidon->mds);
    cuzk_cs_leave(s->cs);
}

static void full_round(struct state *s, const struct cuzk_fr m[][WIDTH], bool keys)
{
    for (unsigned i = 0; i < s->poseidon->width; i++) {
        cuzk_cs_enter_n(s->cs, "quintic s-box #", i);
        s_box(s, i, keys ? s->key++ : NULL);
        cuzk_cs_leave(s->cs);
    }
    multiply_dense(s, m);
}

static void permute(struct state *s, const struct cuzk_num *preimage)
{
    const struct cuzk_poseidon *poseidon = s->poseidon;
    const unsigned half = CUZK_POSEIDON_HALF_FULL_ROUNDS;
    struct cuzk_cs *cs = s->cs;

    first_round(s, preimage);
    for (unsigned round = 1; round < half; round++) {
        cuzk_cs_enter_n(cs, "initial full round #", round);
        full_round(s, round + 1 < half ? poseidon->mds : poseidon->pre_sparse, true);
        cuzk_cs_leave(cs);
    }
    for (unsigned round = 0; round < poseidon->partial_rounds; round++) {
        cuzk_cs_enter_n(cs, "partial round #", round);
        cuzk_cs_enter(cs, "solitary quintic s-box");
        s_box(s, 0, s->key++);
        cuzk_cs_leave(cs);
        multiply_sparse(s, &poseidon->sparse[round]);
        cuzk_cs_leave(cs);
    }
    for (unsigned round = 0; round + 1 < half; round++) {
        cuzk_cs_enter_n(cs, "final full round #", round);
        full_round(s, poseidon->mds, true);
        cuzk_cs_leave(cs);
    }
    cuzk_cs_enter(cs, "terminal full round");
    full_round(s, poseidon->mds, false);
    cuzk_cs_leave(cs);
}

static struct cuzk_num gadget(struct cuzk_cs *cs, unsigned arity, enum cuzk_poseidon_tag tag,
                              const struct cuzk_num *preimage)
{
    const struct cuzk_poseidon *poseidon = cuzk_poseidon_instance(arity);
    struct state s = {.cs = cs, .poseidon = poseidon, .key = poseidon->compressed};
    struct cuzk_num digest;

    cuzk_poseidon_tag(poseidon, tag, &s.value[0]);
    for (unsigned i = 0; i < arity; i++)
        s.value[i + 1] = preimage[i].value;
    permute(&s, preimage);
    cuzk_cs_enter(cs, "hash result");
    digest.variable = allocate(&s, 1);
    cuzk_cs_leave(cs);
    digest.value = s.value[1];
    for (unsigned i = 0; i < WIDTH; i++) {
        cuzk_combination_free(&s.combination[i]);
        cuzk_combination_free(&s.next[i]);
    }
    return digest;
}

/* Values only: the hash layer has them all. */
static void direct(struct cuzk_cs *const *cs, unsigned n, unsigned arity, enum cuzk_poseidon_tag tag,
                   const struct cuzk_num *const *preimages, struct cuzk_num *out)
{
    const struct cuzk_poseidon *poseidon = cuzk_poseidon_instance(arity);
    const unsigned count = (unsigned)cuzk_poseidon_trace_count(poseidon);
    struct cuzk_fr inputs[CUZK_CS_LANES * CUZK_POSEIDON_MAX_ARITY], *values[CUZK_CS_LANES];
    cuzk_variable first;

    for (unsigned k = 0; k < n; k++) {
        values[k] = cuzk_cs_alloc_many(cs[k], count, &first);
        out[k] = (struct cuzk_num){.variable = first + (count - 1)};
        for (unsigned i = 0; i < arity; i++)
            inputs[k * arity + i] = preimages[k][i].value;
    }
    if (values[0] == NULL) /* only counted, in all of them */
        return;
    cuzk_poseidon_trace_many(poseidon, tag, inputs, n, values);
    for (unsigned k = 0; k < n; k++)
        out[k].value = values[k][count - 1];
}

void cuzk_poseidon_gadget_lanes(struct cuzk_cs *const *cs, unsigned n, unsigned arity,
                                enum cuzk_poseidon_tag tag, const struct cuzk_num *const *preimages,
                                struct cuzk_num *out)
{
    if (cuzk_cs_is_direct(cs[0])) {
        direct(cs, n, arity, tag, preimages, out);
        return;
    }
    for (unsigned k = 0; k < n; k++)
        out[k] = gadget(cs[k], arity, tag, preimages[k]);
}

struct cuzk_num cuzk_poseidon_gadget(struct cuzk_cs *cs, unsigned arity, enum cuzk_poseidon_tag tag,
                                     const struct cuzk_num *preimage)
{
    struct cuzk_num digest;

    cuzk_poseidon_gadget_lanes(&cs, 1, arity, tag, &preimage, &digest);
    return digest;
}
