/* The kernels that every type has, one slot each, with its contract. An X-list: kernels.h makes
 * the table's type from it, kernels/kernel_table.c the table of an instruction set. Before it is
 * included:
 *
 *   EXB_SLOT(result, name, arguments)   of slots of EXB_SLOT_TYPE, s or d
 *   EXB_SLOTS_OF_FLOATS                 for those of floats
 *
 * Slot `name` is filled by exb_ti(name), a function in a file of lib/levelN/kernels/. Kernels are
 * correct for all inputs in their contract; which table is in force never shows in a result.
 * Vectors x, y are contiguous (y is not used by the terms in x alone), 0 <= n <= EXB_CHUNK, unless
 * the slot says otherwise. No guard: included more than once. */

#ifdef EXB_SLOTS_OF_FLOATS
#define EXB_SLOT_TYPE s
#define EXB_SLOT_REAL float
#define EXB_SLOT_LINEAR exb_slinear
#else
#define EXB_SLOT_TYPE d
#define EXB_SLOT_REAL double
#define EXB_SLOT_LINEAR exb_dlinear
#endif

/* An enclosure of the sum of the terms; unknown if anything overflows or is not finite. */
EXB_SLOT(exb_enclosure, filter,
         (exb_term term, int64_t n, const EXB_SLOT_REAL *x, const EXB_SLOT_REAL *y))

/* v encloses the sum, n <= EXB_FEW; true if that decides RN, which goes to *r then. Sums of
 * numbers, not of products, are exact if their magnitudes do not differ too much: ties are then
 * decided. */
EXB_SLOT(bool, few,
         (exb_term term, int64_t n, const EXB_SLOT_REAL *x, const EXB_SLOT_REAL *y,
          exb_enclosure *v, EXB_SLOT_REAL *r))

/* Adds the terms to a sum of three parts (triple.h), any n >= 0. */
EXB_SLOT(void, triple,
         (exb_term term, int64_t n, const EXB_SLOT_REAL *x, const EXB_SLOT_REAL *y,
          exb_triples *sum))

/* Its lanes joined. */
EXB_SLOT(void, triple_sum, (const exb_triples *lanes, exb_triple *sum))

/* The chunk against the anchor sigma (anchor.h): the sum, in the first of two that are written. Two
 * parts: complex numbers, of n parts; X: the sums of x_r and of x_i; XY: of x_r y_r, x_i y_i, x_r
 * y_i and x_i y_r, whose largest terms the m of the first two are for, too. Products of doubles
 * only if has_fma. */
EXB_SLOT(void, anchor,
         (exb_term term, int parts, int64_t n, const EXB_SLOT_REAL *x, const EXB_SLOT_REAL *y,
          double sigma, exb_anchored out[4]))

/* The same for numbers, term X or ABS_X, 8 <= n <= EXB_BRIEF, against an anchor that a few of them
 * choose; unknown if that does not fit, or they are not finite. */
EXB_SLOT(bool, brief,
         (exb_term term, int64_t n, const EXB_SLOT_REAL *x, exb_enclosure *v, EXB_SLOT_REAL *r))

/* The largest magnitude of a term, rounded; a NaN may be dropped. Any n. */
EXB_SLOT(double, largest,
         (exb_term term, int64_t n, const EXB_SLOT_REAL *x, const EXB_SLOT_REAL *y))

/* The least magnitude of x_i that is not 0, DBL_MAX if there is none; a NaN may be dropped. */
EXB_SLOT(double, least, (int64_t n, const EXB_SLOT_REAL *x))

/* Adds the sum of the terms to acc exactly, through expansions of n_terms terms; special values
 * included. Gives up after more than n_spills spills into acc; returns the number of terms that
 * are done. */
EXB_SLOT(int64_t, expand,
         (int n_terms, bool early_exit, int64_t n_spills, exb_term term, int64_t n,
          const EXB_SLOT_REAL *x, const EXB_SLOT_REAL *y, exb_superacc *acc))

