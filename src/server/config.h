/*
 * What the daemon is told: one table of options, filled from defaults, a TOML file, the environment and
 * flags; the later wins. Every value knows where it came from.
 *
 * The same table feeds `cuzk serve --help`, `cuzk config show`, docs/config.md and packaging/cuzk.toml
 * (server/config_print.h). To add an option: a member here and a row in config_rows.c.
 *
 * A configuration does not change once it is read. Any number of threads may read it.
 */
#ifndef CUZK_SERVER_CONFIG_H
#define CUZK_SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"
#include "engine/knobs.h"

#define CUZK_CONFIG_VARIABLE "CUZK_CONFIG"
#define CUZK_CONFIG_PATH     "/etc/cuzk/cuzk.toml"

enum { CUZK_CONFIG_ROWS_MOST = 64, CUZK_CONFIG_FILE_BYTES_MOST = 1 << 20, CUZK_CONFIG_SOURCE = 256 };

/* What the rows fill; in the order of the file's sections. */
struct cuzk_config_values {
    struct cuzk_option_list grpc;           /* "unix:PATH" or "HOST:PORT" */
    const char *socket_mode;                /* octal */
    struct cuzk_option_number message_most; /* bytes */
    const char *http;                       /* "HOST:PORT" or "off" */
    const char *tls_certificate, *tls_key, *tls_client_ca;

    struct cuzk_option_list devices; /* "auto", "cpu", "cuda:0", "null", "null:quotient=5ms" */
    const char *isolation;           /* "auto", "process", "thread" */
    struct cuzk_option_number threads;
    const char *params_dir, *cache_dir;
    const char *derived_key; /* "off", "use" */
    struct cuzk_option_list preload;

    struct cuzk_option_number host_mem, vram_limit; /* bytes */

    struct cuzk_option_number jobs_most, failures_most;
    struct cuzk_option_number aging, result_keep; /* milliseconds */
    const char *state_dir;

    const char *preset;
    struct cuzk_option_list set; /* "knob=value" of flags */

    const char *log_level, *log_format, *log_to;
    struct cuzk_option_number log_repeat; /* milliseconds */
};

struct cuzk_config {
    struct cuzk_config_values values;
    struct cuzk_knobs knobs; /* preset and changes; zeros still stand for "computed" */
    const char *path;        /* of the file; NULL: none was read */

    /* Where row i, or knob i, came from: "default", "cuzk.toml:12", "CUZK_LOG_LEVEL", "--log-level",
     * "preset phase-9". */
    char source[CUZK_CONFIG_ROWS_MOST][CUZK_CONFIG_SOURCE];
    char knob_source[CUZK_KNOBS][CUZK_CONFIG_SOURCE];

    void *memory; /* what strings point to */
};

/* The rows: type, bounds, default, meaning, `key` in the file, `reload`. Offsets are into struct
 * cuzk_config_values. */
const struct cuzk_option *cuzk_config_rows(size_t *count);

/* Reads a configuration. path: --config; NULL: $CUZK_CONFIG, else /etc/cuzk/cuzk.toml where it is there, else
 * no file. flags (may be NULL) are borrowed while the configuration lives. Knobs: the preset, then the file's
 * [knobs], CUZK_KNOB_NAME, --set. Errors: NOT_FOUND (a file that was named), INPUT ("file:line:column: key:
 * ..."; an unknown key names the nearest), ARGUMENT (environment and flags), MEMORY. */
enum cuzk_status cuzk_config_read(const char *path, const struct cuzk_option_given *flags,
                                  struct cuzk_config **out, struct cuzk_error *err);
void cuzk_config_destroy(struct cuzk_config *config);

/* A row's value as it stands in a TOML file; "" where it has none. */
void cuzk_config_format(const struct cuzk_config *config, const struct cuzk_option *row, char *text,
                        size_t room);

/* The name of the variable that sets a knob ("CUZK_KNOB_BATCH_MAX"). room of 64 is enough. */
void cuzk_config_knob_variable(enum cuzk_knob knob, char *text, size_t room);

/* What differs between two configurations, one call a row or knob: name is the key in the file. `reload`
 * says whether a running daemon takes it. */
void cuzk_config_compare(const struct cuzk_config *old, const struct cuzk_config *fresh,
                         void (*each)(void *context, const char *key, const char *before, const char *after,
                                      bool reload),
                         void *context);

/* Puts where the row with this key got its value before the message about it. Returns INPUT where that is the
 * file, else ARGUMENT. */
enum cuzk_status cuzk_config_blame(const struct cuzk_config *config, const char *key, struct cuzk_error *err);

/* Values that only together make no sense: TCP off the loopback without TLS, half a TLS, unknown circuits,
 * devices and presets. Errors: INPUT (the file, with its line), ARGUMENT (environment and flags). */
enum cuzk_status cuzk_config_check(const struct cuzk_config *config, struct cuzk_error *err);

/* The engine's address where nobody names one: "unix:" and $RUNTIME_DIRECTORY/cuzk.sock, else
 * $XDG_RUNTIME_DIR/cuzk.sock, else /run/cuzk/cuzk.sock. */
void cuzk_config_default_address(char *text, size_t room);

/* Where a client looks for it: the same, or /run/cuzk/cuzk.sock where only that is there. */
void cuzk_config_client_address(char *text, size_t room);

/* $STATE_DIRECTORY, else $XDG_STATE_HOME/cuzk, else ~/.local/state/cuzk. */
void cuzk_config_default_state(char *text, size_t room);

#endif
