/* A call in one type, on buffers: the includer defines REAL, CL(name) (exblas_cl_d##name), CL_RUN.
 */
static exblas_status CL_RUN(const expected_call *c, cl_mem a, cl_mem b, cl_mem index, cl_mem r)
{
    size_t n = (size_t)c->n;
    switch (c->op) {
    case EXPECTED_SUM:
        return CL(sum)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_ASUM:
        return CL(asum)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_NRM2:
        return CL(nrm2)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_DOT:
        return CL(dot)(queue, n, a, 0, 1, b, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_SCATTER:
        return CL(scatter_add)(queue, n, a, 0, index, 0, (size_t)c->m, r, 0, 0, NULL, NULL);
    case EXPECTED_ORDERED:
        return CL(scatter_add_ordered)(queue, n, a, 0, index, 0, (size_t)c->m, r, 0, 0, NULL, NULL);
    default:
        return EXBLAS_EUNSUPPORTED;
    }
}
