/* A timeline in the words of the reference, so that what reads its logs reads ours. */
#ifndef CUZK_CLI_TRACE_REFERENCE_H
#define CUZK_CLI_TRACE_REFERENCE_H

#include "base/timeline.h"
#include "cli/session.h"

/* Prints "TIMELINE,<offset_ms>,<event>,<job>,<detail>" for its six events, in order of time:
 *
 *   SYNTH_START  a witness begins          partition=P
 *   SYNTH_END    and ends                  partition=P,synth_ms=N
 *   CHAN_SEND    with that it is offered to the devices   partition=P
 *   GPU_PICKUP   a device's worker takes it               worker=W,partition=P
 *   GPU_START    its call begins, lock waits included     worker=W,partition=P
 *   GPU_END      the proof is assembled    worker=W,partition=P,gpu_ms=N (since GPU_START)
 *
 * Workers are numbered over all devices, in order of their lanes' names. Errors: MEMORY. */
enum cuzk_status cli_trace_say_reference(struct cli_session *session, const struct cuzk_timeline *timeline,
                                         struct cuzk_error *err);

#endif
