#include "cli/knob_options.h"

enum cuzk_status cli_knobs_change(const char *name, const struct cuzk_option_list *changes,
                                  struct cuzk_knobs *knobs, struct cuzk_error *err)
{
    for (size_t i = 0; i < changes->count; i++) {
        const enum cuzk_status status = cuzk_knobs_set(knobs, changes->items[i], err);

        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "--%s", name);
    }
    return CUZK_OK;
}

enum cuzk_status cli_knobs_make(const char *preset, const char *name, const struct cuzk_option_list *changes,
                                struct cuzk_knobs *out, struct cuzk_error *err)
{
    const enum cuzk_status status = cuzk_knobs_preset(preset != NULL ? preset : "auto", out, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "--preset");
    return cli_knobs_change(name, changes, out, err);
}
