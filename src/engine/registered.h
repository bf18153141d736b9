/*
 * Numbers of registered proofs, as requests carry them: which ones a kind of proof has (its row in
 * engine/proof_kind.h says so) and what sector size each stands for. Numbers are go-state-types'
 * (abi/sector.go): seal proofs 0 to 19, PoSt 0 to 4 (Winning V1), 5 to 9 (Window V1), 10 to 14 (Window V1_1),
 * updates 0 to 4; each five of 2 KiB, 8 MiB, 512 MiB, 32 GiB and 64 GiB.
 *
 * 0 is a number, and what the wire says where a client gives none. So it has one meaning by sector size: with
 * the five sizes it is the number 0, which is of 2 KiB; other sizes exist for tests, no proof of theirs is
 * registered, and 0 is the only value that they take. Thread-safe.
 */
#ifndef CUZK_ENGINE_REGISTERED_H
#define CUZK_ENGINE_REGISTERED_H

#include "engine/proof_kind.h"

/* The sector size of a kind's registered proof, bytes; 0 where the kind has no such number. */
uint64_t cuzk_registered_sector_size(enum cuzk_proof_kind kind, uint64_t number);

/* The number of a kind and a sector size, the kind's newest version of it, or of WindowPoSt the first (V1)
 * where asked for; 0 where none is registered. */
uint64_t cuzk_registered_number(enum cuzk_proof_kind kind, uint64_t sector_size, bool first_version);

/* Whether registered_proof is one of the request's kind and agrees with its sector_size, as said above.
 * Errors: INPUT, naming the field. */
enum cuzk_status cuzk_registered_check(const struct cuzk_request *request, struct cuzk_error *err);

#endif
