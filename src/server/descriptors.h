/*
 * The service's own .proto files, as protoc describes them: found by file name or by a symbol in them. What
 * they hold is in the program; thread-safe.
 */
#ifndef CUZK_SERVER_DESCRIPTORS_H
#define CUZK_SERVER_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "server/wire.h"

/* A FileDescriptorProto's bytes, in one part. */
struct cuzk_descriptor_file {
    struct cuzk_request_part bytes;
};

/* The file called "cuzk/v1/proving.proto". False: there is none. */
bool cuzk_descriptors_file(const char *name, struct cuzk_descriptor_file *out);

/* The file that defines "cuzk.v1.ProvingEngine", a message, field, enum, enum value or method by its full
 * name. */
bool cuzk_descriptors_symbol(const char *symbol, struct cuzk_descriptor_file *out);

/* Full names of all services, one call each. */
void cuzk_descriptors_services(void (*each)(void *context, const char *name), void *context);

#endif
