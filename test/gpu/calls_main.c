/* Cases of the differential fuzzer, called on a device: every bit of every operand must be that of
 * the tests' models. TAP, a line for each call. */
#include "gpu/device_job.h"

#include "fuzz/differential/compare.h"
#include "fuzz/differential/generate.h"
#include "modes.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
    int group, calls;
    double most; /* products of a call */
    uint64_t seed;
    const char *routine;
} o = {.calls = 1000, .most = 1e9, .seed = 1};

static int usage(int status)
{
    fprintf(status ? stderr : stdout,
            "usage: device_calls_BACKEND [--group N] [--calls N] [--most N] [--seed N]\n"
            "       [--routine NAME]\n\n"
            "  --group N  work-items of a group\n"
            "  --calls N  cases: 1000\n"
            "  --most N   only those of up to N numbers or products\n"
            "  --seed N   of what is random: 1\n"
            "  --routine NAME  only that one: dgemv, or gemv in all types\n");
    return status;
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return false;
        if (strcmp(argv[i], "--group") == 0)
            o.group = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--calls") == 0)
            o.calls = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--most") == 0)
            o.most = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0)
            o.seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--routine") == 0)
            o.routine = argv[i + 1];
        else
            return false;
    }
    return true;
}

/* Whether it is as it must be. */
static bool check(const fuzz_case *c)
{
    fuzz_verdict v = fuzz_try(c, NULL);
    printf("%s - ", v.differs ? "not ok" : "ok");
    if (v.differs)
        fuzz_print(stdout, c, &v);
    else
        fuzz_print_case(stdout, c);
    fflush(stdout);
    return !v.differs;
}

int main(int argc, char **argv)
{
    const char *why = "";
    int n_made = 0, n_right = 0;
    if (argc > 1 && strcmp(argv[1], "--help") == 0)
        return usage(0);
    if (!parse(argc, argv))
        return usage(2);
    if (!device_open(o.group, &why)) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    const fuzz_choice choice = {
        .routine = o.routine, .method = getenv("EXBLAS_METHOD"), .takes = device_has};
    fuzz_elsewhere = device_make;
    for (uint64_t i = 0; n_made < o.calls; i++) {
        fuzz_case c;
        if (!fuzz_generate(o.seed, i, &choice, &c))
            break;
        if (device_work(&c) <= o.most) {
            n_made++;
            n_right += check(&c);
        }
        fuzz_case_free(&c);
    }
    mode_restore();
    device_close();
    printf("1..%d\n", n_made);
    return n_right < n_made || n_made == 0;
}
