/* A recorded sector's vanilla proofs, of whatever kind, as a case (engine/proof_kind.h). */
#ifndef CUZK_TESTS_ORACLE_SECTOR_CASE_H
#define CUZK_TESTS_ORACLE_SECTOR_CASE_H

#include "engine/porep_case.h"

struct sector_case {
    struct cuzk_case *that;
    struct cuzk_porep_case porep; /* what `that` points at where it is one */
};

/* folder: "sectors/window-2k". Failures fail the running test. */
void sector_case_open(const char *folder, struct sector_case *out);
void sector_case_close(struct sector_case *that);

#endif
