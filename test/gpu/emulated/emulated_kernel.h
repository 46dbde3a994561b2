/* CUDA C++ on a processor, for the kernels of lib/gpu: included before each of them. */
#pragma once

#include "emulated_device.h"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#define __CUDACC__ 1
#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
/* Blocks run one after another; shared arrays are filled before a kernel (emulated_blocks.c). */
#if defined(__SANITIZE_ADDRESS__)
#define __shared__ static
#else
#define __shared__ static __attribute__((section("emulated_arrays")))
#endif

struct emulated_index {
    unsigned x, y, z;
};

extern "C" {
extern emulated_index emulated_thread, emulated_block, emulated_local, emulated_groups;
extern void *emulated_shared; /* the launch's block of shared memory */
void emulated_barrier(void);
}

#define threadIdx emulated_thread
#define blockIdx emulated_block
#define blockDim emulated_local
#define gridDim emulated_groups
#define __syncthreads() emulated_barrier()
#define __threadfence() ((void)0)

template <class To, class From> static inline To emulated_cast(From x)
{
    To r;
    static_assert(sizeof r == sizeof x, "bits of one size");
    memcpy(&r, &x, sizeof r);
    return r;
}

#define __double_as_longlong(x) emulated_cast<long long>((double)(x))
#define __longlong_as_double(x) emulated_cast<double>((long long)(x))
#define __float_as_int(x) emulated_cast<int>((float)(x))
#define __int_as_float(x) emulated_cast<float>((int)(x))
#define __fma_rn(a, b, c) __builtin_fma(a, b, c)
#define __dsqrt_rn(x) __builtin_sqrt(x)

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}

/* A thread runs until it waits at a barrier, so that these are not disturbed. */
template <class T> static inline T atomicAdd(T *p, T v)
{
    T old = *p;
    *p = old + v;
    return old;
}

template <class T> static inline T atomicMax(T *p, T v)
{
    T old = *p;
    *p = v > old ? v : old;
    return old;
}

template <auto F> struct emulated_launch;

template <class... A, void (*F)(A...)> struct emulated_launch<F> {
    static constexpr size_t sizes[] = {sizeof(A)..., 0};

    template <size_t... I> static void unpack(void *const *a, std::index_sequence<I...>)
    {
        F(*(A *)a[I]...);
    }

    static void call(void *const *a)
    {
        unpack(a, std::index_sequence_for<A...>{});
    }

    static constexpr emulated_kernel kernel = {call, sizes, (int)sizeof...(A)};
};
