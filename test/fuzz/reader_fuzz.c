/* libFuzzer: the file readers of the command `exblas`, in this process.
 *
 * Any bytes, in any format: numbers, or a message that names the file. Where bytes are accepted,
 * reading them in pieces gives the same numbers. And files that are written here from numbers, in
 * every format, with blanks, comments, headers, signs and either endianness as the input says: the
 * reader has to return those numbers. */
#include "core/arith/bits.h"
#include "tools/cli/source.h"
#include "tools/cli/system.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 64, MOST_BYTES = 1 << 14 };

/* What is left of an input; zeros come after its end. */
typedef struct {
    const uint8_t *p;
    size_t n;
} fuzz_input;

static unsigned fuzz_next(fuzz_input *b)
{
    if (b->n == 0)
        return 0;
    b->n--;
    return *b->p++;
}

/* Any double. */
static double raw_number(fuzz_input *b)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | fuzz_next(b);
    return exb_from_bits(bits);
}

/* A few bits at an exponent near a base. */
static double structured_number(fuzz_input *b)
{
    unsigned kind = fuzz_next(b);
    int base = kind < 160 ? 0 : kind < 190 ? 1000 : kind < 220 ? -1000 : -500;
    int exp2 = base + (int)fuzz_next(b) - 128;
    double m = 1 + (double)(fuzz_next(b) >> 6) * 0x1p-52 - (double)(fuzz_next(b) >> 6) * 0x1p-53;
    return ldexp(fuzz_next(b) & 1 ? -m : m, exp2);
}

static void fuzz_require(bool condition, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", text);
    abort();
}

/* In place of the command's own: back to where the file was opened. */
static jmp_buf failed;
static char message[512];

void cli_fail(cli_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    longjmp(failed, 1 + (int)status);
}

static int fd = -1;
static char path[64];

/* Freed after each input: a reader leaves memory to the end of its process. */
static void *allocated[MOST_BYTES + 16];
static int n_allocated;

void *cli_grow(void *old, int64_t n, int64_t n_bytes_each)
{
    int64_t bytes;
    int i = 0;
    if (__builtin_mul_overflow(n, n_bytes_each, &bytes) || bytes > 1 << 26)
        cli_fail(CLI_RESOURCES, "%s: out of memory", path);
    while (i < n_allocated && (!old || allocated[i] != old))
        i++;
    n_allocated += i == n_allocated;
    return allocated[i] = realloc(old, (size_t)bytes + 1);
}

void *cli_allocate(int64_t n, int64_t n_bytes_each)
{
    return cli_grow(NULL, n, n_bytes_each);
}

/* A header's text is given back by its reader. */
void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p)
{
    for (int i = 0; i < n_allocated; i++)
        if (allocated[i] == p)
            allocated[i] = allocated[--n_allocated];
    __real_free(p);
}

int cli_system_open(const char *name)
{
    return open(name, O_RDONLY);
}

int64_t cli_system_ms(void)
{
    return 0;
}

/* What other programs make of a file is not read here. */
void cli_input_through(cli_input *in, const char *const *words)
{
    cli_fail(CLI_BAD_INPUT, "%s: %s reads this", in->name, *words);
}

int cli_input_wait(cli_input *in)
{
    in->reader = 0;
    return 0;
}

static void store(const void *bytes, size_t n)
{
    if (fd < 0)
        fd = memfd_create("input", 0);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, bytes, n, 0) != (ssize_t)n)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
}

static cli_source source;
static cli_request request;

/* The number of numbers, or -1 - status if the file is refused. */
static int read_file(int piece, double *x)
{
    volatile int n = 0;
    volatile bool opened = false;
    int status = setjmp(failed);
    if (status == 0) {
        size_t got;
        cli_source_open(&source, &request, path);
        opened = true;
        while (n < MOST_BYTES && (got = cli_source_read(&source, x + n, (size_t)piece)) > 0)
            n = n + (int)got;
        cli_input_close(&source.in);
        return n;
    }
    fuzz_require(strstr(message, path) != NULL, "a message without the file's name");
    fuzz_require(strchr(message, '\n') == NULL, "a message of two lines");
    if (opened || source.in.fd > fd)
        close(source.in.fd);
    while (n_allocated)
        __wrap_free(
            allocated[n_allocated - 1]); /* by its name: free is known to leave these alone */
    return -status;
}

static void read_anything(fuzz_input *in)
{
    static double x[MOST_BYTES + CLI_BLOCK], y[MOST_BYTES + CLI_BLOCK];
    unsigned how = fuzz_next(in);
    int piece = 1 + (int)(how >> 5);
    request.format = (cli_format)(how % 6);
    request.type = (cli_type)(fuzz_next(in) % 3);
    unsigned column = fuzz_next(in);
    request.column = column < 200 || (request.format != CLI_CSV && request.format != CLI_AUTO)
                         ? NULL
                     : column < 230 ? "2"
                                    : "x";
    store(in->p, in->n < MOST_BYTES ? in->n : MOST_BYTES);
    int n = read_file(CLI_BLOCK, x);
    fuzz_require(read_file(piece, y) == n, "another number of numbers in pieces");
    for (int i = 0; i < n; i++)
        fuzz_require(exb_bits(x[i]) == exb_bits(y[i]) || (isnan(x[i]) && isnan(y[i])),
                     "another number in pieces");
}

