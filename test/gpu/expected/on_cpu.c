#include "expected.h"

#include <exblas/exblas.h>
#include <exblas/scatter.h>

const char *const expected_backend = "CPU";

bool expected_open(int group, const char **why)
{
    (void)group;
    (void)why;
    return true;
}

void expected_close(void) {}

#define REAL double
#define EX(name) excblas_d##name
#define EXBLAS(name) exblas_d##name
#define EXBLAS_RUN run_d
#include "on_cpu_tmpl.h"
#undef REAL
#undef EX
#undef EXBLAS
#undef EXBLAS_RUN

#define REAL float
#define EX(name) excblas_s##name
#define EXBLAS(name) exblas_s##name
#define EXBLAS_RUN run_s
#include "on_cpu_tmpl.h"

exblas_status expected_run(const expected_call *c)
{
    return c->type == 's' ? run_s(c) : run_d(c);
}
