#include "page.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *suite, *text;
} texts[] = {
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
    {"level1", "Uniform data where nothing else is named."},
    {"level2",
     "Triangles have a large diagonal. The coefficients of dger are numbers where alpha is a "
     "power of two."},
    {"level3", "Normal data where nothing else is named ([gemm.md](gemm.md))."},
    {"solve", "Singular values from 1 down at equal ratios between dense orthogonal factors; least "
              "squares of normal numbers ([lapack.md](lapack.md))."},
    {"accuracy-sum", "The largest error of 64 problems with 1000 terms each, in units of the last "
                     "place; 10^20 and above is drawn as 10^20, 0.01 and below as 0.01. Condition: "
                     "2 Σ|x| / |Σx|. A correctly rounded result is off by at most half a unit."},
    {"accuracy-dot", "As for sums; condition: 2 Σ|xy| / |Σxy|."},
    {"atomics", "`exblas_dscatter_add` is one call that leaves every place exact "
                "([accumulators.md](accumulators.md)). Atomic operations take one term at a time, "
                "from any thread."},
    {"threads", "Time of one thread over that of several; the broken line is the ideal. Our "
                "results do not depend on the number of threads."},
    {"sparse", "Time of `exblas_dcsrmv` over that of the plain loop: differences on a grid, 8 "
               "random entries a row, rows with lengths that follow a power law. cg: 20 steps with "
               "the diagonal as preconditioner ([sparse.md](sparse.md))."},
    {"mpi", "The local sums, and their reduction. The exact result is the same for any number of "
            "processes ([mpi.md](mpi.md))."},
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

static const char how_it_is_measured[] =
    "What is compared runs in turn in one process, pinned to one processor except where threads or "
    "processes are measured. A point is the fastest sample of three rounds. Ratios are of the "
    "minima of one round; the best and the worst round are given, and a difference inside that "
    "spread is noise. The CSV files next to the pictures have minimum, median, cycles, GB/s, "
    "GFLOP/s and ratio of every point.";

void page_write_head(FILE *f, const page_run *r)
{
    char machine[1024], date[16];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    fprintf(f,
            "# Results\n\nWritten by this command, which makes it again on your machine (in a "
            "build tree: `build/tools/cli/exblas`):\n\n```text\n%s\n```\n\n",
            r->command);
    snprintf(
        machine, sizeof machine,
        "%s, %s; ExBLAS %s, commit %s, kernels %s, compiler %s; %d processors, load average %.1f "
        "before the run.",
        date, r->processor, r->version, r->commit, r->kernels, r->compiler, r->n_processors,
        r->load);
    write_paragraph(f, machine);
    fputc('\n', f);
    write_paragraph(f, how_it_is_measured);
}

/* Under a picture no table: the CSV file has the points. Ratios are tables. */
void page_write_suite(FILE *f, const bench_table *t, const char *kernels, const char *pictures)
{
    bool ratios = t->show == TABLE_RATIOS;
    fprintf(f, "\n## %s%s%s\n\n", t->title, ratios ? ": kernels " : "", ratios ? kernels : "");
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (strcmp(texts[k].suite, t->suite) == 0)
            write_paragraph(f, texts[k].text);
    if (pictures && !ratios)
        fprintf(f, "\n![%s](%s/%s.svg)\n", t->title, pictures, t->suite);
    else
        table_write_markdown(f, t);
}
