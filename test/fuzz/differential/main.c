/* The differential fuzzer: every routine in every type, with numbers that saturate the bounds of
 * its filters, against exact sums. What differs is named by its number, which repeats it. */
#include "modes.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: differential_fuzz [option ...]\n"
    "\n"
    "Calls every routine of the library with random cases (sizes at the limits of blocks and\n"
    "panels, numbers that saturate error bounds, every stride, layout, method, instruction set,\n"
    "number of threads and workspace), compares every bit of every operand with exact sums, and\n"
    "prints what differs.\n"
    "\n"
    "  --seed N          the numbers of the run (default 1)\n"
    "  --seconds S       end after that long (default 60)\n"
    "  --cases N         end after that many cases\n"
    "  --first N         begin with that case\n"
    "  --routine NAME    only that one: dgemv, gemv in all types, or all of level2\n"
    "  --method NAME     only that method\n"
    "  --isa NAME        only that instruction set\n"
    "  --most N          end after that many differences (default 4)\n"
    "  --verbose         a line for each case, before it is called\n"
    "  --list            the routines, methods and instruction sets\n"
    "  --help\n"
    "\n"
    "A case depends on the seed and its number alone: --first N --cases 1 repeats one.\n"
    "The exit status is 0 if nothing was found, 1 if something was, 2 for a wrong option, 4 if a\n"
    "signal ended the case that is named.\n";

static int list(void)
{
    const char *isas[FUZZ_MOST_ISAS];
    fuzz_choice all = {.isa = NULL};
    for (int i = 0; i < n_fuzz_routines; i++)
        printf("%s%s", fuzz_routines[i].name, i % 8 == 7 ? "\n" : " ");
    printf("\nmethods:");
    for (int i = 0; i < N_MODE_METHODS; i++)
        printf(" %s", mode_methods[i]);
    printf("\ninstruction sets:");
    int n = fuzz_isas(&all, isas);
    for (int i = 0; i < n; i++)
        printf(" %s", isas[i]);
    printf("\n");
    return 0;
}

static bool take_number(const char *text, double *x)
{
    char *end;
    *x = strtod(text, &end);
    return end != text && *end == 0 && *x >= 0;
}

static bool take_option(fuzz_run *o, const char *name, const char *value)
{
    static const char *const names[] = {"--seed",  "--seconds", "--cases",
                                        "--first", "--most",    NULL};
    double x = 0;
    if (strcmp(name, "--routine") == 0)
        o->choice.routine = value;
    else if (strcmp(name, "--method") == 0)
        o->choice.method = value;
    else if (strcmp(name, "--isa") == 0)
        o->choice.isa = value;
    else {
        int i = 0;
        while (names[i] && strcmp(names[i], name) != 0)
            i++;
        if (!names[i] || !take_number(value, &x))
            return false;
        o->seed = i == 0 ? (uint64_t)x : o->seed;
        o->seconds = i == 1 ? x : o->seconds;
        o->n_cases = i == 2 ? (uint64_t)x : o->n_cases;
        o->first = i == 3 ? (uint64_t)x : o->first;
        o->most = i == 4 ? (int)x : o->most;
    }
    return true;
}

static bool is_known(const fuzz_choice *choice)
{
    const char *isas[FUZZ_MOST_ISAS];
    bool routine = false, method = !choice->method;
    for (int i = 0; i < n_fuzz_routines; i++)
        routine = routine || fuzz_is_chosen(choice, &fuzz_routines[i]);
    for (int i = 0; i < N_MODE_METHODS; i++)
        method = method || (choice->method && strcmp(mode_methods[i], choice->method) == 0);
    return routine && method && fuzz_isas(choice, isas) > 0;
}

int main(int argc, char **argv)
{
    fuzz_run o = {.seed = 1, .n_cases = UINT64_MAX, .seconds = 60};
    o.most = 4;
    bool wants_list = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--list") == 0)
            wants_list = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            o.verbose = true;
        else if (i + 1 == argc || !take_option(&o, argv[i], argv[i + 1])) {
            fprintf(stderr, "differential_fuzz: wrong option %s (--help)\n", argv[i]);
            return 2;
        } else {
            i++;
        }
    }
    if (wants_list)
        return list();
    if (!is_known(&o.choice)) {
        fputs("differential_fuzz: no such routine, method or instruction set (--list)\n", stderr);
        return 2;
    }
    return fuzz_run_all(&o) > 0;
}
