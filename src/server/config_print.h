/* The table of options as documents: the sample file, the page of the manual, and what is in force. All end
 * in the sink's error. */
#ifndef CUZK_SERVER_CONFIG_PRINT_H
#define CUZK_SERVER_CONFIG_PRINT_H

#include "base/json_writer.h"
#include "base/sink.h"
#include "server/config.h"

/* packaging/cuzk.toml: every option with its meaning, commented out at its default. */
enum cuzk_status cuzk_config_print_sample(struct cuzk_sink sink, struct cuzk_error *err);

/* docs/config.md. */
enum cuzk_status cuzk_config_print_docs(struct cuzk_sink sink, struct cuzk_error *err);

/* What is in force, a line an option, as TOML, with where it came from; of a knob that means nothing on
 * `backend` it says so. */
enum cuzk_status cuzk_config_print_effective(const struct cuzk_config *config, const char *backend,
                                             struct cuzk_sink sink, struct cuzk_error *err);

/* The same as members of the object that is open: options and knobs. */
void cuzk_config_write(const struct cuzk_config *config, const char *backend, struct cuzk_json_writer *json);

#endif
