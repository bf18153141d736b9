#include "curve/g1_table.h"

#include "base/mem.h"
#include "curve/kernel.h"

/* digits of a 256-bit scalar at most: one in every seven bits */
enum { DIGITS = 256 / CUZK_G1_TABLE_WIDTH + 2 };

struct cuzk_g1_table {
    size_t n;
    struct cuzk_g1_affine *points; /* n * CUZK_G1_TABLE_POINTS */
};

struct build {
    const struct cuzk_g1_affine *points;
    struct cuzk_g1_table *table;
};

static void build_one(void *context, size_t i, unsigned worker)
{
    const struct build *build = context;

    (void)worker;
    cuzk_curve_kernel()->g1_table_build(&build->points[i], build->table->points + i * CUZK_G1_TABLE_POINTS);
}

enum cuzk_status cuzk_g1_table_create(struct cuzk_pool *pool, const struct cuzk_g1_affine *points, size_t n,
                                      struct cuzk_g1_table **out, struct cuzk_error *err)
{
    struct cuzk_g1_table *table = NULL;
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&table, 1, "table of points", err));
    CUZK_TRY_OUT(cuzk_mem_alloc(n, CUZK_G1_TABLE_POINTS * sizeof *points, "table of points",
                                (void **)&table->points, err));
    table->n = n;
    cuzk_pool_run(pool, n, build_one, &(struct build){points, table});
    *out = table;
    return CUZK_OK;
out:
    cuzk_g1_table_destroy(table);
    return status;
}

void cuzk_g1_table_destroy(struct cuzk_g1_table *table)
{
    if (table == NULL)
        return;
    cuzk_mem_free(table->points);
    cuzk_mem_free(table);
}

/* Appends the digits of a scalar, chained at their bit; returns the new number of digits. */
static uint32_t recode(const uint64_t scalar[4], uint32_t point, struct cuzk_g1_table_digit *digits,
                       uint32_t count, uint32_t first[CUZK_G1_TABLE_BITS])
{
    const unsigned mask = (1u << CUZK_G1_TABLE_WIDTH) - 1;
    unsigned carry = 0;

    for (unsigned i = 0; i < 256;) {
        const uint64_t low = scalar[i / 64] >> (i % 64);
        if (carry == 0 && low == 0) { /* the rest of the word is zero */
            i = (i / 64 + 1) * 64;
            continue;
        }
        if ((low & 1) == carry) {
            i++;
            continue;
        }
        uint64_t window = low;
        if (i % 64 > 64 - CUZK_G1_TABLE_WIDTH && i / 64 < 3)
            window |= scalar[i / 64 + 1] << (64 - i % 64);
        const unsigned value = (unsigned)(window & mask) + carry;
        carry = value >> (CUZK_G1_TABLE_WIDTH - 1) & 1;
        const unsigned magnitude = carry ? (1u << CUZK_G1_TABLE_WIDTH) - value : value;
        const unsigned part = i / CUZK_G1_TABLE_BITS, bit = i % CUZK_G1_TABLE_BITS;
        digits[count] = (struct cuzk_g1_table_digit){
            .point = point * CUZK_G1_TABLE_POINTS + part * CUZK_G1_TABLE_ODD + magnitude / 2,
            .next = first[bit],
            .negative = carry != 0,
        };
        first[bit] = count++;
        i += CUZK_G1_TABLE_WIDTH;
    }
    return count;
}

enum cuzk_status cuzk_g1_table_sum(const struct cuzk_g1_table *table, const uint64_t (*scalars)[4],
                                   struct cuzk_g1 *out, struct cuzk_error *err)
{
    struct cuzk_g1_table_digit *digits = NULL;
    uint32_t first[CUZK_G1_TABLE_BITS], count = 0;

    CUZK_TRY(cuzk_mem_alloc(table->n, DIGITS * sizeof *digits, "digits of scalars", (void **)&digits, err));
    for (int i = 0; i < CUZK_G1_TABLE_BITS; i++)
        first[i] = CUZK_G1_TABLE_END;
    for (size_t i = 0; i < table->n; i++)
        count = recode(scalars[i], (uint32_t)i, digits, count, first);
    cuzk_curve_kernel()->g1_table_sum(table->points, digits, first, out);
    cuzk_mem_free(digits);
    return CUZK_OK;
}
