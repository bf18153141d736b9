/* What a proof is made of, as a user names it: files and numbers. Enough to give the work to a daemon. */
#ifndef CUZK_CLI_JOB_H
#define CUZK_CLI_JOB_H

#include "base/option.h"

struct cli_job {
    const char *kind;      /* "porep", "winning", "wpost", "snap" */
    const char *c1;        /* porep: a file */
    const char *request;   /* the others: a JSON file */
    const char *const *in; /* and their vanilla proofs */
    size_t in_count;
    const char *request_id, *priority; /* NULL: not said */
    struct cuzk_option_number miner_id, sector_number, partition_index;
};

#endif
