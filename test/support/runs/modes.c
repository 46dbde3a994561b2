#include "modes.h"

#include "core/kernels.h"
#include "core/partition.h"
#include "hostile_env.h"
#include "pairwise.h"

#include <exblas/exblas.h>
#include <stdio.h>
#include <stdlib.h>

const char *const mode_methods[N_MODE_METHODS] = {
    "auto", "superacc", "fpe2",   "fpe3",   "fpe4",   "fpe5",   "fpe6",    "fpe7",
    "fpe8", "fpe4ee",   "fpe6ee", "fpe8ee", "filter", "anchor", "residue", "general"};

static const int thread_counts[] = {1, 2, 3, 7};

static const struct {
    call_form form;
    bool row_major;
} entries[] = {{FORM_CBLAS, true},    {FORM_CBLAS, false},    {FORM_FORTRAN, false},
               {FORM_CBLAS_64, true}, {FORM_CBLAS_64, false}, {FORM_FORTRAN_64, false}};

static const struct {
    int x, y;
} strides[] = {{1, 1}, {2, 2}, {-3, -3}, {-1, 1}, {2, -3}};

static const struct {
    int extra, offset; /* in elements */
} paddings[] = {{0, 0}, {4, 1}};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct {
    int n;
    const char *name[PAIRWISE_MAX_LEVELS];
} isa_list;

static void require(bool ok, const char *what, const char *name)
{
    if (ok)
        return;
    fprintf(stderr, "the library refuses %s '%s'\n", what, name);
    abort();
}

/* The ISAs of this CPU, the portable one first. The others are named once. */
static const isa_list *usable_isas(void)
{
    static isa_list list;
    bool is_filled = list.n > 0;
    for (int i = 0; !is_filled && i < exb_isa_count(); i++) {
        const char *name = exb_isa_name(i);
        if (exb_isa_select(name) != 0)
            printf("# ISA %s: skipped, not on this CPU\n", name);
        else
            list.name[list.n++] = name;
        require(i < PAIRWISE_MAX_LEVELS, "more ISAs than", name);
    }
    return &list;
}

static int factor_levels(mode_factor f)
{
    switch (f) {
    case FACTOR_ISA:
        return usable_isas()->n;
    case FACTOR_METHOD:
        return N_MODE_METHODS;
    case FACTOR_THREADS:
        return COUNT(thread_counts);
    case FACTOR_ENVIRONMENT:
        return hostile_env_count();
    case FACTOR_ENTRY:
        return COUNT(entries);
    case FACTOR_STRIDES:
        return COUNT(strides);
    case FACTOR_PADDING:
        return COUNT(paddings);
    default:
        abort();
    }
}

void mode_select(const call_mode *m)
{
    const char *isa = usable_isas()->name[m->level[FACTOR_ISA]];
    const char *method = mode_methods[m->level[FACTOR_METHOD]];
    require(exb_isa_select(isa) == 0, "the ISA", isa);
    require(exblas_set_method(method) == EXBLAS_OK, "the method", method);
    exblas_set_num_threads(thread_counts[m->level[FACTOR_THREADS]]);
    exb_partition_set_grain(1);
}

void mode_restore(void)
{
    const isa_list *isas = usable_isas();
    exb_isa_select(isas->name[isas->n - 1]);
    exblas_set_method(NULL);
    exblas_set_num_threads(0);
    exblas_set_workspace(0);
    exb_partition_set_grain(0);
}

placement plain_placement(void)
{
    return (placement){.form = FORM_CBLAS, .row_major = true, .incx = 1, .incy = 1};
}

placement mode_placement(const call_mode *m)
{
    placement p = {
        .form = entries[m->level[FACTOR_ENTRY]].form,
        .row_major = entries[m->level[FACTOR_ENTRY]].row_major,
        .incx = strides[m->level[FACTOR_STRIDES]].x,
        .incy = strides[m->level[FACTOR_STRIDES]].y,
        .padding = paddings[m->level[FACTOR_PADDING]].extra,
        .offset = paddings[m->level[FACTOR_PADDING]].offset,
        .environment = m->level[FACTOR_ENVIRONMENT],
    };
    return p;
}

void mode_text(const call_mode *m, char text[200])
{
    placement p = mode_placement(m);
    snprintf(text, 200, "%s, %s, %d threads, environment %s, %s %s, incx %d, incy %d, padding %d",
             usable_isas()->name[m->level[FACTOR_ISA]], mode_methods[m->level[FACTOR_METHOD]],
             thread_counts[m->level[FACTOR_THREADS]], hostile_env_name(p.environment),
             call_form_name(p.form), p.row_major ? "row-major" : "column-major", p.incx, p.incy,
             p.padding);
}

static call_mode *allocate_modes(size_t n)
{
    call_mode *m = calloc(n, sizeof *m);
    require(m, "memory", "modes");
    return m;
}

/* A level for a factor that is not in the product: scattered, but the same on
 * every run (Knuth's multiplicative hash). */
static int scattered_level(size_t mode, int factor, size_t n_levels)
{
    uint32_t hash = (uint32_t)(mode + 1) * 2654435769u;
    return (int)((hash >> (2 * factor + 8)) % n_levels);
}

size_t modes_product(unsigned factors, const call_mode **modes)
{
    static call_mode *made;
    size_t n = 1;
    for (int f = 0; f < N_FACTORS; f++)
        if (factors >> f & 1)
            n *= (size_t)factor_levels((mode_factor)f);
    free(made);
    *modes = made = allocate_modes(n);
    for (size_t i = 0; i < n; i++) {
        size_t rest = i;
        for (int f = 0; f < N_FACTORS; f++) {
            size_t n_levels = (size_t)factor_levels((mode_factor)f);
            bool in_product = factors >> f & 1;
            made[i].level[f] =
                in_product ? (int)(rest % n_levels) : scattered_level(i, f, n_levels);
            rest = in_product ? rest / n_levels : rest;
        }
    }
    return n;
}

static size_t make_pairwise(call_mode **made)
{
    enum { CAPACITY = 400 };
    static pairwise_row rows[CAPACITY];
    int n_levels[N_FACTORS];
    for (int f = 0; f < N_FACTORS; f++)
        n_levels[f] = factor_levels((mode_factor)f);
    size_t n = pairwise_rows(N_FACTORS, n_levels, rows, CAPACITY);
    require(n < CAPACITY, "so few rows", "pairwise");
    *made = allocate_modes(n);
    for (size_t i = 0; i < n; i++)
        for (int f = 0; f < N_FACTORS; f++)
            (*made)[i].level[f] = rows[i].level[f];
    return n;
}

size_t modes_pairwise(const call_mode **modes)
{
    static call_mode *made;
    static size_t n;
    if (!made)
        n = make_pairwise(&made);
    *modes = made;
    return n;
}

const call_mode *mode_next(void)
{
    static size_t next;
    const call_mode *modes;
    size_t n = modes_pairwise(&modes);
    return &modes[next++ % n];
}
