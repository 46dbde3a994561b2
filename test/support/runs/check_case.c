#include "check_case.h"

#include <stdio.h>

bool check_case(const blas_case *c, const call_mode *m, double answer, const char *label)
{
    placement p = mode_placement(m);
    double result;
    char name[8], how[200];
    const char *wrong = blas_run(c, &p, &result);
    if (!wrong && same_bits(result, answer))
        return true;
    blas_case_name(c, name);
    mode_text(m, how);
    fprintf(stderr, "%s: %s n=%lld\n    %s\n    %s: %a (%016llx), not %a\n", label, name,
            (long long)c->n, how, wrong ? wrong : "result", result,
            (unsigned long long)bits_of(result), answer);
    return false;
}
