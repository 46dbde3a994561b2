/* fprev: in which order does a function add?
 *
 * A function that is given n terms returns their floating-point sum (or the sum of n
 * products, or of n absolute values). From its results alone, on inputs in which a huge
 * M and -M swallow what they meet before they cancel, fprev finds the tree of its
 * additions, says what the tree does not tell (fused products, wider partial sums) and
 * checks all of it bit for bit on random data.
 *
 * The functions print nothing and never exit. None is reentrant on one object; different
 * objects are independent. A program links with libexblas_fprev and libm.
 *
 * Source: P. Xie, Y. Gao, Y. Wang, J. Xue, "Revealing floating-point accumulation orders
 * in software/hardware implementations" (FPRev), arXiv 2411.00442. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Elements are double, float, or uint16_t bit patterns of IEEE half and of bfloat16. */
typedef enum { FPREV_DOUBLE, FPREV_FLOAT, FPREV_HALF, FPREV_BFLOAT16 } fprev_type;

/* What is asked for its order. */
typedef struct {
    int64_t n_terms;        /* 1 <= n_terms < 2^30 */
    int64_t n_results;      /* results of one call; their orders may differ; >= 1 */
    fprev_type type;        /* of the elements of a and b */
    fprev_type result_type; /* of the results: the type in which additions round */
    bool product;           /* terms are a[i] * b[i]; otherwise b is NULL */
    bool absolute;          /* terms are |a[i]|; not with product */
    void *ctx;
    /* Writes n_results sums; every result is of the same n_terms terms. Returns 0, or
     * anything else to give up. Must not keep or write a and b. */
    int (*call)(void *ctx, const void *a, const void *b, void *results);
} fprev_function;

typedef struct {
    uint64_t seed;          /* of pivots and of random data */
    int64_t element;        /* which of the results */
    volatile int64_t *call; /* counts calls as they are made, or NULL */
} fprev_options;

/* Marks of nodes. */
enum {
    FPREV_FUSED = 1, /* leaf: its product enters the addition unrounded */
    FPREV_WIDE = 2,  /* addition: its result is kept in a wider type than results have */
};

/* Leaves are the nodes 0 ... n_leaves - 1, in order of the terms; children come before
 * their parents and the root last. An addition of more than two children is fused: one
 * rounding for all. Children are listed in order of their smallest leaf. */
typedef struct {
    int32_t n_leaves, n_nodes; /* n_nodes == 0: no tree */
    int32_t *parent;           /* -1 of the root */
    int32_t *first, *next;     /* first child, next sibling; -1 if none */
    int32_t *size, *least;     /* leaves below, smallest of them */
    unsigned char *mark;
} fprev_tree;

typedef enum {
    FPREV_TREE,         /* one order, additions of two */
    FPREV_FUSED_NODES,  /* one order, with additions of more than two */
    FPREV_EXACT,        /* the exact sum rounded once: no order */
    FPREV_COMPENSATED,  /* errors are carried along: nearly exact, no plain tree */
    FPREV_INCONSISTENT, /* results differ between calls or fit no tree */
} fprev_class;

/* How a fused addition rounds: terms are cut below 2^(e + 1 - p - extra_bits), e the
 * largest exponent among them and p the precision; their sum is cut or rounded. */
typedef struct {
    int extra_bits; /* FPREV_UNCUT: terms are not cut; FPREV_UNKNOWN: no model fits */
    bool nearest;   /* the sum is rounded to nearest, else toward zero */
} fprev_adder;
enum { FPREV_UNCUT = 1000, FPREV_UNKNOWN = -1 };

typedef enum { FPREV_FMA_NONE, FPREV_FMA_ALL, FPREV_FMA_SOME, FPREV_FMA_NA } fprev_products;

typedef struct {
    fprev_class class_;
    int exact_bits;      /* widest span of exponents in which all results were exact */
    fprev_products fma;  /* FPREV_FMA_NA: no products, or no tree */
    fprev_adder adder;   /* of fused additions */
    int n_wide;          /* additions that are kept wide */
    int64_t calls;       /* made to find the tree, without marks and replay */
    int64_t total_calls; /* all of them */
    int replay_runs, replay_mismatches;
    uint64_t hash;  /* FNV-1a-64 of the canonical text (fprev_tree_text); 0 without a tree */
    char note[128]; /* what a user should know; may be empty */
    fprev_tree tree;
} fprev_result;

typedef enum {
    FPREV_OK,
    FPREV_E_NAN,  /* the function returned NaN for finite terms */
    FPREV_E_CALL, /* the function gave up */
    FPREV_E_NO_MEMORY,
    FPREV_E_ARGUMENT, /* n_terms, n_results */
} fprev_status;

/* Finds, classifies and replays. Every class is FPREV_OK; the caller frees the result
 * with fprev_result_free in any case. Cost: O(n log n) calls expected. */
fprev_status fprev_reveal(const fprev_function *f, const fprev_options *o, fprev_result *result);
void fprev_result_free(fprev_result *result);
const char *fprev_status_text(fprev_status status);
const char *fprev_class_name(fprev_class class_);

/* Canonical text: leaves as numbers, additions in parentheses, * after a fused product, ~
 * after a wide addition: "((0,1*)~,2*)". Allocated with malloc; NULL if out of memory. */
char *fprev_tree_text(const fprev_tree *t);

/* Number of leaves below the lowest addition that has both leaves below it. */
int32_t fprev_tree_common(const fprev_tree *t, int32_t i, int32_t j);

#ifdef __cplusplus
}
#endif
