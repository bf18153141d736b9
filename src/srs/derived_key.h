/*
 * Derived keys (groth16/derived.h) as files, NAME.derived for NAME.params (srs/cache.h says where), keyed to
 * the parameters' digest (srs/digest.h) and the circuit's fingerprint, written under a temporary name,
 * synced, renamed. At 32 GiB one takes 25 GB and spares each partition two of six transforms.
 */
#ifndef CUZK_SRS_DERIVED_KEY_H
#define CUZK_SRS_DERIVED_KEY_H

#include "groth16/derive.h"
#include "groth16/toxic.h"
#include "srs/directory.h"

/* What is done about derived keys. */
enum cuzk_derived_mode {
    CUZK_DERIVED_OFF,   /* parameters are taken as they are */
    CUZK_DERIVED_USE,   /* a derived key that is there and good is used */
    CUZK_DERIVED_BUILD, /* one that is missing, damaged or another's is made first */
};

#define CUZK_DERIVED_MODES  "off|use|build"
#define CUZK_DERIVED_SUFFIX ".derived"

/* Whether provers take derived keys: CUZK_DERIVED_OFF, or any other. $CUZK_DERIVED_KEY, one of the above; USE
 * where it is not set. (A daemon makes them with "build"; others only take them.) The other one puts an
 * option's value into force, for this process and those that it starts; NULL leaves all as it is. While one
 * thread runs. Errors: IO. */
#define CUZK_DERIVED_VARIABLE "CUZK_DERIVED_KEY"

enum cuzk_derived_mode cuzk_derived_mode_now(void);
enum cuzk_status cuzk_derived_mode_set(const char *text, struct cuzk_error *err);

/* One of the above by its name; OFF for any other. */
enum cuzk_derived_mode cuzk_derived_mode_parse(const char *text);

/* Opens the derived key of parameters; *found tells whether there is a good one. One that is missing is no
 * error; *note says what is wrong with one that is not good, and is empty otherwise. Errors: MEMORY,
 * CANCELLED. */
enum cuzk_status cuzk_derived_find(const char *params_path, const struct cuzk_r1cs *r1cs,
                                   struct cuzk_pool *pool, const struct cuzk_progress *progress, bool *found,
                                   struct cuzk_derived *out, struct cuzk_error *note, struct cuzk_error *err);

/* Derives one from the parameters into the file, whatever is there. r1cs with C. Errors: those of
 * cuzk_derive, IO. */
enum cuzk_status cuzk_derived_build(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                    const struct cuzk_r1cs *r1cs, const struct cuzk_params *params,
                                    const char *params_path, const struct cuzk_progress *progress,
                                    struct cuzk_error *err);

/* The same from the toxic waste of parameters made for tests. Nothing is replaced. Errors: those of
 * cuzk_derived_setup, EXISTS, IO. */
enum cuzk_status cuzk_derived_make(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                   const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                                   const char *params_path, const struct cuzk_progress *progress,
                                   struct cuzk_error *err);

#endif
