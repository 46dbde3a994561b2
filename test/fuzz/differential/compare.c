#include "compare.h"

#include "expect.h"

#include <stdlib.h>

static void note(fuzz_verdict *v, fuzz_which which, int64_t at, double expected, double found)
{
    if (v->differs)
        return;
    v->differs = true;
    v->which = which;
    v->at = at;
    v->expected = expected;
    v->found = found;
}

/* Guards, gaps and operands that are only read are part of what must be there. */
static void compare_images(fuzz_verdict *v, fuzz_which which, const fuzz_image *expected,
                           const fuzz_image *found)
{
    for (int64_t i = -FUZZ_GUARD; i < expected->n + FUZZ_GUARD; i++)
        if (!same_bits(expected->first[i], found->first[i]))
            note(v, which, i, expected->first[i], found->first[i]);
}

static void count(fuzz_verdict *v, const fuzz_case *c, const fuzz_memory *before,
                  const fuzz_memory *after)
{
    v->n_elements = c->routine->result != '-';
    for (int w = 0; w < N_OPERANDS; w++)
        for (int64_t i = 0; i < before->image[w].n; i += before->image[w].parts)
            v->n_elements += !same_bits(before->image[w].first[i], after->image[w].first[i]);
}

static void compare_results(fuzz_verdict *v, const fuzz_case *c, test_number expected,
                            test_number found)
{
    /* CBLAS's index is 0 for the first and for none. */
    if (c->routine->result == 'I' && c->set.form < 2 && expected.re < 1)
        expected.re = 1;
    if (!same_bits(expected.re, found.re))
        note(v, N_OPERANDS, 0, expected.re, found.re);
    if (!same_bits(expected.im, found.im))
        note(v, N_OPERANDS, 1, expected.im, found.im);
}

fuzz_verdict fuzz_compare(const fuzz_case *c, const fuzz_memory *expected, const fuzz_memory *found)
{
    fuzz_verdict v = {.differs = false};
    compare_results(&v, c, expected->result, found->result);
    for (int w = 0; w < N_OPERANDS; w++)
        compare_images(&v, (fuzz_which)w, &expected->image[w], &found->image[w]);
    return v;
}

test_number *fuzz_computed(const fuzz_case *c)
{
    const fuzz_operand *o = &c->operand[c->t.written];
    test_number *result = fuzz_malloc((size_t)(o->rows * o->cols) * sizeof *result);
    fuzz_memory m = fuzz_memory_of(c);
    const char *wrong = fuzz_call(c, &m).wrong;
    for (int64_t at = 0; at < o->rows * o->cols; at++)
        if (fuzz_is_stored(c, c->t.written, at % o->rows, at / o->rows))
            result[at] = fuzz_number_in(c, &m, c->t.written, at % o->rows, at / o->rows);
    fuzz_memory_free(&m);
    if (!wrong)
        return result;
    fprintf(stderr, "%s\n", wrong);
    abort();
}

fuzz_verdict fuzz_check(const fuzz_case *c, const test_number *result)
{
    fuzz_memory before = fuzz_memory_of(c), expected = fuzz_memory_of(c), found = fuzz_memory_of(c);
    if (result)
        fuzz_put_result(c, &expected, result);
    else
        fuzz_expect(c, &expected);
    fuzz_report report = fuzz_call(c, &found);
    fuzz_verdict v = fuzz_compare(c, &expected, &found);
    v.report = report;
    v.wrong = v.report.wrong;
    v.differs = v.differs || v.wrong;
    count(&v, c, &before, &expected);
    fuzz_memory_free(&before);
    fuzz_memory_free(&expected);
    fuzz_memory_free(&found);
    return v;
}

fuzz_verdict fuzz_try(const fuzz_case *c, const test_number *result)
{
    fuzz_settle(&c->set);
    return fuzz_check(c, result);
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

void fuzz_print_case(FILE *f, const fuzz_case *c)
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

void fuzz_print(FILE *f, const fuzz_case *c, const fuzz_verdict *v)
{
    fuzz_print_case(f, c);
    if (v->wrong)
        fprintf(f, "wrong: %s\n", v->wrong);
    fprintf(f, "real %lld of %s must be %a (0x%016llx), is %a (0x%016llx)\n", (long long)v->at,
            place_of(c, v), v->expected, (unsigned long long)bits_of(v->expected), v->found,
            (unsigned long long)bits_of(v->found));
}
