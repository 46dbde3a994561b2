/* Prints the library's constants as definitions in Coq: those that a C compiler finds in the
 * headers, so that a proof is about the numbers that are compiled. */
#include "core/arith/anchor.h"
#include "core/arith/superacc.h"
#include "core/arith/triple.h"
#include "level3/residue.c"

#include <inttypes.h>
#include <stdio.h>

/* m * 2^e exactly, m odd. */
static void print_real(const char *name, double x)
{
    int e;
    int64_t m = (int64_t)ldexp(frexp(x, &e), 53);
    for (e -= 53; m != 0 && m % 2 == 0; e++)
        m /= 2;
    printf("Definition %s := Float radix2 (%" PRId64 ") (%d).\n", name, m, e);
}

static void print_integer(const char *name, int64_t n)
{
    printf("Definition %s : Z := (%" PRId64 ")%%Z.\n", name, n);
}

#define REAL(x) print_real(#x, x)
#define INTEGER(n) print_integer(#n, n)

int main(void)
{
    puts("(* Made by proof/coq/constants.c from the headers of the library. *)\n"
         "From Coq Require Import ZArith List.\n"
         "From Flocq Require Import Core.\n");
    REAL(EXB_CERTIFIED_LEAST);
    REAL(EXB_CERTIFIED_MOST);
    REAL(EXB_WIDENED_L);
    REAL(EXB_WIDENED_E);
    REAL(EXB_UNDERFLOW_LOSS);
    REAL(EXB_PRODUCT_LEAST);
    REAL(EXB_PRODUCT_MOST);
    REAL(EXB_PRODUCT_LOSS);
    REAL(EXB_BOUND_UP);
    INTEGER(EXB_COMPENSATED_MOST);
    INTEGER(EXB_ANCHOR_NU);
    INTEGER(EXB_ANCHOR_DEPTH);
    INTEGER(EXB_ANCHOR_MIN_G);
    INTEGER(EXB_ANCHOR_MAX_G);
    INTEGER(EXB_TRIPLE_LANES);
    INTEGER(EXB_TRIPLE_JOINS);
    INTEGER(EXB_WORD_BITS);
    INTEGER(EXB_STORED_BITS);
    INTEGER(EXB_MAX_DEPOSITS);
    INTEGER(EXB_GRID_EXP2);
    INTEGER(EXB_SUM_FIRST);
    INTEGER(EXB_SUM_WORDS);
    INTEGER(EXB_PRODUCT_FIRST);
    INTEGER(EXB_PRODUCT_WORDS);
    INTEGER(EXB_FINISH_FIRST);
    INTEGER(EXB_FINISH_WORDS);
    INTEGER(EXB_MODULI_MIN);
    INTEGER(EXB_MODULI_MAX);
    INTEGER(EXB_REDUCED);
    INTEGER(EXB_DIGITS_MAX);
    INTEGER(EXB_RESIDUE_QUADS);
    printf("Definition moduli : list Z := (");
    for (int i = 0; i < EXB_MODULI_MAX; i++)
        printf("%d :: ", moduli[i]);
    puts("nil)%Z.");
    return 0;
}
