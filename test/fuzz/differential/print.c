#include "print.h"

#include <math.h>

static const char *part_type(const fuzz_case *c)
{
    return fuzz_is_float(c) ? "float" : "double";
}

static void print_number(FILE *f, double x)
{
    if (isnan(x))
        fputs("NAN", f);
    else if (isinf(x))
        fputs(x < 0 ? "-INFINITY" : "INFINITY", f);
    else if (x == trunc(x) && fabs(x) < 1000)
        fprintf(f, signbit(x) ? "-%g." : "%g.", fabs(x));
    else
        fprintf(f, "%a", x);
}

/* Runs of equal numbers in long arrays as ranges (an extension of GCC and Clang). */
static void print_array(FILE *f, const fuzz_case *c, const char *name, const fuzz_image *m)
{
    enum { LONG = 8 };
    int n_printed = 0;
    fprintf(f, "static %s %s[] = {", part_type(c), name);
    for (int64_t i = 0, end; i < m->n; i = end) {
        end = i + 1;
        while (end < m->n && same_bits(m->first[end], m->first[i]))
            end++;
        if (end - i < LONG)
            end = i + 1;
        fputs(n_printed == 0 ? "" : n_printed % LONG ? ", " : ",\n    ", f);
        if (end > i + 1)
            fprintf(f, "[%lld ... %lld] = ", (long long)i, (long long)end - 1);
        print_number(f, m->first[i]);
        n_printed++;
    }
    fputs(m->n ? "};\n" : "0};\n", f);
}

static void print_indices(FILE *f, const fuzz_case *c, const char *name)
{
    fprintf(f, "static exblas_int%s %s[] = {", c->set.form % 2 ? "64" : "", name);
    for (int64_t i = 0; i < c->n_indices; i++)
        fprintf(f, "%s%lld", i ? ", " : "", (long long)c->index[i]);
    fputs("};\n", f);
}

/* Every argument as an object of its own name. */
static void print_objects(FILE *f, const fuzz_case *c)
{
    fuzz_memory m = fuzz_memory_of(c);
    for (int k = 0; k < c->routine->n_arguments; k++) {
        const fuzz_argument *a = &c->routine->arguments[k];
        fuzz_image scalar = {.n = 2, .parts = 2};
        level2_number x =
            strcmp(a->name, "beta") == 0 || strcmp(a->name, "s") == 0 ? c->beta : c->alpha;
        double parts[2] = {x.re, x.im};
        scalar.first = parts;
        scalar.n = a->is_real || fuzz_parts(c) == 1 ? 1 : 2;
        if (a->kind == FUZZ_ARRAY)
            print_array(f, c, a->name, &m.image[fuzz_operand_of(c, a)]);
        else if (a->kind == FUZZ_INDICES)
            print_indices(f, c, a->name);
        else if (a->kind == FUZZ_SCALAR)
            print_array(f, c, a->name, &scalar);
    }
    fuzz_memory_free(&m);
}

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

static const char *option_number(const char *name, char letter)
{
    static const struct {
        char name, letter;
        const char *number;
    } numbers[] = {{'l', 'r', "101"}, {'l', 'c', "102"}, {'t', 'n', "111"}, {'t', 't', "112"},
                   {'t', 'c', "113"}, {'u', 'u', "121"}, {'u', 'l', "122"}, {'d', 'n', "131"},
                   {'d', 'u', "132"}, {'s', 'l', "141"}, {'s', 'r', "142"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].name == name[0] && numbers[i].letter == letter)
            return numbers[i].number;
    return "0";
}

static bool returns_complex(const fuzz_case *c)
{
    return c->routine->result == 'T' && fuzz_parts(c) == 2;
}

