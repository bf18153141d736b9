/*
 * A timeline as a picture: one row a lane, time to the right, every stage a bar in its colour, idle time of a
 * lane left empty and summed at its end. SVG 1.1 that stands alone, readable on white and on dark pages.
 */
#ifndef CUZK_CLI_WATERFALL_H
#define CUZK_CLI_WATERFALL_H

#include "base/sink.h"
#include "base/timeline.h"

enum cuzk_status cli_waterfall_svg(const struct cuzk_timeline *timeline, const char *title,
                                   struct cuzk_sink sink, struct cuzk_error *err);

/* The same within a page that shows a bar's figures on hover. */
enum cuzk_status cli_waterfall_html(const struct cuzk_timeline *timeline, const char *title,
                                    struct cuzk_sink sink, struct cuzk_error *err);

/* Chrome's trace event format, which Perfetto opens. */
enum cuzk_status cli_waterfall_perfetto(const struct cuzk_timeline *timeline, struct cuzk_sink sink,
                                        struct cuzk_error *err);

#endif
