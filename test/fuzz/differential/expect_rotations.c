/* rotg by its formulas; rotmg as the reference implementation's loops read, but no entry
 * of H that was scaled is set anew. */
#include "expect.h"
#include "rotg_model.h"

#include <math.h>

static void put_real(const fuzz_case *c, fuzz_memory *m, fuzz_which which, double x)
{
    fuzz_put(c, m, which, 0, 0, (test_number){x, 0});
}

static void rotg_real(const fuzz_case *c, fuzz_memory *m)
{
    double a = c->operand[OPERAND_A].v->re, b = c->operand[OPERAND_B].v->re;
    double out[4] = {a, 0, 1, 0}; /* r, z, c, s */
    if (b != 0 && a == 0) {
        double zero[4] = {b, 1, 0, 1};
        memcpy(out, zero, sizeof out);
    } else if (b != 0) {
        rotg_model_real(a, b, fuzz_format(c), out);
    }
    put_real(c, m, OPERAND_A, out[0]);
    put_real(c, m, OPERAND_B, out[1]);
    put_real(c, m, OPERAND_C, out[2]);
    put_real(c, m, OPERAND_Y, out[3]);
}

/* a is not 0. */
static void rotg_complex(const fuzz_case *c, fuzz_memory *m)
{
    test_number a = c->operand[OPERAND_A].v[0], b = c->operand[OPERAND_B].v[0];
    double out[5] = {a.re, a.im, 1, 0, 0}; /* r, c, s */
    if (!is_zero_number(b)) {
        double av[2] = {a.re, a.im}, bv[2] = {b.re, b.im};
        rotg_model_complex(av, bv, fuzz_format(c), out);
    }
    fuzz_put(c, m, OPERAND_A, 0, 0, (test_number){out[0], out[1]});
    put_real(c, m, OPERAND_C, out[2]);
    fuzz_put(c, m, OPERAND_Y, 0, 0, (test_number){out[3], out[4]});
}

void fuzz_expect_rotg(const fuzz_case *c, fuzz_memory *m)
{
    if (fuzz_parts(c) == 2)
        rotg_complex(c, m);
    else
        rotg_real(c, m);
}

/* --- rotmg ---------------------------------------------------------------- */

/* The variables of the reference implementation; each operation is rounded to the type. */
typedef struct {
    bool is_float;
    double d1, d2, x1, flag, h11, h21, h12, h22;
} modified;

static double rn(const modified *m, double x)
{
    return m->is_float ? (double)(float)x : x;
}

static void clear(modified *m)
{
    *m = (modified){.is_float = m->is_float, .flag = -1};
}

static void first_stays(modified *m, double y1, double p1, double p2)
{
    m->h21 = rn(m, -y1 / m->x1);
    m->h12 = rn(m, p2 / p1);
    double u = rn(m, 1 - rn(m, m->h12 * m->h21));
    if (!(u > 0)) {
        clear(m);
        return;
    }
    m->flag = 0;
    m->d1 = rn(m, m->d1 / u);
    m->d2 = rn(m, m->d2 / u);
    m->x1 = rn(m, m->x1 * u);
}

static void exchanged(modified *m, double y1, double p1, double p2)
{
    m->flag = 1;
    m->h11 = rn(m, p1 / p2);
    m->h22 = rn(m, m->x1 / y1);
    double u = rn(m, 1 + rn(m, m->h11 * m->h22)), old = m->d1;
    m->d1 = rn(m, m->d2 / u);
    m->d2 = rn(m, old / u);
    m->x1 = rn(m, y1 * u);
}

static void fill_in(modified *m)
{
    if (m->flag == 0)
        m->h11 = m->h22 = 1;
    if (m->flag == 1) {
        m->h21 = -1;
        m->h12 = 1;
    }
    m->flag = -1;
}

/* d and its row of H into the bounds, by powers of gamma = 4096; x1 goes with the first. */
static void rescale(modified *m, double *d, double *x, double *h1, double *h2)
{
    double lower = m->is_float ? (double)5.96046e-8f : 5.9604645e-8;
    double upper = m->is_float ? (double)1.67772e7f : 16777216;
    double unused = 0;
    x = x ? x : &unused;
    while (*d != 0 && isfinite(*d) && (fabs(*d) <= lower || fabs(*d) >= upper)) {
        bool up = fabs(*d) <= lower;
        fill_in(m);
        *d = rn(m, up ? *d * 16777216 : *d / 16777216);
        *x = rn(m, up ? *x / 4096 : *x * 4096);
        *h1 = rn(m, up ? *h1 / 4096 : *h1 * 4096);
        *h2 = rn(m, up ? *h2 / 4096 : *h2 * 4096);
    }
}

static void modify(modified *m, double y1)
{
    if (m->d1 < 0) {
        clear(m);
        return;
    }
    double p2 = rn(m, m->d2 * y1);
    m->flag = -2;
    if (p2 == 0)
        return;
    double p1 = rn(m, m->d1 * m->x1), q2 = rn(m, p2 * y1), q1 = rn(m, p1 * m->x1);
    if (fabs(q1) > fabs(q2))
        first_stays(m, y1, p1, p2);
    else if (q2 < 0 || (q2 == 0 && m->d2 < 0))
        clear(m);
    else
        exchanged(m, y1, p1, p2);
    rescale(m, &m->d1, &m->x1, &m->h11, &m->h12);
    rescale(m, &m->d2, NULL, &m->h21, &m->h22);
}

void fuzz_expect_rotmg(const fuzz_case *c, fuzz_memory *memory)
{
    modified m = {.is_float = fuzz_is_float(c)};
    m.d1 = c->operand[OPERAND_A].v->re;
    m.d2 = c->operand[OPERAND_B].v->re;
    m.x1 = c->operand[OPERAND_X].v->re;
    modify(&m, c->alpha.re);
    double *param = memory->image[OPERAND_C].first;
    param[0] = m.flag;
    if (m.flag == -2)
        return;
    put_real(c, memory, OPERAND_A, m.d1);
    put_real(c, memory, OPERAND_B, m.d2);
    put_real(c, memory, OPERAND_X, m.x1);
    if (m.flag != 0) {
        param[1] = m.h11;
        param[4] = m.h22;
    }
    if (m.flag <= 0) {
        param[2] = m.h21;
        param[3] = m.h12;
    }
}
