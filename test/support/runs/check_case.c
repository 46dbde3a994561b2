#include "check_case.h"

#include <stdio.h>
#include <stdlib.h>

/* Whether result i of the case is one that the call computes. */
static bool counts(const blas_case *c, size_t i)
{
    if (c->op != OP_SYRK)
        return true;
    return shape_contains(blas_c_shape(c), (int64_t)i % c->n, (int64_t)i / c->n);
}

static void describe(const blas_case *c, const call_mode *m, const char *label)
{
    char what[160], how[200];
    blas_case_text(c, what);
    mode_text(m, how);
    fprintf(stderr, "%s: %s\n    %s\n", label, what, how);
}

bool check_case(const blas_case *c, const call_mode *m, const double *answer, const char *label)
{
    size_t n = blas_result_length(c);
    double *result = malloc((n ? n : 1) * sizeof *result);
    if (!result)
        abort();
    placement p = mode_placement(m);
    const char *wrong = blas_run(c, &p, result);
    bool ok = wrong == NULL;
    if (wrong) {
        describe(c, m, label);
        fprintf(stderr, "    %s\n", wrong);
    }
    for (size_t i = 0; ok && i < n; i++)
        if (counts(c, i) && !same_bits(result[i], answer[i])) {
            describe(c, m, label);
            fprintf(stderr, "    result %zu is %a (%016llx), not %a\n", i, result[i],
                    (unsigned long long)bits_of(result[i]), answer[i]);
            ok = false;
        }
    free(result);
    return ok;
}
