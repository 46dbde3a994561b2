/* Included by vector_calls.c once per type. REAL: type of the parts; IS_COMPLEX; T(f): the
 * entry with the type's letter; V(x): a scalar as it is passed; N(f): name here. */
static void N(scal)(vector_call *v)
{
    T(scal)(v->n, V(v->alpha), v->x, v->incx);
}

static void N(axpy)(vector_call *v)
{
    T(axpy)(v->n, V(v->alpha), v->x, v->incx, v->y, v->incy);
}

static void N(axpby)(vector_call *v)
{
    T(axpby)(v->n, V(v->alpha), v->x, v->incx, V(v->beta), v->y, v->incy);
}

static void N(copy)(vector_call *v)
{
    T(copy)(v->n, v->x, v->incx, v->y, v->incy);
}

static void N(swap)(vector_call *v)
{
    T(swap)(v->n, v->x, v->incx, v->y, v->incy);
}

static void N(amax)(vector_call *v)
{
    REAL index = (REAL)(int64_t)I(amax)(v->n, v->x, v->incx);
    memcpy(v->result, &index, sizeof index);
}

#if IS_COMPLEX
static void N(real_scal)(vector_call *v)
{
    M(scal)(v->n, *(const REAL *)v->beta, v->x, v->incx);
}

static void N(rot)(vector_call *v)
{
    M(rot)(v->n, v->x, v->incx, v->y, v->incy, *(const REAL *)v->alpha, *(const REAL *)v->beta);
}

static void N(rotg)(vector_call *v)
{
    REAL a[2], b[2], c, s[2];
    memcpy(a, v->x, sizeof a);
    memcpy(b, v->y, sizeof b);
    T(rotg)(a, b, &c, s);
    REAL all[] = {a[0], a[1], c, s[0], s[1]};
    memcpy(v->result, all, sizeof all);
}

static void N(sum)(vector_call *v)
{
    T(sum_sub)(v->n, v->x, v->incx, v->result);
}

static void N(dotu)(vector_call *v)
{
    T(dotu_sub)(v->n, v->x, v->incx, v->y, v->incy, v->result);
}

static void N(dotc)(vector_call *v)
{
    T(dotc_sub)(v->n, v->x, v->incx, v->y, v->incy, v->result);
}

static void N(asum)(vector_call *v)
{
    REAL r = R(asum)(v->n, v->x, v->incx);
    memcpy(v->result, &r, sizeof r);
}

static void N(nrm2)(vector_call *v)
{
    REAL r = R(nrm2)(v->n, v->x, v->incx);
    memcpy(v->result, &r, sizeof r);
}
#else
static void N(rot)(vector_call *v)
{
    T(rot)(v->n, v->x, v->incx, v->y, v->incy, V(v->alpha), V(v->beta));
}

static void N(rotm)(vector_call *v)
{
    T(rotm)(v->n, v->x, v->incx, v->y, v->incy, v->param);
}

static void N(rotg)(vector_call *v)
{
    REAL a = *(REAL *)v->x, b = *(REAL *)v->y, c, s;
    T(rotg)(&a, &b, &c, &s);
    REAL all[] = {a, b, c, s};
    memcpy(v->result, all, sizeof all);
}

static void N(rotmg)(vector_call *v)
{
    REAL d1 = *(REAL *)v->x, d2 = *(REAL *)v->y, x1 = V(v->alpha), param[5] = {0};
    T(rotmg)(&d1, &d2, &x1, V(v->beta), param);
    REAL all[] = {d1, d2, x1, param[0], param[1], param[2], param[3], param[4]};
    memcpy(v->result, all, sizeof all);
}
#endif

#undef REAL
#undef IS_COMPLEX
#undef N
#undef T
#undef V
#undef I
#undef M
#undef R
