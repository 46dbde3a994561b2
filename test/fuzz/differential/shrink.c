#include "shrink.h"

#include "compare.h"
#include "reduce.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

typedef struct {
    fuzz_case *c;
    time_t end;
    bool progress;
} search;

static bool is_over(const search *s)
{
    return time(NULL) >= s->end;
}

/* Takes the candidate, or throws it away. */
static bool keep_if_differs(search *s, fuzz_case *candidate)
{
    bool differs = !is_over(s) && fuzz_try(candidate).differs;
    if (!differs) {
        fuzz_case_free(candidate);
        return false;
    }
    fuzz_case_free(s->c);
    *s->c = *candidate;
    s->progress = true;
    return true;
}

/* --- settings and options ------------------------------------------------- */

static void try_settings(search *s, const fuzz_settings *set)
{
    fuzz_case d = fuzz_case_copy(s->c);
    d.set = *set;
    keep_if_differs(s, &d);
}

static void simplify_settings(search *s)
{
    fuzz_settings set = s->c->set, plain = {"auto", set.isa, 1, 0, 0, 0, 0};
    if (memcmp(&set, &plain, sizeof set) == 0)
        return;
    try_settings(s, &plain);
#define SIMPLIFY(field)                                                                            \
    set = s->c->set;                                                                               \
    if (set.field != plain.field) {                                                                \
        set.field = plain.field;                                                                   \
        try_settings(s, &set);                                                                     \
    }
    SIMPLIFY(threads)
    SIMPLIFY(workspace)
    SIMPLIFY(form)
    SIMPLIFY(environment)
    SIMPLIFY(offset)
#undef SIMPLIFY
    set = s->c->set;
    if (strcmp(set.method, "auto") != 0) {
        set.method = "auto";
        try_settings(s, &set);
    }
    set = s->c->set;
    if (strcmp(set.isa, "generic") != 0) {
        set.isa = "generic";
        try_settings(s, &set);
    }
}

static void simplify_layout(search *s)
{
    fuzz_case d = fuzz_case_copy(s->c);
    d.incx = d.incy = 1;
    for (int w = 0; w < 3; w++)
        d.padding[w] = 0;
    d.layout = 'c';
    if (d.incx == s->c->incx && d.incy == s->c->incy && d.layout == s->c->layout &&
        memcmp(d.padding, s->c->padding, sizeof d.padding) == 0) {
        fuzz_case_free(&d);
        return;
    }
    if (keep_if_differs(s, &d))
        return;
    int64_t *const fields[] = {&s->c->incx, &s->c->incy, &s->c->padding[0], &s->c->padding[1],
                               &s->c->padding[2]};
    for (int k = 0; k < 5; k++) {
        int64_t plain = k < 2;
        if (*fields[k] == plain)
            continue;
        fuzz_case e = fuzz_case_copy(s->c);
        *(int64_t *)((char *)&e + ((char *)fields[k] - (char *)s->c)) = plain;
        keep_if_differs(s, &e);
    }
    if (s->c->layout == 'r') {
        fuzz_case e = fuzz_case_copy(s->c);
        e.layout = 'c';
        keep_if_differs(s, &e);
    }
}

static void simplify_options(search *s)
{
    char *const options[] = {&s->c->transa, &s->c->transb, &s->c->diag};
    static const char plain[] = "ttn"; /* the sizes stay as they are */
    for (int k = 0; k < 3; k++) {
        char now = *options[k];
        if (now == 'n' || now == plain[k])
            continue;
        fuzz_case d = fuzz_case_copy(s->c);
        *((char *)&d + (options[k] - (char *)s->c)) = plain[k];
        bool allowed = !(d.group == GROUP_LEVEL3 && level3_family_traits[d.family].is_hermitian);
        if (allowed)
            keep_if_differs(s, &d);
        else
            fuzz_case_free(&d);
    }
}

/* --- sizes ---------------------------------------------------------------- */

static void remove_ranges(search *s, char index)
{
    int64_t *n = fuzz_extent(s->c, index);
    for (int64_t count = n ? (*n + 1) / 2 : 0; count > 0; count /= 2)
        for (int64_t from = 0; from + count <= *fuzz_extent(s->c, index) && !is_over(s);) {
            fuzz_case d = fuzz_case_copy(s->c);
            fuzz_remove(&d, index, from, count);
            if (!keep_if_differs(s, &d))
                from += count;
        }
}

static void narrow_band(search *s)
{
    for (int k = 0; k < 2; k++) {
        int64_t now = k == 0 ? s->c->kl : s->c->ku;
        for (int64_t less = 0; less < now; less = less + (now - less + 1) / 2) {
            fuzz_case d = fuzz_case_copy(s->c);
            *(k == 0 ? &d.kl : &d.ku) = less;
            if (keep_if_differs(s, &d))
                break;
        }
    }
}

