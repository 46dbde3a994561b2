/* demo, info: what the library promises, seen in a second. */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <exblas/exblas.h>

enum { N = 300000, MAX_RESULTS = 64 };

typedef struct {
    int n;
    const char *how[MAX_RESULTS];
    double x[MAX_RESULTS];
} results;

static void note(results *r, const char *how, double x)
{
    r->how[r->n] = how;
    r->x[r->n++] = x;
}

static int count_different(const results *r)
{
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        bool is_new = true;
        for (int j = 0; j < i; j++)
            is_new &= memcmp(&r->x[i], &r->x[j], sizeof(double)) != 0;
        n += is_new;
    }
    return n;
}

/* Magnitudes from 1e-8 to 1e8 of both signs (xorshift64). */
static void fill(double *x)
{
    uint64_t s = 88172645463325252u;
    for (int i = 0; i < N; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        double scale = 1e-8;
        for (uint64_t k = s & 15; k > 0; k--)
            scale *= 10;
        x[i] = ((double)(s >> 11) * 0x1p-53 - 0.5) * scale;
    }
}

/* As a compiler or a thread pool does: n_lanes sums, added at the end. */
static double lanes(const double *x, int n_lanes)
{
    double s[64] = {0}, total = 0;
    for (int i = 0; i < N; i++)
        s[i % n_lanes] += x[i];
    for (int j = 0; j < n_lanes; j++)
        total += s[j];
    return total;
}

static double pairwise(int n, const double *x)
{
    if (n < 8) {
        double s = 0;
        for (int i = 0; i < n; i++)
            s += x[i];
        return s;
    }
    return pairwise(n / 2, x) + pairwise(n - n / 2, x + n / 2);
}

static void plain_orders(results *r, const double *x)
{
    double backward = 0;
    for (int i = N; i-- > 0;)
        backward += x[i];
    note(r, "forwards", lanes(x, 1));
    note(r, "backwards", backward);
    note(r, "2 lanes (SSE2)", lanes(x, 2));
    note(r, "4 lanes (AVX2)", lanes(x, 4));
    note(r, "8 lanes (AVX-512)", lanes(x, 8));
    note(r, "64 lanes (AVX-512, unrolled)", lanes(x, 64));
    note(r, "pairwise", pairwise(N, x));
}

static void exact_orders(results *r, const double *x)
{
    static const char *const methods[] = {"auto", "superacc", "fpe2", "fpe4", "fpe8ee"};
    for (int n_threads = 1; n_threads <= 4; n_threads++) {
        exblas_set_num_threads(n_threads);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            exblas_set_method(methods[k]);
            note(r, methods[k], excblas_dsum_64(N, x, 1));
            note(r, methods[k], excblas_dsum_64(N, x, -1));
        }
    }
    exblas_set_method(NULL);
    exblas_set_num_threads(0);
}

static void show(const results *plain, const results *exact)
{
    char text[CLI_SHOWN];
    printf("The sum of %d numbers between 1e-8 and 1e8.\n\nPlain loops:\n", N);
    for (int k = 0; k < plain->n; k++)
        printf("  %-30s %s\n", plain->how[k], cli_show(plain->x[k], false, text));
    printf("  %d different answers out of %d\n\n", count_different(plain), plain->n);
    printf("ExBLAS, 1 to 4 threads, forwards and backwards, 5 methods:\n");
    printf("  %-30s %s\n", "every one", cli_show(exact->x[0], false, text));
    printf("  %d different answer%s out of %d\n", count_different(exact),
           count_different(exact) == 1 ? "" : "s", exact->n);
}

static void show_json(const char *name, const results *r)
{
    printf("\"%s\": {\"runs\": %d, \"different\": %d, \"results\": [", name, r->n,
           count_different(r));
    for (int k = 0; k < r->n; k++) {
        fputs(k ? ", " : "", stdout);
        cli_json_number(r->x[k], false);
    }
    printf("]}");
}

int cli_demo(const cli_request *q)
{
    results plain = {0}, exact = {0};
    double *x = cli_allocate(N, sizeof *x);
    fill(x);
    plain_orders(&plain, x);
    exact_orders(&exact, x);
    if (q->json) {
        printf("{\"command\": \"demo\", \"n\": %d, ", N);
        show_json("plain", &plain);
        printf(", ");
        show_json("exblas", &exact);
        printf("}\n");
    } else {
        show(&plain, &exact);
    }
    free(x);
    return count_different(&exact) == 1 ? CLI_OK : CLI_FINDING;
}

int cli_info(const cli_request *q)
{
    static const char *const keys[] = {"version", "isa", "isas", "threads", "method", "compiler"};
    if (q->json)
        printf("{\"command\": \"info\"");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *value = exblas_info(keys[k]);
        if (q->json) {
            printf(", \"%s\": ", keys[k]);
            cli_json_string(value ? value : "");
        } else {
            printf("%-9s %s\n", keys[k], value ? value : "");
        }
    }
    if (q->json)
        printf("}\n");
    return CLI_OK;
}
