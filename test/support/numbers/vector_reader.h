/* Reader of the case files in test/vectors (format: test/vectors/README.md).
 *
 * Strict: a routine it does not know, a missing or surplus key or operand, a
 * wrong number of elements or a number that is not one of the type is an error
 * that names file and line, never a case left out. */
#pragma once

#include "test_bits.h"

#include <stddef.h>
#include <stdint.h>

enum { VECTOR_MAX_KEYS = 9, VECTOR_MAX_OPERANDS = 3 };

/* What a case of a routine consists of. */
typedef struct {
    const char *name;     /* "dgemv" */
    const char *keys;     /* in the order of the header line: "trans m n alpha beta" */
    const char *operands; /* one letter each, in order: "axy" */
    char type;            /* s d c z: of the operands */
    number_format answer; /* format of the answer (dsdot: FORMAT_D of s data) */
} vector_routine;

typedef struct {
    char name[10];
    char text[32];
} vector_key;

/* A complex operand holds its elements as re, im pairs; n counts doubles. */
typedef struct {
    size_t n;
    double *value;
} vector_array;

typedef struct {
    const char *file;
    int line; /* of the header */
    char name[64];
    const vector_routine *routine;
    vector_key key[VECTOR_MAX_KEYS];
    vector_array operand[VECTOR_MAX_OPERANDS]; /* as routine->operands lists them */
    vector_array answer;
} vector_case;

typedef struct {
    size_t n_cases;
    vector_case *cases;
} vector_file;

/* NULL after a message on stderr if the file cannot be read or is not valid. */
vector_file *vector_file_read(const char *path);
void vector_file_free(vector_file *f);

/* Values of keys; a key the routine does not have is a defect of the caller and aborts. */
int64_t vector_int(const vector_case *c, const char *key);
char vector_letter(const vector_case *c, const char *key);
double vector_number(const vector_case *c, const char *key);
