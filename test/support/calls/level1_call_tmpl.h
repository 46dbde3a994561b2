/* One type and one integer size: EX(r), EXC(r) name the Fortran and CBLAS forms, EX_REAL,
 * EXC_REAL those of the routines with real scalars, CALL this function. REAL is the type of
 * the parts, BY_VALUE(p) how CBLAS takes the scalar at p. */
static void CALL(bool fortran, level1_arguments *a)
{
    const REAL *alpha = a->alpha, *beta = a->beta;
    REAL *x = a->x, *y = a->y;
    INTEGER n = (INTEGER)a->n, incx = (INTEGER)a->incx, incy = (INTEGER)a->incy;
#define FORMS(fortran_call, cblas_call) (fortran ? (void)(fortran_call) : (void)(cblas_call))
    switch (a->op) {
    case LEVEL1_AXPY:
        FORMS(EX(axpy)(&n, alpha, x, &incx, y, &incy),
              EXC(axpy)(n, BY_VALUE(alpha), x, incx, y, incy));
        break;
    case LEVEL1_AXPBY:
        FORMS(EX(axpby)(&n, alpha, x, &incx, beta, y, &incy),
              EXC(axpby)(n, BY_VALUE(alpha), x, incx, BY_VALUE(beta), y, incy));
        break;
    case LEVEL1_SCAL:
        FORMS(EX(scal)(&n, alpha, x, &incx), EXC(scal)(n, BY_VALUE(alpha), x, incx));
        break;
    case LEVEL1_REAL_SCAL:
        FORMS(EX_REAL(scal)(&n, alpha, x, &incx), EXC_REAL(scal)(n, *alpha, x, incx));
        break;
    case LEVEL1_ROT:
        FORMS(EX_REAL(rot)(&n, x, &incx, y, &incy, alpha, beta),
              EXC_REAL(rot)(n, x, incx, y, incy, *alpha, *beta));
        break;
    case LEVEL1_ROTM:
#ifndef COMPLEX
        FORMS(EX(rotm)(&n, x, &incx, y, &incy, a->param), EXC(rotm)(n, x, incx, y, incy, a->param));
#endif
        break;
    case LEVEL1_COPY:
        FORMS(EX(copy)(&n, x, &incx, y, &incy), EXC(copy)(n, x, incx, y, incy));
        break;
    case LEVEL1_SWAP:
        FORMS(EX(swap)(&n, x, &incx, y, &incy), EXC(swap)(n, x, incx, y, incy));
        break;
    default:
        a->index = fortran ? (int64_t)EX_AMAX(&n, x, &incx) : (int64_t)EXC_AMAX(n, x, incx) + 1;
        break;
    }
#undef FORMS
}
#undef CALL
#undef INTEGER
#undef EX
#undef EXC
#undef EX_REAL
#undef EXC_REAL
#undef EX_AMAX
#undef EXC_AMAX
