/* The pipeline's knobs as options give them: a preset, and "knob=value" changes of it (engine/knobs.h). */
#ifndef CUZK_CLI_KNOB_OPTIONS_H
#define CUZK_CLI_KNOB_OPTIONS_H

#include "base/option.h"
#include "engine/knobs.h"

/* Applies the changes that the option --NAME was given. Errors: ARGUMENT, with what there is. */
enum cuzk_status cli_knobs_change(const char *name, const struct cuzk_option_list *changes,
                                  struct cuzk_knobs *knobs, struct cuzk_error *err);

/* The same from the preset that --preset names (NULL: auto). */
enum cuzk_status cli_knobs_make(const char *preset, const char *name, const struct cuzk_option_list *changes,
                                struct cuzk_knobs *out, struct cuzk_error *err);

#endif