/* --- files that are written here ------------------------------------------ */

static char text[1 << 17];
static size_t length;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
}

static void put_bytes(uint64_t bits, int n, bool big_endian)
{
    for (int i = 0; i < n; i++)
        text[length++] = (char)(bits >> 8 * (big_endian ? n - 1 - i : i));
}

/* A notation from which the number comes back, quoted in a table if wished. */
static void put_number(fuzz_input *in, double x, bool may_quote)
{
    static const char *const notations[] = {"%.17g", "%a", "%.16e", "+%.17g", "%.40g"};
    unsigned how = fuzz_next(in);
    const char *notation = notations[how % 5];
    bool signed_twice = notation[0] == '+' && (signbit(x) || isnan(x));
    bool quote = may_quote && how >= 200;
    if (quote)
        put("\"");
    put(signed_twice ? "%.17g" : notation, x); // NOLINT: one of those above
    if (quote)
        put("\"");
}

static void write_text(fuzz_input *in, const double *x, int n)
{
    static const char *const gaps[] = {" ", "\n", ", ", "\t\r\n", " # no number 7\n", ",,"};
    for (int i = 0; i < n; i++) {
        put_number(in, x[i], false);
        put("%s", gaps[fuzz_next(in) % 6]);
    }
}

static void write_csv(fuzz_input *in, const double *x, int n)
{
    unsigned how = fuzz_next(in);
    char separator = ",;\t"[how % 3];
    put("%sa%c\"x\"%cc\n", how & 8 ? "\xef\xbb\xbf" : "", separator, separator);
    for (int i = 0; i < n; i++) {
        put("\"an%s\"%c", how & 16 ? "y \"\"text\"\"" : "\nother", separator);
        put_number(in, x[i], true);
        put("%c%d%s\n", separator, i, how & 32 ? "\r" : "");
    }
    request.column = how & 64 ? "2" : "x";
}

static void write_mtx(fuzz_input *in, const double *x, int n)
{
    unsigned how = fuzz_next(in);
    bool coordinate = how & 1;
    put("%%%%MatrixMarket matrix %s %s general\n%%\n", coordinate ? "coordinate" : "array",
        how & 2 ? "real" : "double");
    if (coordinate)
        put("%d 3 %d\n", n, n);
    else
        put("%d 1\n", n);
    for (int i = 0; i < n; i++) {
        if (coordinate)
            put("%d %d ", 1 + i, 1 + i % 3);
        put_number(in, x[i], false);
        put("%s", how & 4 && i % 5 == 0 ? "\n% a comment\n" : "\n");
    }
}

static void write_npy(fuzz_input *in, const double *x, int n)
{
    unsigned how = fuzz_next(in);
    bool big = how & 1, is_float = how & 2, version_2 = how & 4;
    char header[200];
    int size = snprintf(header, sizeof header,
                        "{'shape': (%d,%s), %s'descr': '%cf%d', \"fortran_order\":%s%s}\n", n,
                        how & 8 ? " 1" : "", how & 16 ? "  " : "", big ? '>' : '<',
                        is_float ? 4 : 8, how & 32 ? "True" : "False", how & 64 ? ", " : "");
    put("\x93NUMPY");
    put_bytes(version_2 ? 2 : 1, 2, false);
    put_bytes((uint64_t)size, version_2 ? 4 : 2, false);
    put("%s", header);
    for (int i = 0; i < n; i++) {
        float f = (float)x[i];
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        put_bytes(is_float ? bits : exb_bits(x[i]), is_float ? 4 : 8, big);
    }
}

static void read_what_was_written(fuzz_input *in)
{
    double x[MOST], y[MOST + CLI_BLOCK];
    unsigned format = fuzz_next(in) % 5;
    int n = 1 + (int)fuzz_next(in) % (MOST - 1);
    bool is_raw = fuzz_next(in) & 1;
    for (int i = 0; i < n; i++) { /* floats, so that any type holds them; no payloads of NaN */
        double number = is_raw ? raw_number(in) : structured_number(in);
        x[i] = isnan(number) ? (double)NAN : (double)(float)number;
    }
    length = 0;
    if (format == 0)
        write_text(in, x, n);
    else if (format == 1)
        write_csv(in, x, n);
    else if (format == 2)
        write_mtx(in, x, n);
    else if (format == 3)
        write_npy(in, x, n);
    else
        for (int i = 0; i < n; i++)
            put_bytes(exb_bits(x[i]), 8, false);
    if (format == 1 || format == 4)
        request.format = format == 1 ? CLI_CSV : CLI_RAW;
    store(text, length);
    int got = read_file(CLI_BLOCK, y);
    fuzz_require(got == n, got < 0 ? message : "another number of numbers");
    for (int i = 0; i < n; i++)
        fuzz_require(exb_bits(x[i]) == exb_bits(y[i]) || (isnan(x[i]) && isnan(y[i])),
                     "another number than was written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    request = (cli_request){.command = "sum", .n_files = 1, .quiet = true};
    if (fuzz_next(&in) & 1)
        read_what_was_written(&in);
    else
        read_anything(&in);
    return 0;
}
