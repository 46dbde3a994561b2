/* Loops over integers of a type: TEMPLATE(sum), TEMPLATE(row), TEMPLATE(load). */

/* The sum of n contiguous ones of up to 32 bits: blocks of 2^31 stay below 2^63. */
static int128 TEMPLATE(sum)(const void *at, int64_t n)
{
    const TEMPLATE_TYPE *x = at;
    const int64_t block = (int64_t)1 << 31;
    int128 total = 0;
    for (int64_t begin = 0; begin < n; begin += block) {
        int64_t end = n - begin < block ? n : begin + block, sum = 0;
        for (int64_t i = begin; i < end; i++)
            sum += (int64_t)x[i];
        total += sum;
    }
    return total;
}

/* sum[k] += x[k]. */
static void TEMPLATE(row)(int64_t *sum, const void *at, int64_t n)
{
    const TEMPLATE_TYPE *x = at;
    for (int64_t k = 0; k < n; k++)
        sum[k] += (int64_t)x[k];
}

/* The bits of n at equal distances, perhaps unaligned. */
static void TEMPLATE(load)(int64_t *to, const char *at, int64_t n, int64_t stride)
{
    TEMPLATE_TYPE x;
    for (int64_t i = 0; stride == sizeof x && i < n; i++) { /* of which compilers make vectors */
        memcpy(&x, at + i * (int64_t)sizeof x, sizeof x);
        to[i] = (int64_t)x;
    }
    for (int64_t i = 0; stride != sizeof x && i < n; i++) {
        memcpy(&x, at + i * stride, sizeof x);
        to[i] = (int64_t)x;
    }
}
#undef TEMPLATE
#undef TEMPLATE_TYPE