/* The call in the form of the case. */
static void print_call(FILE *f, const fuzz_case *c)
{
    bool own = c->routine->result == 'E', fortran = c->set.form >= 2 && !own;
    bool wide = c->set.form % 2 == 1;
    fputs("    ", f);
    if (returns_complex(c) && fortran)
        fprintf(f, "exblas_complex_%s value = ", part_type(c));
    else if (c->routine->result != '-' && !returns_complex(c))
        fprintf(f, c->routine->result == 'I' && !fortran ? "result[0] = 1 + " : "result[0] = ");
    fprintf(f, "ex%s%s%s%s%s(",
            own       ? "blas_"
            : fortran ? ""
                      : "cblas_",
            c->routine->name, returns_complex(c) && !fortran ? "_sub" : "", wide ? "_64" : "",
            fortran ? "_" : "");
    const char *comma = "";
    for (int k = 0; k < c->routine->n_arguments; k++) {
        const fuzz_argument *a = &c->routine->arguments[k];
        if (fortran && strcmp(a->name, "layout") == 0)
            continue;
        fputs(comma, f);
        comma = ", ";
        if (a->kind == FUZZ_OPTION && fortran)
            fprintf(f, "\"%c\"", option_letter(c, a->name));
        else if (a->kind == FUZZ_OPTION)
            fputs(option_number(a->name, option_letter(c, a->name)), f);
        else if (a->kind == FUZZ_INTEGER && fortran)
            fprintf(f, "&(exblas_int%s){%lld}", wide ? "64" : "",
                    (long long)fuzz_integer(c, a->name));
        else if (a->kind == FUZZ_INTEGER)
            fprintf(f, "%lld", (long long)fuzz_integer(c, a->name));
        else if (a->kind == FUZZ_SCALAR && !fortran && (a->is_real || fuzz_parts(c) == 1))
            fprintf(f, "%s[0]", a->name);
        else
            fputs(a->name, f);
    }
    fputs(returns_complex(c) && !fortran ? ", result);\n" : ");\n", f);
    if (returns_complex(c) && fortran)
        fputs("    memcpy(result, &value, sizeof value);\n", f);
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

static void print_settings(FILE *f, const fuzz_case *c)
{
    const fuzz_settings *s = &c->set;
    fprintf(f, "    exblas_set_method(\"%s\");\n    exblas_set_num_threads(%d);\n", s->method,
            s->threads);
    if (s->workspace)
        fprintf(f, "    exblas_set_workspace(%zu);\n", s->workspace);
}

void fuzz_print_line(FILE *f, const fuzz_case *c)
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

void fuzz_print(FILE *f, const fuzz_case *c, const fuzz_verdict *v, uint64_t seed, uint64_t index)
{
    fprintf(f, "/* Seed %llu, case %llu, made smaller:\n *   ", (unsigned long long)seed,
            (unsigned long long)index);
    fuzz_print_line(f, c);
    if (v->wrong)
        fprintf(f, " * Wrong: %s.\n", v->wrong);
    fprintf(f,
            " * Real %lld of %s must be %a (0x%016llx), is %a (0x%016llx).\n"
            " * Run with EXBLAS_ISA=%s. More than one thread: the fuzzer splits calls that are\n"
            " * shorter than the library would split (exb_partition_set_grain(1)). */\n",
            (long long)v->at, place_of(c, v), v->expected, (unsigned long long)bits_of(v->expected),
            v->found, (unsigned long long)bits_of(v->found), c->set.isa);
    fputs("#include <exblas/exblas.h>\n#include <exblas/fortran.h>\n#include "
          "<exblas/scatter.h>\n#include <math.h>\n"
          "#include <stdio.h>\n#include <string.h>\n\n",
          f);
    print_objects(f, c);
    fprintf(f, "\nint main(void)\n{\n");
    print_settings(f, c);
    fprintf(f, "    %s result[4] = {0};\n",
            c->routine->result == 's' || (c->routine->result == 'T' && fuzz_is_float(c))
                ? "float"
                : "double");
    fputs("    (void)result;\n", f);
    print_call(f, c);
    fprintf(f, "    double found = %s[%lld], expected = ", place_of(c, v), (long long)v->at);
    print_number(f, v->expected);
    fputs(";\n    printf(\"%a, must be %a\\n\", found, expected);\n"
          "    return !(found == expected && !signbit(found) == !signbit(expected)) &&\n"
          "           !(isnan(found) && isnan(expected));\n}\n",
          f);
}
