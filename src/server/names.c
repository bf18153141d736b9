#include "server/names.h"

const char *cuzk_kind_name(enum cuzk_proof_kind kind)
{
    static const char *const names[CUZK_PROOF_KINDS] = {
        [CUZK_PROOF_KIND_NONE] = "none",
        [CUZK_PROOF_KIND_POREP] = "porep-c2",
        [CUZK_PROOF_KIND_SNAP] = "snap-update",
        [CUZK_PROOF_KIND_WINDOW_POST] = "window-post",
        [CUZK_PROOF_KIND_WINNING_POST] = "winning-post",
    };

    return (unsigned)kind < CUZK_PROOF_KINDS ? names[kind] : names[0];
}

const char *cuzk_kind_label(enum cuzk_proof_kind kind)
{
    static const char *const labels[CUZK_PROOF_KINDS] = {
        [CUZK_PROOF_KIND_NONE] = "none",
        [CUZK_PROOF_KIND_POREP] = "porep_c2",
        [CUZK_PROOF_KIND_SNAP] = "snap_update",
        [CUZK_PROOF_KIND_WINDOW_POST] = "window_post",
        [CUZK_PROOF_KIND_WINNING_POST] = "winning_post",
    };

    return (unsigned)kind < CUZK_PROOF_KINDS ? labels[kind] : labels[0];
}

const char *cuzk_priority_name(enum cuzk_priority priority)
{
    static const char *const names[CUZK_PRIORITIES] = {"low", "normal", "high", "critical"};

    return (unsigned)priority < CUZK_PRIORITIES ? names[priority] : "none";
}

const char *cuzk_tier_name(enum cuzk_key_tier tier)
{
    static const char *const names[] = {"hot", "warm", "cold"};

    return (unsigned)tier < sizeof names / sizeof names[0] ? names[tier] : "none";
}

const char *cuzk_event_name(enum cuzk_event_type type)
{
    static const char *const names[CUZK_EVENT_TYPES] = {
        [CUZK_EVENT_TYPE_STAGE] = "stage",
        [CUZK_EVENT_TYPE_ACCEPTED] = "accepted",
        [CUZK_EVENT_TYPE_DONE] = "done",
        [CUZK_EVENT_TYPE_FAILED] = "failed",
        [CUZK_EVENT_TYPE_CANCELLED] = "cancelled",
        [CUZK_EVENT_TYPE_RETRIED] = "retried",
        [CUZK_EVENT_TYPE_KEY_LOADED] = "key_loaded",
        [CUZK_EVENT_TYPE_KEY_EVICTED] = "key_evicted",
        [CUZK_EVENT_TYPE_DEVICE_LOST] = "device_lost",
        [CUZK_EVENT_TYPE_DEVICE_READY] = "device_ready",
    };

    return (unsigned)type < CUZK_EVENT_TYPES ? names[type] : "none";
}
