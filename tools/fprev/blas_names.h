/* The names under which libraries export a routine, ? being its BLAS name, and how each is called:
 * entries of a table, which tools/grade reads as well. No include guard. */
{"cblas_?", FPREV_ABI_CBLAS}, {"excblas_?", FPREV_ABI_CBLAS}, {"scipy_cblas_?", FPREV_ABI_CBLAS},
    {"cblas_?64_", FPREV_ABI_CBLAS64}, {"cblas_?_64", FPREV_ABI_CBLAS64},
    {"excblas_?_64", FPREV_ABI_CBLAS64}, {"scipy_cblas_?64_", FPREV_ABI_CBLAS64},
    {"cblas_?", FPREV_ABI_CBLAS64}, {"?_", FPREV_ABI_FORTRAN}, {"ex?_", FPREV_ABI_FORTRAN},
    {"scipy_?_", FPREV_ABI_FORTRAN}, {"?", FPREV_ABI_FORTRAN}, {"?64_", FPREV_ABI_FORTRAN64},
    {"?_64_", FPREV_ABI_FORTRAN64}, {"ex?_64_", FPREV_ABI_FORTRAN64},
    {"scipy_?_64_", FPREV_ABI_FORTRAN64}, {"scipy_?64_", FPREV_ABI_FORTRAN64},
    {"?_", FPREV_ABI_FORTRAN64},
