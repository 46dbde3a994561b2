/* One caller for all routines of a type, integer width and naming. The includer defines
 * REAL, INT, NAME (of the function), CBLAS(r) and FORTRAN(r). Arrays: a b c, in that
 * order of their strides; trsv's x is c, gemv's x is b. */
static void NAME(bool fortran, const bad_arguments *p, const REAL *a, REAL *b, REAL *c)
{
    const REAL alpha = 1, beta = 0;
    const int *o = p->option;
    const char l[4] = {0, bad_letter(o[1]), bad_letter(o[2]), bad_letter(o[3])};
    const INT m = (INT)p->dim[0], n = (INT)p->dim[1], k = (INT)p->dim[2];
    const INT la = (INT)p->ld[0], lb = (INT)p->ld[1], lc = (INT)p->ld[2];
    switch (p->routine) {
    case BAD_GEMM:
        if (fortran)
            FORTRAN(gemm)(l + 1, l + 2, &m, &n, &k, &alpha, a, &la, b, &lb, &beta, c, &lc);
        else
            CBLAS(gemm)(o[0], o[1], o[2], m, n, k, alpha, a, la, b, lb, beta, c, lc);
        break;
    case BAD_GEMV:
        if (fortran)
            FORTRAN(gemv)(l + 1, &m, &n, &alpha, a, &la, b, &lb, &beta, c, &lc);
        else
            CBLAS(gemv)(o[0], o[1], m, n, alpha, a, la, b, lb, beta, c, lc);
        break;
    case BAD_TRSV:
        if (fortran)
            FORTRAN(trsv)(l + 1, l + 2, l + 3, &m, a, &la, c, &lb);
        else
            CBLAS(trsv)(o[0], o[1], o[2], o[3], m, a, la, c, lb);
        break;
    default:
        if (fortran)
            FORTRAN(syrk)(l + 1, l + 2, &m, &n, &alpha, a, &la, &beta, c, &lb);
        else
            CBLAS(syrk)(o[0], o[1], o[2], m, n, alpha, a, la, beta, c, lb);
    }
}

#undef REAL
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
