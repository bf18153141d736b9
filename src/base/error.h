/*
 * One status travels from the lowest layer to the exit code of the command line.
 *
 * Functions that can fail return enum cuzk_status and take, as their last parameter, a struct cuzk_error *
 * that receives a one-line message with context. The error pointer may be NULL. A failed call leaves its
 * out-parameters as the function's own comment says (by default: pointers NULL, values untouched).
 */
#ifndef CUZK_BASE_ERROR_H
#define CUZK_BASE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, exit code of the command line, text) */
#define CUZK_STATUS_MAP(X)                                                                                   \
    X(OK, 0, "success")                                                                                      \
    X(INVALID, 1, "invalid")       /* a true answer: the proof or the data does not hold */                  \
    X(ARGUMENT, 2, "bad argument") /* the caller's arguments cannot be used */                               \
    X(INPUT, 3, "bad input")       /* bytes from outside are malformed; the message has the position */      \
    X(UNSATISFIED, 3, "unsatisfied constraint") /* a witness does not satisfy the circuit */                 \
    X(NOT_FOUND, 4, "not found")                /* a file or device that is needed is missing */             \
    X(EXISTS, 4, "already exists")              /* an output would replace a file */                         \
    X(MEMORY, 4, "out of memory")                                                                            \
    X(IO, 4, "input/output error")                                                                           \
    X(UNSUPPORTED, 4, "not supported") /* by this machine or this build */                                   \
    X(DEVICE, 4, "device error")                                                                             \
    X(DEVICE_LOST, 4, "device lost") /* its process or the device is gone; others go on */                   \
    X(BUSY, 4, "too much work")      /* not now; later it will do */                                         \
    X(CANCELLED, 4, "cancelled")                                                                             \
    X(INTERNAL, 5, "internal error") /* a bug: an invariant of this program does not hold */

enum cuzk_status {
#define X(name, exit_code, text) CUZK_##name,
    CUZK_STATUS_MAP(X)
#undef X
};

enum { CUZK_ERROR_TEXT = 512 };

struct cuzk_error {
    enum cuzk_status status;
    char message[CUZK_ERROR_TEXT]; /* one line, no newline, always terminated; truncated where too long */
};

/* The fixed text of a status ("bad input"); never NULL. */
const char *cuzk_status_text(enum cuzk_status status);

/* The exit code of the command line for a status: 0 done, 1 invalid, 2 usage, 3 input, 4 resources, 5
 * internal. */
int cuzk_status_exit_code(enum cuzk_status status);

/* Stores status and a formatted message in err (which may be NULL) and returns status, so that a failing
 * function can end in `return cuzk_error_set(err, CUZK_INPUT, "...", ...)`. */
enum cuzk_status cuzk_error_set(struct cuzk_error *err, enum cuzk_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the message already in err; returns err's status (INTERNAL if err is NULL). */
enum cuzk_status cuzk_error_prefix(struct cuzk_error *err, enum cuzk_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__
/* The analyser sees one file at a time: tell it that these return the status that they are given. */
#define cuzk_error_set(err, status, ...)    (cuzk_error_set((err), (status), __VA_ARGS__), (status))
#define cuzk_error_prefix(err, status, ...) (cuzk_error_prefix((err), (status), __VA_ARGS__), (status))
#endif

/* Returns the status of a failed call from the enclosing function. */
#define CUZK_TRY(call)                                                                                       \
    do {                                                                                                     \
        enum cuzk_status try_status_ = (call);                                                               \
        if (try_status_ != CUZK_OK)                                                                          \
            return try_status_;                                                                              \
    } while (0)

/* Stores the status of a call in `status` and jumps to the label `out` (the one cleanup path) on failure. */
#define CUZK_TRY_OUT(call)                                                                                   \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != CUZK_OK)                                                                               \
            goto out;                                                                                        \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
