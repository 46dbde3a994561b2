#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *suite, *text;
} texts[] = {
    {"prices",
     "Matrices of n x n numbers, vectors of n²/4, OpenBLAS's time = 1; T, C: op(A) is the "
     "transpose or its conjugate. Scalars have 53 bits and are real; complex ones cost more."},
    {"size", "Certifying costs time while vectors are short; from memory it costs nothing. The "
             "methods of the literature are our own implementations "
             "(`perf/support/comparators_tmpl.c`). Two-pass and binned sums are reproducible, not "
             "exact. MPFR's sum is exact; its numbers are made before the time is taken."},
    {"dot", "OpenBLAS, other libraries that are named (`--blas PATH`), and Dot2, which computes as "
            "if in twice the precision."},
    {"range", "Magnitudes spread over so many powers of ten. Expansions of p terms (fpe2 ... fpe8) "
              "are fast until the data need more terms than they have. The default, auto, does not "
              "depend on the range."},
    {"gemm", "The named methods compute every element exactly; they exist to be compared with each "
             "other. auto encloses the product, certifies each element, and computes exactly what "
             "is left ([gemm.md](gemm.md)). The broken line is the peak of the processor's units."},
    {"accuracy-sum", "The largest error of 64 problems with 1000 terms each, in units of the last "
                     "place; 10^20 and above is drawn as 10^20, 0.01 and below as 0.01. Condition: "
                     "2 Σ|x| / |Σx|. A correctly rounded result is off by at most half a unit."},
    {"accuracy-dot", "As for sums; condition: 2 Σ|xy| / |Σxy|."},
    {"atomics", "`exblas_dscatter_add` is one call that leaves every place exact "
                "([accumulators.md](accumulators.md)). Atomic operations take one term at a time, "
                "from any thread."},
};

enum { MOST_COLUMNS = 120 };

/* Characters, of UTF-8, of a word that ends before a space. */
static int width_of(const char *word)
{
    int n = 0;
    for (; *word && *word != ' '; word++)
        n += (*word & 0xc0) != 0x80;
    return n;
}

