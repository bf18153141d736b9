/*
 * Scattered operands loaded by whole warps: neighbouring lanes fetch neighbouring 16-byte pieces of one
 * operand into shared memory, so that an operand is one request to the cache instead of one a piece. A lane
 * then reads its own operands from there.
 *
 * Rows are an odd number of pieces long: eight lanes that read theirs meet every bank once.
 */
#ifndef CUZK_BACKEND_CUDA_STAGING_CUH
#define CUZK_BACKEND_CUDA_STAGING_CUH

#include <stdint.h>

/* How the two operands of each lane of a warp lie in its room, with PIECES of 16 bytes an operand. */
template <int PIECES> struct staging {
    enum {
        ROW = PIECES | 1,
        ROOM = 64 * ROW, /* pieces of a warp's room */
    };
};

static __device__ __forceinline__ void staging_copy(uint4 *to, const char *from)
{
#if __CUDA_ARCH__ >= 800
    __asm__ volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
        : "memory");
#else
    *to = *(const uint4 *)from;
#endif
}

static __device__ __forceinline__ void staging_wait(void)
{
#if __CUDA_ARCH__ >= 800
    __asm__ volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncwarp();
}

/* Starts loading this lane's operand of the half (0 or 1) from an address that is a multiple of 16. By all
 * lanes of a warp. */
template <int PIECES>
static __device__ __forceinline__ void staging_load(uint4 *room, int half, const void *from)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned operand = lane / PIECES, piece = lane % PIECES;

#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        const char *const p = (const char *)__shfl_sync(~0u, (uint64_t)from, operand);
        staging_copy(room + (half * 32 + operand) * staging<PIECES>::ROW + piece, p + 16 * piece);
        operand += 32 / PIECES;
        piece += 32 % PIECES;
        if (piece >= PIECES) {
            piece -= PIECES;
            operand++;
        }
    }
}

/* This lane's operand of the half. */
template <int PIECES> static __device__ __forceinline__ const uint4 *staging_row(const uint4 *room, int half)
{
    return room + (half * 32 + threadIdx.x % 32) * staging<PIECES>::ROW;
}

#endif
