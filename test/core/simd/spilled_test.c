/* Vectors that do not fit into registers lie on the stack, aligned wherever it begins, and what a
 * caller keeps in registers comes back from routines of every instruction set. GCC for Windows goes
 * wrong in the first; there registers 6 to 15 are the callee's to save. */
#include "core/cpu.h"
#include "core/kernels.h"

#include "testing.h"

#include <exblas/exblas.h>

enum { N_VECTORS = 20, N_NUMBERS = 10, ORDER = 37 };

typedef double vector __attribute__((vector_size(32), aligned(32)));

static double a[ORDER * ORDER], c[ORDER * ORDER];

/* Every element is i, and lives in a register or on the stack while routines run. */
__attribute__((target("avx2"))) static EXB_NOINLINE double keep(void)
{
    vector v[N_VECTORS], sum = {0};
    double kept[N_NUMBERS];
#pragma GCC unroll 20
    for (int i = 0; i < N_VECTORS; i++) {
        v[i] = sum + i;
        __asm__ volatile("" : "+x"(v[i]));
    }
#pragma GCC unroll 10
    for (int i = 0; i < N_NUMBERS; i++) {
        kept[i] = i;
        __asm__ volatile("" : "+x"(kept[i]));
    }
    excblas_dgemm(101, 111, 112, ORDER, ORDER, ORDER, 0.3, a, ORDER, a, ORDER, 0, c, ORDER);
    c[0] = excblas_ddot(ORDER * ORDER, a, 1, c, 1) + excblas_dnrm2(ORDER, a, 1);
    for (int i = 0; i < N_VECTORS; i++)
        sum += v[i] * i + (i < N_NUMBERS ? kept[i] : 0);
    return sum[0] + sum[1] + sum[2] + sum[3];
}

static void stack_and_registers(NO_STATE)
{
    for (int i = 0; i < ORDER * ORDER; i++)
        a[i] = 1 / (i + 1.0);
    for (int isa = 0; exb_cpu_has("avx2") && isa < exb_isa_count(); isa++)
        for (size_t offset = 16; exb_isa_select(exb_isa_name(isa)) == 0 && offset < 64;
             offset += 16) {
            char *moved = __builtin_alloca(offset); /* further by 16 bytes each time */
            __asm__ volatile("" : "+r"(moved) : : "memory");
            assert_same_bits(keep(), 4.0 * (19 * 20 * 39 / 6 + 9 * 10 / 2));
        }
}

TESTS(stack_and_registers)
