#include "routine_call_made.h"

#include <stdio.h>
#include <stdlib.h>

const char *call_form_name(call_form form)
{
    static const char *const names[N_FORMS] = {"CBLAS", "CBLAS _64", "Fortran", "Fortran _64"};
    return names[form];
}

static int compare(const void *name, const void *entry)
{
    return strcmp(name, ((const routine_entry *)entry)->name);
}

void routine_run(const char *name, call_form form, const routine_call *q)
{
    const routine_entry *e = bsearch(name, routine_entries, n_routine_entries, sizeof *e, compare);
    if (!e) {
        fprintf(stderr, "there is no routine %s\n", name);
        abort();
    }
    e->run[form](q);
}
