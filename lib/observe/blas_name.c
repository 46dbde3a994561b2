#include "observe/blas_name.h"

#include "observe/watch.h"

#include <string.h>

static const char *skip_prefix(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : text;
}

static bool drop_end(char *name, const char *end)
{
    size_t n = strlen(name), length = strlen(end);
    bool has_end = n > length && strcmp(name + n - length, end) == 0;
    if (has_end)
        name[n - length] = '\0';
    return has_end;
}

/* A symbol without scipy_, the prefix of C's interface, the suffix of a naming, and what CBLAS
 * appends to complex dot products. */
typedef struct {
    char name[64];
    bool is_c, has_suffix; /* of Fortran */
} bare;

/* False if the symbol is longer than any. */
static bool take_apart(bare *b, const char *symbol, const char *c_prefix)
{
    const char *fortran = skip_prefix(symbol, "scipy_"), *plain = skip_prefix(fortran, c_prefix);
    if (strlen(symbol) >= sizeof b->name)
        return false;
    strcpy(b->name, plain);
    b->is_c = plain != fortran;
    b->has_suffix = drop_end(b->name, "_64_") || drop_end(b->name, "64_") ||
                    drop_end(b->name, "_64") || drop_end(b->name, "_");
    drop_end(b->name, "_sub");
    return true;
}

static bool is_routine(const char *name, bool is_cblas)
{
    for (const char *const *r = exb_dropin_names; *r; r++)
        if (strcmp(is_cblas ? skip_prefix(*r, "cblas_") : *r, name) == 0)
            return true;
    return false;
}

static bool is_extension(const char *name)
{
    static const char *const stems[] = {"symm3m", "hemm3m", "amax", "amin", "sum"};
    if (!strchr("sdcz", *name))
        return false;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strcmp(name + 1, stems[i]) == 0)
            return true;
    return false;
}

/* The routine of the list behind a prefix of any kind, or NULL. */
static const char *after_prefix(const char *name)
{
    const char *last = strrchr(name, '_');
    return last && strlen(last) > 4 && is_routine(last + 1, false) ? last + 1 : NULL;
}

bool exb_name_wraps(const char *prefixed, const char *covered)
{
    bare outer, inner;
    if (!take_apart(&outer, prefixed, "cblas_") || !take_apart(&inner, covered, "cblas_"))
        return false;
    const char *routine = after_prefix(outer.name);
    return routine && strcmp(routine, inner.name) == 0;
}

exb_name_kind exb_name_of(const char *symbol)
{
    bare b;
    if (!take_apart(&b, symbol, "cblas_"))
        return EXB_NAME_OTHER;
    if (is_routine(b.name, b.is_c) && (b.is_c || b.has_suffix))
        return EXB_NAME_COVERED;
    if (is_extension(b.name) && (b.is_c || b.has_suffix))
        return EXB_NAME_EXTENSION;
    if (after_prefix(b.name))
        return EXB_NAME_PREFIXED;
    return b.is_c && !strstr(b.name, "xerbla") ? EXB_NAME_EXTENSION : EXB_NAME_OTHER;
}

/* BLAS's |re| + |im|, one addition, which is the same everywhere. */
static bool is_helper(const char *name)
{
    return strcmp(name, "dcabs1") == 0 || strcmp(name, "scabs1") == 0;
}

int exb_is_lapack_form(const char *symbol)
{
    bare b;
    if (!take_apart(&b, symbol, "LAPACKE_") || (!b.has_suffix && !b.is_c) ||
        !strchr("sdcz", *b.name) || is_helper(b.name))
        return 0;
    size_t n = strspn(b.name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return b.name[n] == '\0' && n >= 4 && n <= 16;
}
