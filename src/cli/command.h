/*
 * One command of the program: a row of the table in commands.c, a file for its code.
 *
 * To add a command: write src/cli/command_NAME.c with a `const struct cli_command` at its end, and name it in
 * commands.c. Its options are rows of base/option.h; every values struct begins with `struct cli_common`.
 */
#ifndef CUZK_CLI_COMMAND_H
#define CUZK_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/option.h"
#include "cli/session.h"

/* What every command understands; the first member of its values struct. */
struct cli_common {
    bool json;
    bool quiet;
    bool verbose;
    bool help;
};

#define CLI_COMMON_OPTIONS                                                                                   \
    {.name = "json",                                                                                         \
     .type = CUZK_OPTION_FLAG,                                                                               \
     .offset = offsetof(struct cli_common, json),                                                            \
     .help = "print one JSON object on standard output and nothing else there"},                             \
        {.name = "quiet",                                                                                    \
         .type = CUZK_OPTION_FLAG,                                                                           \
         .offset = offsetof(struct cli_common, quiet),                                                       \
         .help = "no progress and no notes on standard error"},                                              \
        {.name = "verbose",                                                                                  \
         .type = CUZK_OPTION_FLAG,                                                                           \
         .offset = offsetof(struct cli_common, verbose),                                                     \
         .help = "more notes on standard error"},                                                            \
        {.name = "help",                                                                                     \
         .type = CUZK_OPTION_FLAG,                                                                           \
         .offset = offsetof(struct cli_common, help),                                                        \
         .help = "this text"}

/* --backend: a member `const char *backend` of the command's values */
#define CLI_BACKEND_OPTION_AT(values, slot)                                                                  \
    {.name = "backend",                                                                                      \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot),                                                                       \
     .placeholder = "NAME",                                                                                  \
     .fallback = "auto",                                                                                     \
     .help = "what computes: auto, cpu, cuda, cuda:ORDINAL or cuda:UUID"}
#define CLI_BACKEND_OPTION(values) CLI_BACKEND_OPTION_AT(values, backend)

/* The option --vram-limit. */
#define CLI_VRAM_LIMIT_OPTION_AT(values, slot)                                                               \
    {.name = "vram-limit",                                                                                   \
     .type = CUZK_OPTION_SIZE,                                                                               \
     .offset = offsetof(values, slot),                                                                       \
     .placeholder = "SIZE",                                                                                  \
     .environment = "CUZK_VRAM_LIMIT",                                                                       \
     .min = 1 << 20,                                                                                         \
     .help = "memory to use on the device; a key that does not fit passes through it from host memory"}
#define CLI_VRAM_LIMIT_OPTION(values) CLI_VRAM_LIMIT_OPTION_AT(values, vram_limit)

/* The option --cache-dir; main puts its value into force before the command runs. */
#define CLI_CACHE_OPTION_AT(values, slot)                                                                    \
    {.name = CLI_CACHE_OPTION_NAME,                                                                          \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot),                                                                       \
     .placeholder = "DIR",                                                                                   \
     .environment = "CUZK_CACHE_DIR",                                                                        \
     .help = "where compact circuits, derived keys and digests of parameters are kept, or off; beside the "  \
             "parameters, or in the user's cache directory, where not given"}
#define CLI_CACHE_OPTION(values) CLI_CACHE_OPTION_AT(values, cache_dir)
#define CLI_CACHE_OPTION_NAME    "cache-dir"

/* The option --threads, for commands that use a pool. */
#define CLI_THREADS_OPTION_AT(values, slot)                                                                  \
    {.name = "threads",                                                                                      \
     .type = CUZK_OPTION_NUMBER,                                                                             \
     .offset = offsetof(values, slot),                                                                       \
     .placeholder = "N",                                                                                     \
     .environment = "CUZK_THREADS",                                                                          \
     .min = 1,                                                                                               \
     .max = 1024,                                                                                            \
     .help = "threads to compute with; all processors where not given"}
