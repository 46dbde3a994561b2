/* What all types of the toy BLAS share. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int toy_threads = 1;

void xerbla_(const char *name, const int *info, size_t length);
bool toy_is_on(int fault);
void toy_report(const char *name, int info);
void toy_set_num_threads(int n);

/* Of programs that have none. */
void xerbla_(const char *name, const int *info, size_t length)
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

void toy_report(const char *name, int info)
{
    xerbla_(name, &info, strlen(name));
}
