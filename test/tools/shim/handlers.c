/* A program's handlers of errors, which write down what they are told. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int RowMajorStrg, CBLAS_CallFromC;
char reports[256];

void xerbla_(const char *name, const int *info, size_t length)
{
    size_t used = strlen(reports);
    snprintf(reports + used, sizeof reports - used, "xerbla_(%.*s, %d) row-major %d C %d; ",
             (int)length, name, *info, RowMajorStrg, CBLAS_CallFromC);
}

void cblas_xerbla(int info, const char *name, const char *form, ...)
{
    size_t used = strlen(reports);
    (void)form;
    snprintf(reports + used, sizeof reports - used, "cblas_xerbla(%d, %s); ", info, name);
}
