#include "expected.h"

#include "gpu/ordered.h"

#include <exblas/exblas.h>
#include <exblas/scatter.h>
#include <math.h>

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
#define TYPED(name) name##_d
#define QUIET_NAN (double)NAN
#include "on_cpu_tmpl.h"
#undef REAL
#undef EX
#undef EXBLAS
#undef TYPED
#undef QUIET_NAN

#define REAL float
#define EX(name) excblas_s##name
#define EXBLAS(name) exblas_s##name
#define TYPED(name) name##_s
#define QUIET_NAN NAN
#include "on_cpu_tmpl.h"

#undef REAL
#undef EX
#undef EXBLAS
#undef TYPED
#undef QUIET_NAN

#define REAL double
#define EX(name) excblas_z##name
#define NORM(name) excblas_dz##name
#define TYPED(name) name##_z
#include "on_cpu_complex_tmpl.h"
#undef REAL
#undef EX
#undef NORM
#undef TYPED

#define REAL float
#define EX(name) excblas_c##name
#define NORM(name) excblas_sc##name
#define TYPED(name) name##_c
#include "on_cpu_complex_tmpl.h"

exblas_status expected_run(const expected_call *c)
{
    switch (c->type) {
    case 's':
        return run_s(c);
    case 'd':
        return run_d(c);
    case 'c':
        return run_c(c);
    default:
        return run_z(c);
    }
}
