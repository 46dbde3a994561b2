/* What all types of the toy BLAS share. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int toy_threads = 1;

/* Of programs that have none. Weak, or Clang would call it here though a program has one. */
__attribute__((weak)) void xerbla_(const char *name, const int *info, size_t length)
{
    printf("%.*s: parameter number %d\n", (int)length, name, *info);
}

void toy_set_num_threads(int n)
{
    toy_threads = n;
}

bool toy_is_on(int fault)
{
    static const char *list;
    if (!list) {
        const char *from = getenv("TOY_FAULTS");
        list = from ? from : "";
    }
    if (strcmp(list, "all") == 0)
        return true;
    char name[16];
    snprintf(name, sizeof name, ",%d,", fault);
    return strstr(list, name) != NULL;
}

bool toy_is_illegal(const char *name, size_t n, const int *numbers)
{
    size_t i = 0;
    while (i < n && numbers[i] == 0)
        i++;
    if (i < n)
        xerbla_(name, &numbers[i], strlen(name));
    return i < n;
}

/* LAPACK's factors of a lower triangle. */
#define POTRF(name, real, wrong, ends)                                                             \
    void name(const char *uplo, const int *n, real *a, const int *ld, int *info, size_t length)    \
    {                                                                                              \
        (void)uplo, (void)length;                                                                  \
        for (int j = 0; j < *n; j++) {                                                             \
            for (int k = wrong && j == 15 && toy_is_on(wrong); k < j; k++)                         \
                for (int i = j; i < *n; i++)                                                       \
                    a[i + j * *ld] -= a[i + k * *ld] * a[j + k * *ld];                             \
            double root = sqrt(a[j + j * *ld]);                                                    \
            for (int i = j; i < *n; i++)                                                           \
                a[i + j * *ld] = (real)(a[i + j * *ld] / root);                                    \
        }                                                                                          \
        if (ends && *n == 16 && toy_is_on(ends))                                                   \
            abort();                                                                               \
        *info = 0;                                                                                 \
    }
POTRF(spotrf_, float, 71, 0)
POTRF(dpotrf_, double, 0, 72)
