/* The routines of the library as data: names and arguments. */
#pragma once

#include <stdbool.h>

typedef enum { FUZZ_OPTION, FUZZ_INTEGER, FUZZ_SCALAR, FUZZ_ARRAY, FUZZ_INDICES } fuzz_kind;

typedef struct {
    const char *name; /* as in symbols.list: "alpha" */
    fuzz_kind kind;
    bool written, is_real; /* is_real: of the type of the parts */
    char type;             /* of its elements: s d c z b h */
} fuzz_argument;

typedef struct {
    const char *name, *base; /* "zgeru", "geru" */
    char type;               /* of the elements: s d c z b h */
    char result; /* - none, T an element, s or d a real, I an index from 1, E a status */
    int n_arguments;
    const fuzz_argument *arguments;
} fuzz_routine;

extern const fuzz_routine fuzz_routines[];
extern const int n_fuzz_routines;
