/* The routines of the library as data: names, arguments, and functions that call them. */
#ifndef FUZZ_ROUTINE_H
#define FUZZ_ROUTINE_H

#include <stdbool.h>
#include <stdint.h>

enum { FUZZ_MOST_ARGUMENTS = 20, FUZZ_FORMS = 4 /* CBLAS, CBLAS _64, Fortran, Fortran _64 */ };

typedef enum { FUZZ_OPTION, FUZZ_INTEGER, FUZZ_SCALAR, FUZZ_ARRAY, FUZZ_INDICES } fuzz_kind;

typedef struct {
    const char *name; /* as in symbols.list: "alpha" */
    fuzz_kind kind;
    bool written, is_real; /* is_real: of the type of the parts */
} fuzz_argument;

/* i: CBLAS's number of an option, or an integer; p: a scalar, an array, an option's letter. */
typedef struct {
    int64_t i;
    void *p;
} fuzz_value;

typedef struct {
    const char *name, *base; /* "zgeru", "geru" */
    char type;               /* of the elements: s d c z */
    char result; /* - none, T an element, s or d a real, I an index from 1, E a status */
    int n_arguments;
    const fuzz_argument *arguments;
    void (*call[FUZZ_FORMS])(const fuzz_value *v, void *result);
} fuzz_routine;

extern const fuzz_routine fuzz_routines[];
extern const int n_fuzz_routines;

#endif
