#include "expected.h"

#include <exblas/scatter.h>

const char *const expected_backend = "CPU";

bool expected_open(int group, const char **why)
{
    (void)group;
    (void)why;
    return true;
}

void expected_close(void) {}

exblas_status expected_run(const expected_call *c)
{
    expected_words w;
    device_call d;
    if (c->op == EXPECTED_SCATTER)
        return c->type == 's' ? exblas_sscatter_add(c->n, c->a, c->index, c->m, c->c)
                              : exblas_dscatter_add(c->n, c->a, c->index, c->m, c->c);
    expected_describe(c, &w, &d, c->a, c->b, c->c);
    return device_call_cpu(&d);
}
