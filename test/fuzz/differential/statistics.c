#include "statistics.h"

enum { MOST_NAMES = 256 };

typedef struct {
    const char *title;
    int n;
    const char *name[MOST_NAMES];
    fuzz_count count[MOST_NAMES];
} table;

static table by_routine = {.title = "routine"}, by_isa = {.title = "instruction set"},
             by_method = {.title = "method"};
static fuzz_count total;

static void add(fuzz_count *to, const fuzz_verdict *v)
{
    to->calls++;
    to->elements += (uint64_t)v->n_elements;
    to->fallbacks += v->report.stats.fallbacks > 0;
    to->seconds += v->report.seconds;
}

static void add_to(table *t, const char *name, const fuzz_verdict *v)
{
    int i = 0;
    while (i < t->n && strcmp(t->name[i], name) != 0)
        i++;
    if (i == MOST_NAMES)
        return;
    t->name[i] = name;
    t->n = i == t->n ? i + 1 : t->n;
    add(&t->count[i], v);
}

void fuzz_count_call(const fuzz_case *c, const fuzz_verdict *v)
{
    add_to(&by_routine, c->routine->name, v);
    add_to(&by_isa, c->set.isa, v);
    add_to(&by_method, c->set.method, v);
    add(&total, v);
}

fuzz_count fuzz_count_total(void)
{
    return total;
}

static void print_row(FILE *f, const char *name, const fuzz_count *c)
{
    fprintf(f, "%-24s %10llu %12llu %10llu %9.3f\n", name, (unsigned long long)c->calls,
            (unsigned long long)c->elements, (unsigned long long)c->fallbacks, c->seconds);
}

static void print_table(FILE *f, const table *t)
{
    fprintf(f, "%-24s %10s %12s %10s %9s\n", t->title, "calls", "elements", "fell back", "seconds");
    for (int i = 0; i < t->n; i++)
        print_row(f, t->name[i], &t->count[i]);
}

void fuzz_print_statistics(FILE *f)
{
    print_table(f, &by_routine);
    print_table(f, &by_method);
    print_table(f, &by_isa);
    print_row(f, "all", &total);
}
