#include "fuzz_input.h"

#include "core/arith/bits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

unsigned fuzz_next(fuzz_input *b)
{
    if (b->n == 0)
        return 0;
    b->n--;
    return *b->p++;
}

double fuzz_raw(fuzz_input *b)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | fuzz_next(b);
    return exb_from_bits(bits);
}

double fuzz_structured(fuzz_input *b, const double *x, int i)
{
    unsigned kind = fuzz_next(b);
    if (kind < 64 && i > 0)
        return -x[fuzz_next(b) % (unsigned)i];
    int base = kind < 160 ? 0 : kind < 190 ? 1000 : kind < 220 ? -1000 : -500;
    int exp2 = base + (int)fuzz_next(b) - 128;
    double m = 1 + (double)(fuzz_next(b) >> 6) * 0x1p-52 - (double)(fuzz_next(b) >> 6) * 0x1p-53;
    return ldexp(fuzz_next(b) & 1 ? -m : m, exp2);
}

void fuzz_numbers(fuzz_input *b, int raw, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = raw ? fuzz_raw(b) : fuzz_structured(b, x, i);
}

void fuzz_compare(const char *routine, double got, double expected)
{
    if (isnan(expected) ? exb_bits(got) == EXB_CANONICAL_NAN : exb_bits(got) == exb_bits(expected))
        return;
    fprintf(stderr, "%s: %a, not %a\n", routine, got, expected);
    abort();
}

void fuzz_require(int condition, const char *message)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", message);
    abort();
}