static void one_of_a_batch(search *s)
{
    for (int64_t copy = 0; s->c->batch > 1 && copy < s->c->batch; copy++) {
        fuzz_case d = fuzz_case_copy(s->c);
        for (int w = 0; w < N_OPERANDS; w++) {
            fuzz_operand *o = &d.operand[w];
            o->cols /= d.batch;
            memmove(o->v, o->v + copy * o->rows * o->cols,
                    (size_t)(o->rows * o->cols) * sizeof *o->v);
        }
        d.batch = 1;
        keep_if_differs(s, &d);
    }
}

/* --- numbers -------------------------------------------------------------- */

/* Zero in [from, from + count) of an operand. */
static bool clear_range(search *s, int w, int64_t from, int64_t count)
{
    fuzz_case d = fuzz_case_copy(s->c);
    bool changed = false;
    for (int64_t i = from; i < from + count; i++) {
        level2_number *x = &d.operand[w].v[i];
        changed = changed || bits_of(x->re) != 0 || bits_of(x->im) != 0;
        *x = (level2_number){0, 0};
    }
    if (changed)
        return keep_if_differs(s, &d);
    fuzz_case_free(&d);
    return true;
}

static void clear_ranges(search *s)
{
    for (int w = 0; w < N_OPERANDS; w++) {
        int64_t n = s->c->operand[w].rows * s->c->operand[w].cols;
        for (int64_t count = n; count > 0 && n / count <= 4096; count /= 2)
            for (int64_t from = 0; from + count <= n && !is_over(s); from += count)
                clear_range(s, w, from, count);
    }
}

/* The significand's first n_bits. */
static double shortened(double x, int n_bits)
{
    int e;
    double m = frexp(x, &e);
    return ldexp(trunc(ldexp(m, n_bits)), e - n_bits);
}

static bool try_value(search *s, double *place, double x)
{
    if (bits_of(*place) == bits_of(x))
        return false;
    fuzz_case d = fuzz_case_copy(s->c);
    /* The copy's number: in the same place of an operand or of the case itself. */
    double *to = NULL;
    for (int w = 0; w < N_OPERANDS; w++) {
        const double *v = (const double *)s->c->operand[w].v;
        if (v && place >= v && place < v + 2 * s->c->operand[w].rows * s->c->operand[w].cols)
            to = (double *)d.operand[w].v + (place - v);
    }
    if (!to)
        to = (double *)(void *)((char *)&d + ((char *)place - (char *)s->c));
    *to = x;
    return keep_if_differs(s, &d);
}

static double *number_at(search *s, int w, int64_t k)
{
    if (w == N_OPERANDS)
        return k < 2 ? (k == 0 ? &s->c->alpha.re : &s->c->alpha.im)
                     : (k == 2 ? &s->c->beta.re : &s->c->beta.im);
    return (double *)s->c->operand[w].v + k;
}

static void simplify_number(search *s, int w, int64_t k)
{
    double x = *number_at(s, w, k), sign = signbit(x) ? -1 : 1;
    static const int n_bits[] = {1, 2, 3, 6, 12, 24, 40};
    if (bits_of(x) == 0 || x == 1 || try_value(s, number_at(s, w, k), 0) ||
        try_value(s, number_at(s, w, k), 1) || try_value(s, number_at(s, w, k), sign))
        return;
    for (int i = 0; isfinite(x) && i < 7; i++)
        if (try_value(s, number_at(s, w, k), shortened(x, n_bits[i])))
            return;
}

static void simplify_numbers(search *s)
{
    for (int64_t k = 0; k < 4 && !is_over(s); k++)
        simplify_number(s, N_OPERANDS, k);
    for (int w = 0; w < N_OPERANDS; w++) {
        int64_t n = 2 * s->c->operand[w].rows * s->c->operand[w].cols;
        for (int64_t k = 0; k < n && !is_over(s); k++)
            simplify_number(s, w, k);
    }
}

void fuzz_shrink(fuzz_case *c, double seconds)
{
    search s = {c, time(NULL) + (time_t)seconds, true};
    while (s.progress && !is_over(&s)) {
        s.progress = false;
        simplify_settings(&s);
        simplify_layout(&s);
        one_of_a_batch(&s);
        for (const char *index = "mnkb"; *index; index++)
            remove_ranges(&s, *index);
        narrow_band(&s);
        simplify_options(&s);
        clear_ranges(&s);
        simplify_numbers(&s);
    }
}
