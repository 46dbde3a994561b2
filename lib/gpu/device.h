/* The dialect of the kernels: one text for OpenCL C 1.2 and CUDA C, and the same names as
 * core/arith/compiler.h, so that headers of core which use only those are read by kernels, too.
 *
 * A kernel:
 *
 *   EXB_KERNEL void scale(int n, double f, EXB_PLACE(double, x) EXB_LOCAL_ARG(exb_i64, words))
 *   {
 *       ...
 *
 * EXB_KERNEL_OF(n) is for kernels that should leave registers for n groups of 256 work-items at
 * once on each multiprocessor; no group is larger. EXB_FOR is for loops over the words of a
 * sum, four of them at a time: all at once take all the registers there are, and a function that is
 * called makes its caller spill. EXB_ROLLED stands before a loop that is not to be unrolled.
 *
 * EXB_PLACE(type, x) is the pointer x to global memory that may point into a buffer (OpenCL passes
 * buffers, so it is two arguments there: the buffer and the number of bytes). EXB_LOCAL_ARG, last
 * and without a comma before it, is a pointer to the kernel's one block of local memory whose size
 * the launch chooses. EXB_CONSTANTS(type, x), of CUDA alone, is a pointer to a structure that is
 * the same for all work-items, of up to 3.8 KB, a part of the launch. embed.py turns arguments into
 * pointers: a kernel begins with an EXB_TAKE_... for each.
 *
 * Rules: no system header; no 128-bit integers; products and sums are not contracted (pragma
 * below, nvcc -fmad=false) and no fast-math; device functions take values or pointers to
 * private memory, or say EXB_LOCAL or EXB_GLOBAL; a barrier is reached by all work-items of a
 * group, and stands neither behind a return nor under a condition that depends on data, even
 * if all work-items agree on it (PoCL 3.1 then lets groups disturb each other's loop counters):
 * loops are made empty instead; nothing depends on the size of a group, on lockstep within it, or
 * on the order in which groups run; no group reads what another one of the same launch wrote, but
 * by atomics (exact.cl). */
#pragma once

#ifdef EXB_COMPILER_H
#error "device.h comes before all headers of core"
#endif
#define EXB_DEVICE 1

#if defined(__CUDACC__)

#include <float.h>
#include <math.h>

typedef int exb_i32;
typedef long long exb_i64;
typedef unsigned exb_u32;
typedef unsigned long long exb_u64;

#define EXB_KERNEL static __global__ __launch_bounds__(256)
#define EXB_KERNEL_OF(n) static __global__ __launch_bounds__(256, n)
#define EXB_GLOBAL
#define EXB_LOCAL
#define EXB_LOCAL_ARRAY(type, name, n) __shared__ type name[n]
#define EXB_INLINE static __device__ __forceinline__ __attribute__((unused))
#define EXB_PLACE(type, name) type *name
#define EXB_TAKE_PLACE(type, name)
#define EXB_CONSTANTS(type, name) const __grid_constant__ type name##_constants
#define EXB_TAKE_CONSTANTS(type, name) const type *name = &name##_constants
#define EXB_LOCAL_ARG(type, name)
#define EXB_TAKE_LOCAL_ARG(type, name)                                                             \
    extern __shared__ double exb_local_block[];                                                    \
    type *name = (type *)exb_local_block

#define EXB_DIMENSION(v, d) ((d) == 0 ? (v).x : (v).y)
#define exb_local_id(d) ((int)EXB_DIMENSION(threadIdx, d))
#define exb_local_size(d) ((int)EXB_DIMENSION(blockDim, d))
#define exb_group_id(d) ((int)EXB_DIMENSION(blockIdx, d))
#define exb_n_groups(d) ((int)EXB_DIMENSION(gridDim, d))
#define EXB_UNROLL_2 _Pragma("unroll 2")
#define EXB_ROLLED _Pragma("unroll 1")
#define EXB_FOR _Pragma("unroll 4") for
#define exb_barrier() __syncthreads()
#define exb_fence_global() __threadfence()

#define exb_bits(x) ((exb_u64)__double_as_longlong(x))
#define exb_from_bits(b) __longlong_as_double((exb_i64)(b))
#define exb_bits_f(x) ((exb_u32)__float_as_int(x))
#define exb_from_bits_f(b) __int_as_float((int)(b))
#define exb_fma(a, b, c) __fma_rn(a, b, c)
#define exb_fabs(x) fabs(x)
#define exb_sqrt(x) __dsqrt_rn(x)
#define exb_mul_high(a, b) __umul64hi(a, b)
#define exb_leading_zeros(w) __clzll((exb_i64)(w))

