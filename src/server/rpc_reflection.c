/* grpc.reflection.v1 and v1alpha: the same messages under two names. */
#include <string.h>

#include "base/mem.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "server/descriptors.h"
#include "server/message.h"
#include "server/rpc.h"

typedef Grpc__Reflection__V1__ServerReflectionRequest reflection_request;
typedef Grpc__Reflection__V1__ServerReflectionResponse reflection_response;

#define REQUEST(name)  GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_##name
#define RESPONSE(name) GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_##name

enum { SERVICES_MOST = 16, SERVICE_NAME = 64 };

struct services {
    Grpc__Reflection__V1__ListServiceResponse response;
    Grpc__Reflection__V1__ServiceResponse service[SERVICES_MOST], *list[SERVICES_MOST];
    char name[SERVICES_MOST][SERVICE_NAME];
};

/* An answer and what it points to. */
struct reflecting {
    reflection_response response;
    Grpc__Reflection__V1__FileDescriptorResponse files;
    Grpc__Reflection__V1__ErrorResponse error;
    ProtobufCBinaryData file;
    struct services services;
};

static void answer_error(struct reflecting *r, grpc_status_code code, const char *message)
{
    grpc__reflection__v1__error_response__init(&r->error);
    r->error.error_code = (int32_t)code;
    r->error.error_message = (char *)(uintptr_t)message;
    r->response.message_response_case = RESPONSE(ERROR_RESPONSE);
    r->response.error_response = &r->error;
}

static void answer_file(struct reflecting *r, bool found, const struct cuzk_descriptor_file *file)
{
    if (!found) {
        answer_error(r, GRPC_STATUS_NOT_FOUND, "no such file or symbol");
        return;
    }
    r->file = (ProtobufCBinaryData){file->bytes.length, (uint8_t *)(uintptr_t)file->bytes.data};
    grpc__reflection__v1__file_descriptor_response__init(&r->files);
    r->files.n_file_descriptor_proto = 1;
    r->files.file_descriptor_proto = &r->file;
    r->response.message_response_case = RESPONSE(FILE_DESCRIPTOR_RESPONSE);
    r->response.file_descriptor_response = &r->files;
}

static void add_service(void *context, const char *name)
{
    struct services *services = context;
    const size_t i = services->response.n_service;

    if (i == SERVICES_MOST || strlen(name) >= SERVICE_NAME)
        return;
    memcpy(services->name[i], name, strlen(name) + 1);
    grpc__reflection__v1__service_response__init(&services->service[i]);
    services->service[i].name = services->name[i];
    services->list[i] = &services->service[i];
    services->response.n_service++;
}

static void answer_services(struct reflecting *r)
{
    grpc__reflection__v1__list_service_response__init(&r->services.response);
    r->services.response.service = r->services.list;
    cuzk_descriptors_services(add_service, &r->services);
    r->response.message_response_case = RESPONSE(LIST_SERVICES_RESPONSE);
    r->response.list_services_response = &r->services.response;
}

static void reflect(struct reflecting *r, reflection_request *request)
{
    struct cuzk_descriptor_file file;

    grpc__reflection__v1__server_reflection_response__init(&r->response);
    r->response.valid_host = request->host;
    r->response.original_request = request;
    switch (request->message_request_case) {
    case REQUEST(FILE_BY_FILENAME):
        answer_file(r, cuzk_descriptors_file(request->file_by_filename, &file), &file);
        return;
    case REQUEST(FILE_CONTAINING_SYMBOL):
        answer_file(r, cuzk_descriptors_symbol(request->file_containing_symbol, &file), &file);
        return;
    case REQUEST(LIST_SERVICES):
        answer_services(r);
        return;
    case REQUEST(FILE_CONTAINING_EXTENSION):
    case REQUEST(ALL_EXTENSION_NUMBERS_OF_TYPE):
        answer_error(r, GRPC_STATUS_NOT_FOUND, "there are no extensions in proto3");
        return;
    default:
        answer_error(r, GRPC_STATUS_INVALID_ARGUMENT, "message_request: not given");
        return;
    }
}

static void run(struct cuzk_grpc_call *call)
{
    ProtobufCMessage *message = NULL;
    struct reflecting *r = NULL;
    struct cuzk_error error = {0};
    enum cuzk_status status;

    if (call->message == NULL) { /* the client has asked all it wants */
        cuzk_grpc_call_answer_packed(call, NULL);
        return;
    }
    CUZK_TRY_OUT(cuzk_grpc_call_message(call, &grpc__reflection__v1__server_reflection_request__descriptor,
                                        &message, &error));
    CUZK_TRY_OUT(CUZK_NEW(&r, 1, "reflection", &error));
    cuzk_grpc_call_drop_message(call);
    reflect(r, (reflection_request *)message);
    cuzk_grpc_call_write(call, &r->response.base);
out:
    if (status != CUZK_OK)
        cuzk_grpc_call_fail_status(call, status, &error);
    cuzk_message_free(message);
    cuzk_mem_free(r);
}

static void written(struct cuzk_grpc_call *call, bool ok)
{
    if (ok)
        cuzk_grpc_call_read(call);
}

static void closed(struct cuzk_grpc_call *call, bool gone)
{
    if (gone)
        cuzk_grpc_call_fail(call, GRPC_STATUS_CANCELLED, 0, "the client is gone");
}

static const struct cuzk_rpc_method methods[] = {
    {.path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
     .queue = CUZK_RPC_QUICK,
     .stream = true,
     .run = run,
     .written = written,
     .closed = closed},
    {.path = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
     .queue = CUZK_RPC_QUICK,
     .stream = true,
     .run = run,
     .written = written,
     .closed = closed},
};

const struct cuzk_rpc_group cuzk_rpc_reflection = {methods, sizeof methods / sizeof methods[0]};
