/*
 * One declarative table of options feeds the command line, the environment, help texts and configuration.
 *
 * A row says what an option is called, its type and bounds, where its value goes in the caller's struct, and
 * what it is for. Values come from the default, then the environment, then the command line; the later wins.
 */
#ifndef CUZK_BASE_OPTION_H
#define CUZK_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum cuzk_option_type {
    CUZK_OPTION_FLAG,     /* bool; takes no value */
    CUZK_OPTION_STRING,   /* const char *, NULL where not given; borrowed from argv or the environment */
    CUZK_OPTION_CHOICE,   /* the same, one of `choices` */
    CUZK_OPTION_NUMBER,   /* struct cuzk_option_number */
    CUZK_OPTION_SIZE,     /* struct cuzk_option_number, in bytes: 2KiB, 32GiB or 2048 */
    CUZK_OPTION_HEX32,    /* struct cuzk_option_hex32: 64 hex digits */
    CUZK_OPTION_LIST,     /* struct cuzk_option_list: may be given several times */
    CUZK_OPTION_SWITCH,   /* bool, given as true or false (on, off, yes, no, 1, 0) */
    CUZK_OPTION_DURATION, /* struct cuzk_option_number, in milliseconds: 250ms, 30s, 5m, 2h, 1d */
};

struct cuzk_option_number {
    bool set;
    uint64_t value;
};

struct cuzk_option_hex32 {
    bool set;
    uint8_t bytes[32];
};

enum { CUZK_OPTION_LIST_ROOM = 256 };

struct cuzk_option_list {
    size_t count;
    const char *items[CUZK_OPTION_LIST_ROOM];
};

/* What argv says of deferred options, in its order; texts are borrowed from argv. */
enum { CUZK_OPTION_GIVEN_ROOM = 256 };

struct cuzk_option_given {
    size_t count;
    struct {
        const char *name, *text;
    } items[CUZK_OPTION_GIVEN_ROOM];
};

struct cuzk_option {
    const char *name; /* "params-dir" for --params-dir */
    enum cuzk_option_type type;
    size_t offset;           /* of the value in the caller's struct */
    const char *placeholder; /* what help calls the value ("DIR"); NULL for a flag */
    const char *help;        /* one sentence */
    const char *fallback;    /* default as text, or NULL */
    const char *environment; /* variable that sets it, or NULL */
    const char *choices;     /* CHOICE: "auto|cpu" */
    uint64_t min, max;       /* NUMBER, SIZE and DURATION; max 0 means no bound */
    bool required;
    const char *key;     /* place in a configuration file ("memory.host"), or NULL */
    const char *example; /* a value as it stands in that file, where there is no default */
    bool reload;         /* a running daemon takes a new value */
    bool deferred; /* cuzk_option_parse only notes what argv says of it, in a struct cuzk_option_given at
                      `offset`: its defaults and environment are another's business */
};

/* The option called `name` (length bytes), or NULL. */
const struct cuzk_option *cuzk_option_find(const struct cuzk_option *options, size_t count, const char *name,
                                           size_t length);

/* Parses one value into `values`; `where` says where it came from ("--threads", "CUZK_THREADS").
 * Errors: ARGUMENT. */
enum cuzk_status cuzk_option_set(const struct cuzk_option *option, void *values, const char *where,
                                 const char *text, struct cuzk_error *err);

/* Fills `values` (zeroed by the caller) from defaults, environment and argv. "--name value" and
 * "--name=value" are the same; "--" ends the options; what is no option is positional: at most `room` of
 * them, else ARGUMENT. An unknown option's error names the nearest one. */
enum cuzk_status cuzk_option_parse(const struct cuzk_option *options, size_t count, int argc,
                                   const char *const *argv, void *values, const char **positional,
                                   size_t room, size_t *positionals, struct cuzk_error *err);

/* "2KiB", "512MiB", "32GiB", "1TiB" or a number of bytes. Errors: ARGUMENT. */
enum cuzk_status cuzk_option_parse_size(const char *where, const char *text, uint64_t *out,
                                        struct cuzk_error *err);

/* A size as people write it ("2KiB"; bytes where it is no whole number of KiB). room of 24 is enough. */
void cuzk_option_format_size(uint64_t bytes, char *text, size_t room);

/* "250ms", "30s", "5m", "2h" or "1d", in milliseconds. Errors: ARGUMENT. */
enum cuzk_status cuzk_option_parse_duration(const char *where, const char *text, uint64_t *out,
                                            struct cuzk_error *err);

/* A duration as people write it ("30s"). room of 24 is enough. */
void cuzk_option_format_duration(uint64_t milliseconds, char *text, size_t room);

/* The option whose name is nearest to what was typed, no further than three edits; NULL where none is. */
const struct cuzk_option *cuzk_option_nearest(const struct cuzk_option *options, size_t count,
                                              const char *typed);

/* Edits that turn one word into the other (insert, delete, replace), for suggestions; words are cut at 63
 * bytes. */
unsigned cuzk_option_distance(const char *one, const char *other);

#endif
