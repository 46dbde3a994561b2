#include "hard_case.h"

#include <stdio.h>
#include <stdlib.h>

static double *numbers(size_t n)
{
    double *p = calloc(n, sizeof *p);
    if (!p) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return p;
}

void hard_case_init(hard_case *h)
{
    enum { LENGTH = HARD_MAX_TERMS + HARD_MAX_SIDE, SIZE = HARD_MAX_SIDE * LENGTH };
    h->x = numbers(LENGTH);
    h->y = numbers(LENGTH);
    h->a = numbers(SIZE);
    h->b = numbers(SIZE);
    h->c = numbers(SIZE);
}

void hard_case_clear(hard_case *h)
{
    double *all[] = {h->x, h->y, h->a, h->b, h->c};
    for (int i = 0; i < 5; i++)
        free(all[i]);
}

char random_letter(test_random *r, const char *letters)
{
    return letters[random_between(r, 0, (int64_t)strlen(letters) - 1)];
}

void hard_case_start(hard_case *h, test_random *r, blas_op op, char type, const char *kind)
{
    h->kind = kind;
    h->call =
        (blas_case){.op = op, .type = type, .x = h->x, .y = h->y, .a = h->a, .b = h->b, .c = h->c};
    h->call.transa = random_letter(r, "ntc");
    h->call.transb = random_letter(r, "ntc");
    h->call.uplo = op == OP_TRSV || op == OP_SYRK ? random_letter(r, "lu") : 0;
    h->call.diag = random_letter(r, "nnu");
}
