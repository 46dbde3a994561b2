#include "mpi/pblas/blacs.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* dlsym's void * is a function. */
typedef void any_function(void);

static any_function *find_function(const char *name)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    any_function *function;
    memcpy(&function, &address, sizeof function);
    return function;
}

enum { COMMUNICATOR_OF_CONTEXT = 10 };

exb_grid exb_grid_of(int context)
{
    typedef void info_fn(const int *, int *, int *, int *, int *);
    typedef void get_fn(const int *, const int *, int *);
    exb_grid g = {context, -1, -1, -1, -1, MPI_COMM_NULL};
    info_fn *info = (info_fn *)find_function("blacs_gridinfo_");
    get_fn *get = (get_fn *)find_function("blacs_get_");
    if (!info || !get)
        return g;
    info(&context, &g.n_rows, &g.n_cols, &g.row, &g.col);
    if (g.n_rows > 0 && g.row >= 0) {
        int what = COMMUNICATOR_OF_CONTEXT, handle = 0;
        get(&context, &what, &handle);
        g.comm = MPI_Comm_f2c(handle);
    }
    return g;
}

/* pxerbla_ takes the number without its sign. */
void exb_blacs_warn(int context, const char *routine, int info)
{
    typedef void pxerbla_fn(const int *, const char *, const int *, size_t);
    pxerbla_fn *report = (pxerbla_fn *)find_function("pxerbla_");
    int number = -info;
    if (report)
        report(&context, routine, &number, strlen(routine));
    else
        fprintf(stderr, "%s: parameter number %d had an illegal value\n", routine, number);
}

void exb_blacs_abort(int context, const char *routine, int info)
{
    typedef void abort_fn(int, const char *, int);
    abort_fn *end = (abort_fn *)find_function("PB_Cabort");
    if (end) {
        end(context, routine, info);
        return;
    }
    exb_blacs_warn(context, routine, info);
    MPI_Abort(MPI_COMM_WORLD, -info);
}
