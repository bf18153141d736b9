/* A kernel that writes where there is no memory: the real end of a CUDA context. */
#ifndef CUZK_TESTS_ILLEGAL_ACCESS_H
#define CUZK_TESTS_ILLEGAL_ACCESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* On the current device; returns before the kernel has run. */
void illegal_access(void);

#ifdef __cplusplus
}
#endif

#endif