/* A paragraph in lines of up to MOST_COLUMNS characters. */
static void write_paragraph(FILE *f, const char *text)
{
    int column = 0;
    while (*text) {
        int width = width_of(text), length = (int)strcspn(text, " ");
        bool fits = column + 1 + width <= MOST_COLUMNS;
        if (column > 0)
            fputc(fits ? ' ' : '\n', f);
        column = column > 0 && fits ? column + 1 + width : width;
        fprintf(f, "%.*s", length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', f);
}

static const char head[] =
    "# Results\n\nWritten by these commands, which make it again on your machine (in a build tree: "
    "`build/tools/cli/exblas`):\n\n```text\n"
    "exblas bench --report doc/results.md --plot doc/figures\n"
    "for isa in avx512 avx2 generic; do\n"
    "    EXBLAS_ISA=$isa exblas bench --report doc/results.md --append\n"
    "done\n```\n\n"
    "What is compared runs in turn in one process, on one processor and one thread. Programs are "
    "two\nprocesses that take turns. Each cell is our time divided by that of OpenBLAS, with its "
    "kernels for\nthe same instruction set. For dsum, dasum and dnrm2 it is divided by that of a "
    "plain loop. It is the\nbest of three rounds of minima.\n\n"
    "Data are uniform; those of Level 3 are normal, where nothing else is named. Matrices are n x "
    "n,\nand those of programs too. Triangles have a large diagonal. Systems have singular values "
    "from 1 down\nat equal ratios between dense orthogonal factors.\n";

struct bench_page {
    const char *path, *commit;
    char *text, title[64];
    double end; /* seconds, of the clock */
    bool is_late;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *path, const char *what)
{
    fprintf(stderr, "exblas-bench: %s: %s\n", path, what);
    exit(3);
}

static void save(const bench_page *p)
{
    FILE *f = fopen(p->path, "w");
    if (!f || fputs(p->text, f) < 0 || fclose(f) != 0)
        fail(p->path, strerror(errno));
}

/* All of a file, or NULL. */
static char *read_all(const char *path)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = fopen(path, "r");
    if (f && getdelim(&text, &n, 0, f) < 0) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

static void insert(bench_page *p, const char *at, const char *piece)
{
    size_t before = (size_t)(at - p->text), n = strlen(p->text) + strlen(piece) + 1;
    char *text = malloc(n);
    if (!text)
        fail(p->path, "not enough memory");
    snprintf(text, n, "%.*s%s%s", (int)before, p->text, piece, at);
    free(p->text);
    p->text = text;
    save(p);
}

/* The section of our instruction set, and where the one at `begin` ends. */
static char *section(const bench_page *p)
{
    return strstr(p->text, p->title);
}

static const char *end_of(const char *begin)
{
    const char *next = strstr(begin + 1, "\n## ");
    return next ? next : begin + strlen(begin);
}

/* Tables come before pictures. */
static void add_section(bench_page *p, const char *machine)
{
    const char *kernels = "\n## Kernels: ", *at = end_of(p->text);
    char *piece = NULL;
    size_t n = 0;
    while (strncmp(at, kernels, strlen(kernels)) == 0)
        at = end_of(at);
    FILE *f = open_memstream(&piece, &n);
    if (!f)
        fail(p->path, "not enough memory");
    fprintf(f, "%s", p->title);
    write_paragraph(f, machine);
    fprintf(f, "\n| n |");
    for (int c = 0; c < TABLE_COLUMNS; c++)
        fprintf(f, " %.0f |", table_columns[c]);
    fprintf(f, "\n|---|---|---|---|---|---|---|---|\n");
    fclose(f);
    insert(p, at, piece);
    free(piece);
}

/* Tables of perf/gpu and of perf/bench/chunks.py. */
static bool is_of_others(const char *section)
{
    static const char *const begins[] = {"\n## Device: ", "\n## Data frames: "};
    return strncmp(section, begins[0], strlen(begins[0])) == 0 ||
           strncmp(section, begins[1], strlen(begins[1])) == 0;
}

/* An empty page, but for what other commands measured. */
static void begin_again(bench_page *p)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        fail(p->path, "not enough memory");
    fputs(head, f);
    for (const char *at = p->text ? end_of(p->text) : ""; *at; at = end_of(at))
        if (is_of_others(at))
            fprintf(f, "%.*s", (int)(end_of(at) - at), at);
    fclose(f);
    free(p->text);
    p->text = text;
}

bench_page *page_open(const char *path, bool append, const char *machine, const char *kernels,
                      const char *commit, double seconds)
{
    static bench_page p;
    p = (bench_page){.path = path, .commit = commit, .end = now() + seconds};
    snprintf(p.title, sizeof p.title, "\n## Kernels: %s\n\n", kernels);
    p.text = read_all(path);
    if (!append || !p.text)
        begin_again(&p);
    const char *s = section(&p), *made_by = s ? strstr(s, commit) : NULL;
    if (s && (!made_by || made_by > end_of(s)))
        fail(path, "its rows are of another commit; begin again, without --append");
    if (!s)
        add_section(&p, machine);
    return &p;
}

static bool is_in_time(bench_page *p)
{
    p->is_late |= now() > p->end;
    return !p->is_late;
}

static int column_of(double x)
{
    int c = 0;
    while (c < TABLE_COLUMNS && table_columns[c] != x)
        c++;
    return c;
}

/* The values of a row of the page. */
static void read_row(const char *row, bench_table *t, int series)
{
    double cell[TABLE_COLUMNS];
    row = strchr(row, '|') + 1;
    for (int c = 0; c < TABLE_COLUMNS; c++) {
        char *end;
        row = strchr(row, '|') + 1;
        cell[c] = strtod(row, &end);
        if (end == row)
            cell[c] = NAN;
    }
    for (int i = 0; i < t->n_points; i++)
        if (column_of(t->x[i]) < TABLE_COLUMNS)
            t->value[i][series] = t->median[i][series] = cell[column_of(t->x[i])];
}

bool page_lacks_row(bench_page *p, bench_table *t, int series)
{
    char begin[80];
    snprintf(begin, sizeof begin, "\n| %s |", t->series[series]);
    const char *s = section(p), *row = strstr(s, begin);
    if (!row || row > end_of(s))
        return is_in_time(p);
    read_row(row, t, series);
    return false;
}

void page_add_row(bench_page *p, const bench_table *t, int series)
{
    char row[256];
    int n = snprintf(row, sizeof row, "| %s |", t->series[series]);
    for (int c = 0; c < TABLE_COLUMNS; c++) {
        double x = NAN;
        for (int i = 0; i < t->n_points; i++)
            if (table_columns[c] == t->x[i])
                x = t->value[i][series];
        n += snprintf(row + n, sizeof row - (size_t)n, isnan(x) ? " |" : " %.*f |",
                      x < 9.95   ? 2
                      : x < 99.5 ? 1
                                 : 0,
                      x);
    }
    snprintf(row + n, sizeof row - (size_t)n, "\n");
    insert(p, end_of(section(p)), row);
}

bool page_lacks_picture(bench_page *p, const char *suite)
{
    char name[80];
    snprintf(name, sizeof name, "/%s.svg)\n", suite);
    return !strstr(p->text, name) && is_in_time(p);
}

/* The folder of pictures as seen from the page, if it lies in or below the page's own. */
static const char *seen_from(const char *page, const char *folder)
{
    const char *slash = strrchr(page, '/');
    size_t n = slash ? (size_t)(slash + 1 - page) : 0;
    return strncmp(folder, page, n) == 0 ? folder + n : folder;
}

void page_add_picture(bench_page *p, const bench_table *t, const char *folder)
{
    char *piece = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&piece, &n);
    if (!f)
        fail(p->path, "not enough memory");
    fprintf(f, "\n## %s\n\n", t->title);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (strcmp(texts[k].suite, t->suite) == 0)
            write_paragraph(f, texts[k].text);
    fprintf(f, "\n![%s](%s/%s.svg)\n", t->title, seen_from(p->path, folder), t->suite);
    fclose(f);
    insert(p, p->text + strlen(p->text), piece);
    free(piece);
}

bool page_is_done(const bench_page *p)
{
    return !p->is_late;
}
