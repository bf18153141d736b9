/*
 * Figures that were published about a machine, beside what its model gives: read from JSON, each row in the
 * metric that was published, with the bounds of its group. Agreement with a model that was fitted is no
 * proof.
 */
#ifndef CUZK_BENCH_PUBLISHED_H
#define CUZK_BENCH_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/sim.h"

enum { CUZK_PUBLISHED_GROUPS = 24, CUZK_PUBLISHED_ROWS = 160 };

enum cuzk_published_unit {
    CUZK_PUBLISHED_PERCENT, /* error relative to the published figure */
    CUZK_PUBLISHED_POINTS,  /* of a percentage */
    CUZK_PUBLISHED_NONE,    /* shown, not judged: the meaning says why */
};

struct cuzk_published_group {
    char name[32];
    char meaning[256];
    enum cuzk_published_unit unit;
    double each, median; /* bounds of the error, in `unit` */
    /* after comparing */
    uint32_t rows, outside;
    double worst, middle; /* of the absolute errors */
};

struct cuzk_published_row {
    char name[80], preset[16], knobs[128], metric[32];
    uint32_t group, proofs, in_flight;
    double published;
    /* after comparing */
    double simulated, error;
    bool inside;
};

struct cuzk_published_figures {
    char source[256];
    uint32_t group_count, row_count;
    struct cuzk_published_group groups[CUZK_PUBLISHED_GROUPS];
    struct cuzk_published_row rows[CUZK_PUBLISHED_ROWS];
};

/* Errors: INPUT. */
enum cuzk_status cuzk_published_read(const char *what, const void *text, size_t length,
                                     struct cuzk_published_figures *out, struct cuzk_error *err);

/* Simulates every row with seeds 1 to `seeds` and judges the means. Errors: those of the simulation, ARGUMENT
 * (a row's knobs or metric). */
enum cuzk_status cuzk_published_compare(const struct cuzk_machine_model *model, uint32_t seeds,
                                        struct cuzk_published_figures *published, struct cuzk_error *err);

/* A preset and changes to it, separated by spaces. Errors: ARGUMENT. */
enum cuzk_status cuzk_published_knobs(const char *preset, const char *changes, struct cuzk_knobs *out,
                                      struct cuzk_error *err);

/* Mean of runs with seeds 1 to `seeds`. */
enum cuzk_status cuzk_bench_simulate(const struct cuzk_machine_model *model, const struct cuzk_knobs *knobs,
                                     uint32_t proofs, uint32_t in_flight, uint32_t seeds,
                                     struct cuzk_sim_result *out, struct cuzk_error *err);

#endif
