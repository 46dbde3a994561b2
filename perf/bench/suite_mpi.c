/* A sum over MPI processes: runs exblas-bench-mpi, which stands beside this program, under mpirun.
 */
#include "suites.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOCAL_PLAIN, REDUCTION_PLAIN, LOCAL_EXACT, REDUCTION_EXACT, N_SERIES };

#ifdef EXB_MPIRUN
/* Microseconds by series. False if the run failed. */
static bool run(int n_processes, long n, double *us)
{
    char program[4096], command[8192], line[256];
    int n_found = 0;
    if (!bench_beside(program, sizeof program, "exblas-bench-mpi") || strpbrk(program, "'\\"))
        return false;
    snprintf(command, sizeof command, "%s -n %d '%s' %ld 2>&1", EXB_MPIRUN, n_processes, program,
             n);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        char kind[16];
        double local, reduction;
        if (sscanf(line, "%*d %*d %15s %lf %lf", kind, &local, &reduction) != 3)
            continue;
        bool exact = strcmp(kind, "exact") == 0;
        us[exact ? LOCAL_EXACT : LOCAL_PLAIN] = local;
        us[exact ? REDUCTION_EXACT : REDUCTION_PLAIN] = reduction;
        n_found++;
    }
    return f && pclose(f) == 0 && n_found == 2;
}
#else
static bool run(int n_processes, long n, double *us)
{
    (void)n_processes;
    (void)n;
    (void)us;
    return false;
}
#endif

bool suite_mpi(const bench_options *o, bench_table *t)
{
    int n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), most = n_cpus > 4 ? n_cpus : 4;
    long n = o->quick ? 1L << 16 : 1L << 22;
    *t = (bench_table){.suite = "mpi",
                       .title = "One sum of 4194304 doubles over MPI processes",
                       .x_name = "processes",
                       .y_name = "microseconds, slowest process",
                       .unit = "us",
                       .y_log = true,
                       .n_series = N_SERIES,
                       .series = {"plain, local sums", "plain, allreduce", "exact, local sums",
                                  "exact, allreduce"}};
    if (o->quick)
        t->title = "One sum of 65536 doubles over MPI processes";
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0); /* more processes than processors */
    bench_unpin(n_cpus);
    for (int n_processes = 1; n_processes <= most; n_processes *= 2) {
        int i = t->n_points;
        if (!run(n_processes, n, t->value[i]))
            break;
        memcpy(t->median[i], t->value[i], sizeof t->value[i]);
        t->x[t->n_points++] = n_processes;
    }
    bench_pin(o);
    return true;
}