/* Adds the terms to exponent bins exactly, Inf and NaN to acc; n <= bins->n_free. */
EXB_SLOT(void, bins,
         (exb_bins * bins, exb_term term, int64_t n, const EXB_SLOT_REAL *x, const EXB_SLOT_REAL *y,
          exb_superacc *acc))

/* acc_i += a_i1 x_1 + ... + a_in x_n for m <= EXB_ROWS rows of a column-major block with leading
 * dimension lda, any n, into compensated sums s, c, w (compensated.h), each EXB_ROWS long. Of
 * complex numbers the parts are rows, and lda counts reals: each part is a sum of 2n terms. */
EXB_SLOT(void, sweep,
         (exb_numbers of, int m, int64_t n, const EXB_SLOT_REAL *a, int64_t lda,
          const EXB_SLOT_REAL *x, double *s, double *c, double *w))

/* The same against anchors: s starts at each row's sigma, c and peak at 0 (anchor.h; all terms of a
 * row in a lane); peak's upper 32 bits become those of the largest q. If peak is NULL, the largest
 * over the columns of |a_ij| times the largest part of x_j is returned, which may leave NaNs out.
 * Any m > 0; arrays are rounded up to a multiple of 8. Products of doubles only if has_fma. */
EXB_SLOT(double, anchored_sweep,
         (exb_numbers of, int64_t m, int64_t n, const EXB_SLOT_REAL *a, int64_t lda,
          const EXB_SLOT_REAL *x, double *s, double *c, double *peak))

/* peak_i = the larger of it and |a_i x|, rounded, i < m; the array as in anchored_sweep. */
EXB_SLOT(void, column_peaks, (int64_t m, const EXB_SLOT_REAL *a, EXB_SLOT_REAL x, double *peak))

/* m >= EXB_ROW_GROUP sums: products of rows with x, or those of half as many with x and with y, row
 * by row, if y is not NULL; m is even then. Row r is contiguous from a + r lda + r(r - 1)/2 growth
 * on. Against one anchor; n <= 2^EXB_ANCHOR_NU, since a row may have one lane. s, c: the sums less
 * sigma; what is returned and n_lane are m and N of all (exb_anchored). Products of doubles only if
 * has_fma. */
EXB_SLOT(double, anchored_rows,
         (int64_t m, int64_t n, const EXB_SLOT_REAL *a, int64_t lda, int64_t growth,
          const EXB_SLOT_REAL *x, const EXB_SLOT_REAL *y, double sigma, double *s, double *c,
          int64_t *n_lane))

/* The rows of a triangle, or of what it stands for (exb_triangle), times x against one anchor: row
 * i's sum, or that of part i, is s_i - sigma + c_i with the bound of all its terms in one lane, if
 * no element, the largest of which is returned, times an x_j is larger than fits. A NaN makes a c_i
 * NaN; what is returned may be too small then. Arrays, but for a and x, are rounded up to a
 * multiple of 8. Products of doubles only if has_fma. */
EXB_SLOT(double, anchored_triangle,
         (const exb_triangle *t, const EXB_SLOT_REAL *a, const EXB_SLOT_REAL *x, double sigma,
          double *s, double *c))

/* Unknowns `begin` ... of a small system (exb_rows), whose last unknowns are in x: up to the first
 * one that is not certified, whose number is returned, or n. To go on after that one has been put
 * into x, the call is repeated from the next. */
EXB_SLOT(int, solve_rows, (const exb_rows *k, int begin, EXB_SLOT_REAL *x))

/* y_i = RN(alpha x_i + y_i), any n >= 0. */
EXB_SLOT(void, axpy, (int64_t n, EXB_SLOT_REAL alpha, const EXB_SLOT_REAL *x, EXB_SLOT_REAL *y))

/* Elements begin ... end - 1 of all outputs of a linear combination, `step` at a time. */
EXB_SLOT(void, linear, (const struct EXB_SLOT_LINEAR *l, int64_t begin, int64_t end, int64_t step))

