/* Sums that are kept, split, merged and stored: exact all the way, rounded when wanted.
 *
 *   cc accumulator.c $(pkg-config --cflags --libs exblas) -o accumulator && ./accumulator
 */
#include <exblas/accumulator.h>
#include <stdio.h>
#include <string.h>

enum { N = 100000, PARTS = 7 };

/* Numbers of very different sizes whose sum is 0.1 + 0.2. */
static double term(int i)
{
    if (i < 2)
        return i ? 0.1 : 0.2;
    return (i % 2 ? -1e18 : 1e18) / (i / 2 % 1000 + 1);
}

int main(void)
{
    exblas_acc part[PARTS], total;
    unsigned char bytes[EXBLAS_ACC_BYTES], again[EXBLAS_ACC_BYTES];
    double plain = 0;
    memset(part, 0, sizeof part); /* an accumulator of zeros is zero */
    for (int i = 0; i < N; i++) {
        plain += term(i);
        exblas_acc_add(&part[i * 13 % PARTS], term(i)); /* any split, any order */
    }
    exblas_acc_init(&total);
    for (int i = PARTS - 1; i >= 0; i--)
        exblas_acc_merge(&total, &part[i]);
    exblas_acc_export(&total, bytes); /* to a file, to another machine ... */
    exblas_status status = exblas_acc_import(&part[0], bytes, sizeof bytes);
    exblas_acc_export(&part[0], again);
    printf("plain loop  %.17g\n", plain);
    printf("exact       %.17g\n", exblas_acc_to_double(&total));
    printf("stored      %s, %s\n", exblas_status_text(status),
           memcmp(bytes, again, sizeof bytes) == 0 ? "the same bytes" : "other bytes");
    return status != EXBLAS_OK;
}
