/* The differential fuzzer: every routine in every type, with numbers that saturate the bounds of
 * its filters, against exact sums. What differs is named by its number, which repeats it. */
#include "compare.h"
#include "generate.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    uint64_t seed, first, n_cases;
    double seconds;
    int most; /* that are found before the run ends */
    bool verbose;
    fuzz_choice choice;
} run_options;

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
    "  --routine NAME    only that one: dgemv, or gemv in all types\n"
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

/* --- what ends a case early ----------------------------------------------- */

enum { HANG_SECONDS = 300 };
#if defined(_WIN32) /* has no alarms: there a call that hangs does just that */
enum { SIGBUS = SIGSEGV, SIGALRM = 0 };
static void alarm(int seconds)
{
    (void)seconds;
}
#endif
static volatile uint64_t current_seed, current_case;

static void put_number(uint64_t n)
{
    char digits[24];
    int at = sizeof digits;
    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    (void)!write(STDERR_FILENO, digits + at, sizeof digits - (size_t)at);
}

static void put_text(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* Calls nothing but write. */
static void on_signal(int number)
{
    put_text(number == SIGALRM ? "\nhangs: --seed " : "\ncrashes: --seed ");
    put_number(current_seed);
    put_text(" --first ");
    put_number(current_case);
    put_text(" --cases 1\n");
    _exit(4);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], on_signal);
}

/* --- what is printed ----------------------------------------------------- */

static char option_letter(const fuzz_case *c, const char *name)
{
    switch (name[0]) {
    case 'l':
        return c->layout;
    case 's':
        return c->side;
    case 'u':
        return c->uplo;
    case 'd':
        return c->diag;
    default:
        return strcmp(name, "transb") == 0 ? c->transb : c->transa;
    }
}

static const char *place_of(const fuzz_case *c, const fuzz_verdict *v)
{
    if (v->which == N_OPERANDS)
        return "result";
    for (int k = 0; k < c->routine->n_arguments; k++)
        if (fuzz_operand_of(c, &c->routine->arguments[k]) == v->which)
            return c->routine->arguments[k].name;
    return "result";
}

static void print_line(FILE *f, const fuzz_case *c)
{
    fprintf(f, "%s", c->routine->name);
    for (int k = 0; k < c->routine->n_arguments; k++) {
        const fuzz_argument *a = &c->routine->arguments[k];
        if (a->kind == FUZZ_OPTION)
            fprintf(f, " %s=%c", a->name, option_letter(c, a->name));
        else if (a->kind == FUZZ_INTEGER)
            fprintf(f, " %s=%lld", a->name, (long long)fuzz_integer(c, a->name));
    }
    const fuzz_settings *s = &c->set;
    fprintf(f, "; %s, %s, %d threads, workspace %zu, form %d, environment %d, offset %d\n", s->isa,
            s->method, s->threads, s->workspace, s->form, s->environment, s->offset);
}

/* --- the run -------------------------------------------------------------- */

static struct {
    uint64_t calls, elements, fallbacks; /* fallbacks: calls that took a slower path */
} total;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_progress(double seconds, int n_found)
{
    static double last;
    if (!isatty(STDERR_FILENO) || seconds - last < 0.5)
        return;
    last = seconds;
    fprintf(stderr, "\r%6.0f s  %llu calls  %llu elements  %d found ", seconds,
            (unsigned long long)total.calls, (unsigned long long)total.elements, n_found);
}

static void report(const run_options *o, const fuzz_case *c, const fuzz_verdict *v, uint64_t index)
{
    printf("\nseed %llu, case %llu differs: ", (unsigned long long)o->seed,
           (unsigned long long)index);
    print_line(stdout, c);
    if (v->wrong)
        printf("wrong: %s\n", v->wrong);
    printf("real %lld of %s must be %a (0x%016llx), is %a (0x%016llx)\n", (long long)v->at,
           place_of(c, v), v->expected, (unsigned long long)bits_of(v->expected), v->found,
           (unsigned long long)bits_of(v->found));
    fflush(stdout);
}

/* Whether it differs. */
static bool try_case(const run_options *o, uint64_t index)
{
    fuzz_case c;
    current_case = index;
    if (!fuzz_generate(o->seed, index, &o->choice, &c))
        return false;
    if (o->verbose)
        print_line(stderr, &c);
    alarm(HANG_SECONDS);
    fuzz_verdict v = fuzz_try(&c);
    total.calls++;
    total.elements += (uint64_t)v.n_elements;
    total.fallbacks += v.report.stats.fallbacks > 0;
    if (v.differs)
        report(o, &c, &v, index);
    fuzz_case_free(&c);
    return v.differs;
}

static int run(const run_options *o)
{
    double begin = now();
    uint64_t index = o->first;
    int n_found = 0;
    current_seed = o->seed;
    catch_signals();
    exblas_stats_enable(1);
    while (index - o->first < o->n_cases && now() - begin < o->seconds && n_found < o->most) {
        n_found += try_case(o, index++);
        show_progress(now() - begin, n_found);
    }
    alarm(0);
    fuzz_settings_restore();
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    printf("seed %llu: %llu calls, %llu elements, %llu calls fell back, %.1f s: %d found\n",
           (unsigned long long)o->seed, (unsigned long long)total.calls,
           (unsigned long long)total.elements, (unsigned long long)total.fallbacks, now() - begin,
           n_found);
    return n_found > 0;
}

/* --- options -------------------------------------------------------------- */

static int list(void)
{
    const char *isas[FUZZ_MOST_ISAS];
    fuzz_choice all = {NULL, NULL, NULL};
    for (int i = 0; i < n_fuzz_routines; i++)
        printf("%s%s", fuzz_routines[i].name, i % 8 == 7 ? "\n" : " ");
    printf("\nmethods:");
    for (int i = 0; fuzz_methods[i]; i++)
        printf(" %s", fuzz_methods[i]);
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

static bool take_option(run_options *o, const char *name, const char *value)
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
    for (int i = 0; fuzz_methods[i]; i++)
        method = method || (choice->method && strcmp(fuzz_methods[i], choice->method) == 0);
    return routine && method && fuzz_isas(choice, isas) > 0;
}

int main(int argc, char **argv)
{
    run_options o = {.seed = 1, .n_cases = UINT64_MAX, .seconds = 60};
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
    return run(&o);
}
