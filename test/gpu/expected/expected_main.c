/* Writes the bits of all cases, or compares them with a file: TAP, one line a case. */
#include "expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *file; /* NULL: write */
    int group;
    double most; /* work of a case */
    int from, to;
} options;

static int usage(int status)
{
    fprintf(status ? stderr : stdout,
            "usage: expected_BACKEND [--check FILE] [--group N] [--most N] [--from I] [--to I]\n\n"
            "Without --check prints the bits of all cases, a line each: NAME = BITS.\n\n"
            "  --check FILE  compare with such lines\n"
            "  --group N     work-items of a group\n"
            "  --most N      only cases of up to N elements or products\n"
            "  --from, --to  only cases I, counted from 0\n");
    return status;
}

static bool parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return false;
        if (strcmp(argv[i], "--check") == 0)
            o->file = argv[i + 1];
        else if (strcmp(argv[i], "--group") == 0)
            o->group = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--most") == 0)
            o->most = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--from") == 0)
            o->from = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--to") == 0)
            o->to = atoi(argv[i + 1]);
        else
            return false;
    }
    return true;
}

/* The bits that FILE has for a name; "" if none. */
static void find_bits(const char *file, const char *name, char bits[24])
{
    char line[160];
    size_t length = strlen(name);
    FILE *f = fopen(file, "r");
    bits[0] = 0;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, length) == 0 && strncmp(line + length, " = ", 3) == 0)
            sscanf(line + length + 3, "%23s", bits);
    if (f)
        fclose(f);
}

/* False if the bits are others, or the call failed. */
static bool report(const options *o, int number, const expected_case *e, exblas_status status)
{
    char bits[24], wanted[24];
    expected_bits(&e->call, bits);
    if (!o->file) {
        printf("%s = %s\n", e->name, bits);
        return status == EXBLAS_OK;
    }
    find_bits(o->file, e->name, wanted);
    bool skip = status == EXBLAS_EUNSUPPORTED;
    bool ok = skip || (status == EXBLAS_OK && strcmp(bits, wanted) == 0);
    printf("%s %d - %s%s\n", ok ? "ok" : "not ok", number, e->name,
           skip ? " # SKIP not in this library" : "");
    if (!ok)
        printf("# status %d, bits %s, not %s\n", (int)status, bits, wanted[0] ? wanted : "there");
    return ok;
}

static int run_all(const options *o)
{
    int n_failed = 0, number = 0;
    for (int i = o->from; i <= o->to && i < expected_count(); i++) {
        expected_case e;
        if (!expected_make(i, &e)) {
            printf("Bail out! out of memory\n");
            return 1;
        }
        if (expected_work(&e.call) <= o->most)
            n_failed += !report(o, ++number, &e, expected_run(&e.call));
        fflush(stdout);
        expected_free(&e);
    }
    if (o->file)
        printf("1..%d\n", number);
    return n_failed != 0 || number == 0;
}

int main(int argc, char **argv)
{
    options o = {.most = 1e9, .to = expected_count()};
    const char *why = "";
    if (argc > 1 && strcmp(argv[1], "--help") == 0)
        return usage(0);
    if (!parse(argc, argv, &o))
        return usage(2);
    if (!expected_open(o.group, &why)) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    int failed = run_all(&o);
    expected_close();
    return failed;
}
