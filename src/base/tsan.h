/*
 * What ThreadSanitizer cannot see: an object is given to a library that was built without it, and comes back
 * on another thread. The library orders the two; these say so. Nothing in other builds.
 */
#ifndef CUZK_BASE_TSAN_H
#define CUZK_BASE_TSAN_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CUZK_TSAN 1
#endif
#endif

#ifdef CUZK_TSAN
#include <stdint.h>

#include <sanitizer/tsan_interface.h>
#define CUZK_TSAN_GIVE(object) __tsan_release((void *)(uintptr_t)(object))
#define CUZK_TSAN_TAKE(object) __tsan_acquire((void *)(uintptr_t)(object))
#else
#define CUZK_TSAN_GIVE(object) ((void)(object))
#define CUZK_TSAN_TAKE(object) ((void)(object))
#endif

#endif
