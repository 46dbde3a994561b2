/* The table of kernels: one column per instruction set, one row per kernel and type
 * (kernel_slots.h), and which column is in force. */
#pragma once

#include "core/arith/anchor.h"
#include "core/arith/bins.h"
#include "core/arith/triple.h"

/* What a reduction adds up. XX: what some kernels make of XY if y is x. */
typedef enum { EXB_TERM_X, EXB_TERM_ABS_X, EXB_TERM_XY, EXB_TERM_XX } exb_term;

/* Is no term negative? */
EXB_INLINE bool exb_term_rises(exb_term term)
{
    return term == EXB_TERM_ABS_X || term == EXB_TERM_XX;
}

/* f(term, ...), whose loop is compiled for each kind of term. */
#define EXB_FOR_TERM(f, term, ...)                                                                 \
    ((term) == EXB_TERM_X       ? f(EXB_TERM_X, __VA_ARGS__)                                       \
     : (term) == EXB_TERM_ABS_X ? f(EXB_TERM_ABS_X, __VA_ARGS__)                                   \
                                : f(EXB_TERM_XY, __VA_ARGS__))

/* What the elements of a matrix are: complex numbers, the conjugates of what is there, reals, or,
 * for plain sums of products with floats, numbers of 16 bits (types b and h). */
typedef enum { EXB_OF_COMPLEX, EXB_OF_CONJUGATES, EXB_OF_REALS, EXB_OF_B, EXB_OF_H } exb_numbers;

enum {
    EXB_BRIEF = 2048,      /* most terms of the kernel `brief` */
    EXB_FEW = 64,          /* most terms of the kernel `few` */
    EXB_FEW_PRODUCTS = 24, /* of products, without static_rounding */
    EXB_CHUNK = 4096,      /* most elements a kernel is given at once */
    EXB_GROUP = 128,       /* most elements that are combined at once */
    EXB_ROWS = 64,         /* most rows a row-block kernel is given at once */
    EXB_ROW_GROUP = 4,     /* contiguous rows that are multiplied by a vector at once */
    EXB_SELL_ROWS = 8      /* rows of a slice of a sparse matrix */
};

/* Products of doubles that are 0 or at least that, and what they lose, are multiples of 2^-904:
 * nothing underflows. */
#define EXB_FEW_LEAST 0x1p-400

/* What kernels are told, in the headers of their levels. */
typedef struct exb_column exb_column;       /* element/column.h */
typedef struct exb_triangle exb_triangle;   /* level2/kernels/triangle.h */
typedef struct exb_rows exb_rows;           /* level2/kernels/solve_rows.h */
typedef struct exb_small exb_small;         /* level3/kernels/small.h */
typedef struct exb_side_rows exb_side_rows; /* level3/kernels/sides.h */
typedef struct exb_complex_sides exb_complex_sides;
struct exb_slinear; /* level1/linear.h */
struct exb_dlinear;

/* Tables of kernels for doubles alone. */
typedef struct exb_line_kernels exb_line_kernels;               /* level1/kernels/plain_lines.h */
typedef struct exb_chain_kernel exb_chain_kernel;               /* level3/kernels/chain_kernel.h */
typedef struct exb_elimination_kernels exb_elimination_kernels; /* elimination_tiles.h */
typedef struct exb_residue_kernels exb_residue_kernels;         /* level3/residue.h */
typedef struct exb_half_chain exb_half_chain;                   /* half/half_chain.h */

#define EXB_KEY_INF 0x7ff0000000000000
#define EXB_KEY_NAN (EXB_KEY_INF + 1)

/* The kernels of a type. */
#define EXB_SLOT(result, name, arguments) result(*name) arguments;

typedef struct {
#define EXB_SLOTS_OF_FLOATS
#include "core/kernel_slots.h"
} exb_skernels;

typedef struct {
#include "core/kernel_slots.h"
} exb_dkernels;

#undef EXB_SLOT

/* static_rounding: the kernels `few` and `brief` may be called in any floating-point environment,
 * which they leave as it is, flags included. */
typedef struct {
    const char *isa;
    bool has_fma, static_rounding;
    exb_skernels s;
    exb_dkernels d;
    int lanes; /* of a vector of doubles */
    const exb_chain_kernel *plain, *anchored;
    const exb_line_kernels *lines;
    const exb_elimination_kernels *elimination;
    const exb_half_chain *half; /* of bfloat16 */
} exb_kernels;

extern const exb_residue_kernels exb_residue_avx512vnni, exb_residue_amx, exb_residue_amx_emulated,
    exb_residue_amx_emulated_avx2, exb_residue_avxvnni, exb_residue_avxvnni_emulated,
    exb_residue_sse2;

extern const exb_half_chain exb_half_chain_avx512bf16;

/* The table in force (EXBLAS_ISA: the best one up to this name), its name, its products of residues
 * (level3/residue.h; NULL: none), `fast` if they beat chains of FMAs, and its chains of bfloat16.
 */
const exb_kernels *exb_kernels_current(void);
const char *exb_isa_current(void);
const exb_residue_kernels *exb_residue_current(bool *fast);
const exb_half_chain *exb_half_chain_current(void);

/* The same for a product that is going to use them: where the operating system has to permit the
 * instruction set and refuses, the table in force becomes the one before, for good. */
const exb_residue_kernels *exb_residue_permitted(void);

/* The instruction sets this build has, worst first; what is emulated comes last. */
int exb_isa_count(void);
const char *exb_isa_name(int i);

/* Switches to the table of that name: 0, or -1 if the build or the CPU lacks it. */
int exb_isa_select(const char *name);
