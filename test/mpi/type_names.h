/* What a template of tests is compiled for: TYPE_s, TYPE_d, TYPE_c or TYPE_z. */
#pragma once

#if defined(TYPE_s) || defined(TYPE_c)
typedef float real;
#define IS_FLOAT 1
#define PART s
#else
typedef double real;
#define IS_FLOAT 0
#define PART d
#endif
#if defined(TYPE_c) || defined(TYPE_z)
#define IS_COMPLEX 1
#define PARTS 2
#define S(v) (v) /* a scalar, from a pointer to it */
#else
#define IS_COMPLEX 0
#define PARTS 1
#define S(v) (*(v))
#endif
#if defined(TYPE_s)
#define TYPE s
#elif defined(TYPE_d)
#define TYPE d
#elif defined(TYPE_c)
#define TYPE c
#else
#define TYPE z
#endif
#define PASTE_(a, b, c, d) a##b##c##d
#define PASTE(a, b, c, d) PASTE_(a, b, c, d)
#define SERIAL(name) PASTE(excblas_, TYPE, name, )
