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