#define CLI_THREADS_OPTION(values) CLI_THREADS_OPTION_AT(values, threads)

enum { CLI_POSITIONAL_ROOM = 4096, CLI_VALUES_ROOM = 16384 };

struct cli_command {
    const char *name;      /* "prove porep" */
    const char *arguments; /* positional ones in the usage line: "FILE", or "" */
    const char *summary;   /* one line, for the list */
    const char *text;      /* what it does, paragraphs */
    const char *example;   /* lines of shell */
    const struct cuzk_option *options;
    size_t option_count;
    /* Rows of the daemon's configuration (server/config.h): what argv says of them is noted in the struct
     * cuzk_option_given at config_offset. NULL: none. */
    const struct cuzk_option *(*config)(size_t *count);
    size_t config_offset;
    size_t values_size; /* of the struct that the options fill; at most CLI_VALUES_ROOM */
    size_t least, most; /* positional arguments */
    bool hidden;        /* for the program itself: no list names it */
    enum cuzk_status (*run)(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err);
};

/* Each in its own file. */
extern const struct cli_command cli_await;
extern const struct cli_command cli_bench_decode;
extern const struct cli_command cli_bench_field;
extern const struct cli_command cli_bench_fold;
extern const struct cli_command cli_bench_load;
extern const struct cli_command cli_bench_msm;
extern const struct cli_command cli_bench_ntt;
extern const struct cli_command cli_bench_phases;
extern const struct cli_command cli_bench_prove;
extern const struct cli_command cli_bench_verify;
extern const struct cli_command cli_bench_witness;
extern const struct cli_command cli_cancel;
extern const struct cli_command cli_circuit_digest;
extern const struct cli_command cli_circuit_show;
extern const struct cli_command cli_circuit_list;
extern const struct cli_command cli_circuit_tree;
extern const struct cli_command cli_config_check;
extern const struct cli_command cli_config_docs;
extern const struct cli_command cli_config_sample;
extern const struct cli_command cli_config_show;
extern const struct cli_command cli_device_child;
extern const struct cli_command cli_doctor;
extern const struct cli_command cli_evict;
extern const struct cli_command cli_inspect_command;
extern const struct cli_command cli_metrics;
extern const struct cli_command cli_preload;
extern const struct cli_command cli_prove_porep;
extern const struct cli_command cli_prove_winning;
extern const struct cli_command cli_prove_wpost;
extern const struct cli_command cli_r1cs_prove;
extern const struct cli_command cli_r1cs_setup;
extern const struct cli_command cli_r1cs_verify;
extern const struct cli_command cli_seal;
extern const struct cli_command cli_serve;
extern const struct cli_command cli_derive;
extern const struct cli_command cli_setup;
extern const struct cli_command cli_status;
extern const struct cli_command cli_submit;
extern const struct cli_command cli_synth_porep;
extern const struct cli_command cli_synth_winning;
extern const struct cli_command cli_synth_snap;
extern const struct cli_command cli_synth_wpost;
extern const struct cli_command cli_trace;
extern const struct cli_command cli_vanilla_snap;
extern const struct cli_command cli_vanilla_winning;
extern const struct cli_command cli_vanilla_wpost;
extern const struct cli_command cli_verify_porep;
extern const struct cli_command cli_verify_winning;
extern const struct cli_command cli_verify_wpost;
extern const struct cli_command cli_prove_snap;
extern const struct cli_command cli_verify_snap;

enum { CLI_OPTIONS_MOST = 96 };

/* All options of a command, those of the configuration behind its own; returns how many. */
size_t cli_command_options(const struct cli_command *command, struct cuzk_option options[CLI_OPTIONS_MOST]);

/* All commands, in the order of the help text. */
extern const struct cli_command *const cli_commands[];
extern const size_t cli_command_count;

/* Finds the command that argv (argc words, program name left out) begins with; *words tells how many words
 * its name takes. NULL where there is none. */
const struct cli_command *cli_command_find(int argc, const char *const *argv, int *words);

#endif
