#include "observe/blas_name.h"

#include "observe/watch.h"

#include <string.h>

enum { NAME = 64 };

static const char *skip_prefix(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : text;
}

/* Drops the suffix of a naming; returns whether there was one of Fortran. */
static bool drop_suffix(char *name)
{
    static const char *const suffixes[] = {"_64_", "64_", "_64", "_"};
    size_t n = strlen(name);
    for (int i = 0; i < 4; i++) {
        size_t length = strlen(suffixes[i]);
        if (n > length && strcmp(name + n - length, suffixes[i]) == 0) {
            name[n - length] = '\0';
            return true;
        }
    }
    return false;
}

static void drop_sub(char *name)
{
    size_t n = strlen(name);
    if (n > 4 && strcmp(name + n - 4, "_sub") == 0)
        name[n - 4] = '\0';
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

/* Without scipy_, cblas_ and what follows the routine's name. */
static void bare_name(char out[NAME], const char *symbol)
{
    strcpy(out, skip_prefix(skip_prefix(symbol, "scipy_"), "cblas_"));
    drop_suffix(out);
    drop_sub(out);
}

bool exb_name_wraps(const char *prefixed, const char *covered)
{
    char outer[NAME], inner[NAME];
    if (strlen(prefixed) >= NAME || strlen(covered) >= NAME)
        return false;
    bare_name(outer, prefixed);
    bare_name(inner, covered);
    const char *routine = after_prefix(outer);
    return routine && strcmp(routine, inner) == 0;
}

exb_name_kind exb_name_of(const char *symbol)
{
    char name[NAME];
    if (strlen(symbol) >= sizeof name)
        return EXB_NAME_OTHER;
    const char *start = skip_prefix(symbol, "scipy_"), *plain = skip_prefix(start, "cblas_");
    bool is_cblas = plain != start;
    strcpy(name, plain);
    bool has_suffix = drop_suffix(name);
    drop_sub(name);
    if (is_routine(name, is_cblas) && (is_cblas || has_suffix))
        return EXB_NAME_COVERED;
    if (is_extension(name) && (is_cblas || has_suffix))
        return EXB_NAME_EXTENSION;
    if (after_prefix(name))
        return EXB_NAME_PREFIXED;
    return is_cblas && !strstr(name, "xerbla") ? EXB_NAME_EXTENSION : EXB_NAME_OTHER;
}

/* BLAS's |re| + |im|, one addition, which is the same everywhere. */
static bool is_helper(const char *name)
{
    return strcmp(name, "dcabs1") == 0 || strcmp(name, "scabs1") == 0;
}

int exb_is_lapack_form(const char *symbol)
{
    char name[NAME];
    if (strlen(symbol) >= sizeof name)
        return 0;
    const char *fortran = skip_prefix(symbol, "scipy_"), *plain = skip_prefix(fortran, "LAPACKE_");
    strcpy(name, plain);
    bool has_suffix = drop_suffix(name);
    if ((!has_suffix && plain == fortran) || !strchr("sdcz", *name) || is_helper(name))
        return 0;
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return name[n] == '\0' && n >= 4 && n <= 16;
}