/* a_i = RN(a_i + sum of (high_k + low_k) x_k,i) for n <= EXB_GROUP elements and 1, 2 or 4 terms, if
 * true: all are certified. Otherwise a is as it was, and out has the sums, NaN where one is not
 * certified. |low_k| <= 2^-53 |high_k|; x_k,i are numbers of the element's type; exact: the
 * coefficients are, otherwise the sum may be off by slack. No sum of |high_k x_k,i| is above
 * `most`, of one term 0 will do. out has room for EXB_GROUP. */
EXB_SLOT(bool, update,
         (int n_terms, int64_t n, const double *high, const double *low, bool exact, double slack,
          double most, const double *const *x, EXB_SLOT_REAL *a, EXB_SLOT_REAL *out))

/* The same of one term, for column j of n_columns at a + j * lda with the exact
 * coefficient high_j + low_j: RN(a_i + (high_j + low_j) x_i). Eight elements of which one is not
 * certified stay as they were, those from 8 g on with bit g of open_j. */
EXB_SLOT(void, update_columns,
         (int64_t n, int64_t n_columns, const double *high, const double *low,
          const EXB_SLOT_REAL *x, EXB_SLOT_REAL *a, int64_t lda, uint32_t *open))

/* The largest key of n elements of one or two parts, any n: the bits, as doubles, of |x_i| or of
 * RN(|re| + |im|), EXB_KEY_NAN for NaN; 0 if n = 0. */
EXB_SLOT(int64_t, peak, (int n_parts, int64_t n, const EXB_SLOT_REAL *x))

/* n vectors of k elements, element l of vector v at x[v * vs + l * ls]: adds the squares to
 * sumsq[v], any order, and takes the largest magnitude into largest[v] (a NaN may be dropped there,
 * not in the sum). */
EXB_SLOT(void, scan,
         (int64_t n, int64_t k, const EXB_SLOT_REAL *x, int64_t vs, int64_t ls, double *sumsq,
          double *largest))

/* The same vectors, times factor[v] (a power of two), as doubles in strips of `width` vectors:
 * strip s at out + s * stride, element l of its vectors side by side, missing vectors 0. lost[v]
 * becomes non-zero if an element times factor[v] is not an exact multiple of EXB_CHAIN_GRID. */
EXB_SLOT(void, pack,
         (int width, int64_t n, int64_t k, const EXB_SLOT_REAL *x, int64_t vs, int64_t ls,
          const double *factor, double *out, int64_t stride, double *lost))

/* One column of results (exb_column): r[i] for i < n <= 64; returns the set of those that the
 * enclosure does not certify, or whose scale is out of its range, and whose r[i] means nothing. */
EXB_SLOT(uint64_t, finish, (int n, const exb_column *column, EXB_SLOT_REAL *r))

/* One column of enclosures (exb_column, of which alpha, beta and c are not read; scales out of
 * their range: nothing is known), any n: sets h + l +- e to them, or adds them to what stands
 * there, e = 0 if exact. */
EXB_SLOT(void, keep, (int n, const exb_column *column, bool adds, double *h, double *l, double *e))

/* A small product (exb_small): element (i, j) to r[j * EXB_SMALL_MOST + i], with room for that many
 * columns, if wanted; bit i of uncertified[j] is set if it means nothing. Returns how many are set,
 * some perhaps not wanted. Products of doubles only if has_fma. */
EXB_SLOT(int, small_product,
         (const exb_small *q, const EXB_SLOT_REAL *c, EXB_SLOT_REAL *r, uint64_t *uncertified))

/* The largest magnitude in n_lines lines of n elements, `step` apart; NaN may be left out. */
EXB_SLOT(double, line_peak, (int64_t n, int64_t n_lines, int64_t step, const EXB_SLOT_REAL *x))

/* The rows of systems (exb_side_rows) from `begin` on, with coefficients t and unknowns x. Returns
 * the first row that leaves sides open, those in bits of *open, whose x are to be set before the
 * next, or n. peak_i is at least the unknowns of side i before `begin` but the last two, or 0; of
 * those the kernel notes the first, in row `begin`. Up to the next multiple of 8 sides everything
 * may be read and x and peak written. Doubles only if has_fma. */
