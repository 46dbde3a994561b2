/* The sum of n contiguous integers of a type of up to 32 bits: blocks of 2^31 stay below 2^63. */
static int128 TEMPLATE_SUM(const TEMPLATE_TYPE *x, int64_t n)
{
    const int64_t block = (int64_t)1 << 31;
    int128 total = 0;
    for (int64_t begin = 0; begin < n; begin += block) {
        int64_t end = n - begin < block ? n : begin + block, sum = 0;
        for (int64_t i = begin; i < end; i++)
            sum += x[i];
        total += sum;
    }
    return total;
}

/* sum[k] += x[k]. */
static void TEMPLATE_ROW(int64_t *sum, const TEMPLATE_TYPE *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        sum[k] += x[k];
}
#undef TEMPLATE_SUM
#undef TEMPLATE_ROW
#undef TEMPLATE_TYPE
