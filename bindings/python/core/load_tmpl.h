/* load_FROM: n numbers at equal distances, perhaps unaligned, as numbers of type TO. */
static void EXB_PASTE2(load_, FROM)(TO *to, const char *at, int64_t n, int64_t stride)
{
    FROM x;
    for (int64_t i = 0; stride == sizeof x && i < n; i++) { /* of which compilers make vectors */
        memcpy(&x, at + i * (int64_t)sizeof x, sizeof x);
        to[i] = (TO)x;
    }
    for (int64_t i = 0; stride != sizeof x && i < n; i++) {
        memcpy(&x, at + i * stride, sizeof x);
        to[i] = (TO)x;
    }
}
#undef FROM