EXB_SLOT(int, solve_sides,
         (const exb_side_rows *k, int begin, const EXB_SLOT_REAL *t, EXB_SLOT_REAL *x,
          uint64_t *open))

/* A row of n <= 64 complex sides (exb_complex_sides), whose parts have coefficients t_re and t_im;
 * re and im are b until they are known, and as long as whole vectors need. x: known unknowns, of
 * which re and im may be the last two: terms of a side are read before they are written. Returns
 * those that stay open, whose re and im mean nothing. */
EXB_SLOT(uint64_t, solve_complex_sides,
         (int n, const exb_complex_sides *k, const EXB_SLOT_REAL *t_re, const EXB_SLOT_REAL *t_im,
          const EXB_SLOT_REAL *x, EXB_SLOT_REAL *re, EXB_SLOT_REAL *im))

/* The rows of a block (sparse/csr_block.h) of products value_k x_c, c = column_k or, if column is
 * NULL, k, all counted from start_0 = 0: each product is q_k + r_k but for one rounding of r_k, q_k
 * a multiple of the anchor's unit. h_i is the sum of the q_k of row i, l_i that of its r_k, in any
 * order; both have room for n_rows rounded up to a multiple of 8, start is that long and one more.
 * *least: the least |x_c| that is not 0, DBL_MAX if there is none. Returns the largest |q_k|; both
 * may drop a NaN. */
EXB_SLOT(double, row_sums,
         (int n_rows, const int32_t *start, const EXB_SLOT_REAL *value, const int32_t *column,
          const EXB_SLOT_REAL *x, double sigma, double *h, double *l, double *least))

/* The slices of a block (sparse/sell.h), n of them, width_i columns wide: products of value and x
 * as above, row j of slice i in h and l at [EXB_SELL_ROWS * i + j]. */
EXB_SLOT(double, sell_sums,
         (int n, const uint16_t *width, const EXB_SLOT_REAL *value, const int32_t *column,
          const EXB_SLOT_REAL *x, double sigma, double *h, double *l, double *least))

/* Every x_i is a multiple of unit, a power of two in [2^-1000, 2^900]. Any n. */
EXB_SLOT(bool, are_short, (int64_t n, const EXB_SLOT_REAL *x, double unit))

/* t[i * ldt + j] = s[j * lds + i] for i < m, j < n. Any m, n. */
EXB_SLOT(void, transpose,
         (int64_t m, int64_t n, const EXB_SLOT_REAL *s, int64_t lds, double *t, int64_t ldt))

/* Every index is one of 0 ... last. Any n. */
EXB_SLOT(bool, indices_fit, (int64_t n, const int32_t *index, int32_t last))

/* Of floats alone, as sweep and anchored_rows: sums that are added up plainly (core/arith/plain.h),
 * and the largest magnitude each had, or e: bounds of what they lost; 0 if all terms are 0. */
#ifdef EXB_SLOTS_OF_FLOATS
EXB_SLOT(void, plain_sweep,
         (exb_numbers of, int64_t m, int64_t n, const void *a, int64_t lda, const float *x,
          double *s, double *peak))
EXB_SLOT(void, plain_rows,
         (exb_numbers of, int64_t m, int64_t n, const void *a, int64_t lda, int64_t growth,
          const float *x, const float *y, double *sum, double *e))
/* Terms of even and of odd number and, if crossed, products of x with y in pairs exchanged: those
 * of `anchor` for XY. e: bounds of what the sums lost, also if two of them are added; 0 if all
 * terms are 0. */
EXB_SLOT(void, plain_parts,
         (exb_term term, bool crossed, int64_t n, const float *x, const float *y, double sum[4],
          double e[4]))
#endif

#undef EXB_SLOT_TYPE
#undef EXB_SLOT_REAL
#undef EXB_SLOT_LINEAR
#undef EXB_SLOTS_OF_FLOATS