#define exb_atomic_add_local(p, v) ((exb_i64)atomicAdd((exb_u64 *)(p), (exb_u64)(v)))
#define exb_atomic_add_global(p, v) ((exb_i64)atomicAdd((exb_u64 *)(p), (exb_u64)(v)))
#define exb_atomic_add_global_u32(p, v) atomicAdd(p, (exb_u32)(v))
#define exb_atomic_max_global_u32(p, v) atomicMax(p, (exb_u32)(v))

#else /* OpenCL C 1.2 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL FP_CONTRACT OFF

typedef int exb_i32;
typedef long exb_i64;
typedef uint exb_u32;
typedef ulong exb_u64;

#define EXB_KERNEL __kernel
#define EXB_KERNEL_OF(n) __kernel
#define EXB_GLOBAL __global
#define EXB_LOCAL __local
#define EXB_LOCAL_ARRAY(type, name, n) __local type name[n]
#ifndef EXB_INLINE /* checkers may compile without inlining */
#define EXB_INLINE static inline __attribute__((always_inline))
#endif
#define EXB_PLACE(type, name) __global type *name##_buffer, exb_i64 name##_byte
#define EXB_TAKE_PLACE(type, name)                                                                 \
    __global type *name = (__global type *)((__global const char *)name##_buffer + name##_byte)
#define EXB_LOCAL_ARG(type, name) , __local type *name
#define EXB_TAKE_LOCAL_ARG(type, name)

#define exb_local_id(d) ((int)get_local_id(d))
#define exb_local_size(d) ((int)get_local_size(d))
#define exb_group_id(d) ((int)get_group_id(d))
#define exb_n_groups(d) ((int)get_num_groups(d))
#define EXB_ROLLED
#define EXB_UNROLL_2 /* compilers say that they cannot */
#define EXB_FOR for
#define exb_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
/* OpenCL 1.2 does not say whom a fence is for. AMD's mem_fence is for the work-items of a group,
 * and leaves additions whose old values nobody asks for under way. */
#if defined(__AMDGCN__)
#define exb_fence_global() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")
#else
#define exb_fence_global() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

#define exb_bits(x) as_ulong((double)(x))
#define exb_from_bits(b) as_double((exb_u64)(b))
#define exb_bits_f(x) as_uint((float)(x))
#define exb_from_bits_f(b) as_float((exb_u32)(b))
#define exb_fma(a, b, c) fma((double)(a), (double)(b), (double)(c))
#define exb_fabs(x) fabs((double)(x))
#define exb_sqrt(x) sqrt((double)(x))
#define exb_mul_high(a, b) mul_hi((exb_u64)(a), (exb_u64)(b))
#define exb_leading_zeros(w) ((int)clz((exb_u64)(w)))

#define exb_atomic_add_local(p, v) atom_add((volatile __local exb_i64 *)(p), (exb_i64)(v))
#define exb_atomic_add_global(p, v) atom_add((volatile __global exb_i64 *)(p), (exb_i64)(v))
#define exb_atomic_add_global_u32(p, v) atomic_add((volatile __global exb_u32 *)(p), (exb_u32)(v))
#define exb_atomic_max_global_u32(p, v) atomic_max((volatile __global exb_u32 *)(p), (exb_u32)(v))

#endif

#define exb_global_size(d) ((exb_i64)exb_n_groups(d) * exb_local_size(d))
#define exb_global_id(d) ((exb_i64)exb_group_id(d) * exb_local_size(d) + exb_local_id(d))

/* What a kernel is compiled for: EXB_IS_S says float (1) or double (0), which all kernels read
 * and write as exb_real; everything between is double. */
#ifndef EXB_IS_S
#define EXB_IS_S 0
#endif
#if EXB_IS_S
typedef float exb_real;
#define exb_format_real exb_format_s
#define exb_signed_real exb_signed_s
#define exb_round_enclosure exb_enclosure_round_s
#define EXB_NAN_REAL exb_signed_s(EXB_CANONICAL_NAN_F, false)
#else
typedef double exb_real;
#define exb_format_real exb_format_d
#define exb_signed_real exb_signed_d
#define exb_round_enclosure exb_enclosure_round_d
#define EXB_NAN_REAL exb_signed_d(EXB_CANONICAL_NAN, false)
#endif

#include "core/arith/enclosure.h"

/* Lists an element that a filter could not decide, for the kernel `elements`. The order in which
 * they are found does not matter. */
EXB_INLINE void exb_list_uncertified(EXB_GLOBAL exb_u32 *count, EXB_GLOBAL exb_i64 *list, exb_i64 e)
{
    list[exb_atomic_add_global_u32(count, 1)] = e;
}
