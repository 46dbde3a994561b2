/* Preloaded into a program whose LAPACK calls BLAS by Fortran's names: writes every RECORD_STEP-th
 * call of each routine (calls.h), as it was before it was computed, to the file RECORD_FILE. */
#include "calls.h"

#include <dlfcn.h>
#include <stdio.h>

typedef void routine(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *);

static void write_call(FILE *f, int number, void *const *a)
{
    const calls_routine *r = &calls_routines[number];
    int32_t id = number;
    fwrite(&id, sizeof id, 1, f);
    for (int i = 0, array = 0; r->kinds[i]; i++) {
        char kind = r->kinds[i];
        int32_t word = kind == 'c' ? *(const char *)a[i] : kind == 'i' ? *(const int *)a[i] : 0;
        if (kind == 'c' || kind == 'i') {
            fwrite(&word, sizeof word, 1, f);
        } else if (kind == 's') {
            fwrite(a[i], sizeof(double), 1, f);
        } else {
            int64_t n = calls_length(r, a, i, array++);
            fwrite(&n, sizeof n, 1, f);
            fwrite(a[i], sizeof(double), (size_t)n, f);
        }
    }
}

/* Calls of routine `number` are counted from 0. */
static int is_wanted(int number)
{
    static int n_calls[CALLS_ROUTINES];
    const char *step = getenv("RECORD_STEP");
    int n = step ? atoi(step) : 1;
    return n_calls[number]++ % (n > 0 ? n : 1) == 0;
}

/* Python loads NumPy's libraries where RTLD_NEXT does not look. */
static void *blas_routine(int number)
{
    void *blas = dlopen("libblas.so.3", RTLD_LAZY);
    void *found = blas ? dlsym(blas, calls_routines[number].name) : NULL;
    if (!found) {
        fprintf(stderr, "record: no %s in libblas.so.3\n", calls_routines[number].name);
        abort();
    }
    return found;
}

static void pass(int number, void **a)
{
    static FILE *file;
    const char *name = getenv("RECORD_FILE");
    if (!file && name)
        file = fopen(name, "wb");
    if (file && is_wanted(number)) {
        write_call(file, number, a);
        fflush(file);
    }
    routine *f;
    void *next = blas_routine(number);
    memcpy(&f, &next, sizeof f);
    f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12]);
}

/* What is beyond a routine's own arguments is passed on and not looked at. */
#define ROUTINE(number, name)                                                                      \
    routine name;                                                                                  \
    void name(void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i,     \
              void *j, void *k, void *l, void *m)                                                  \
    {                                                                                              \
        pass(number, (void *[]){a, b, c, d, e, f, g, h, i, j, k, l, m});                           \
    }

ROUTINE(0, dgemm_)
ROUTINE(1, dsyrk_)
ROUTINE(2, dsyr2k_)
ROUTINE(3, dtrmm_)
ROUTINE(4, dtrsm_)
ROUTINE(5, dgemv_)
ROUTINE(6, dsymv_)
ROUTINE(7, dtrmv_)
ROUTINE(8, dtrsv_)
ROUTINE(9, dger_)
