/* exblas-fprev: shows in which order a library adds. */
#include "options.h"
#include "report.h"

#include <errno.h>
#include <string.h>

static bool is_good(const fprev_result *x)
{
    return x->class_ != FPREV_INCONSISTENT &&
           (x->class_ == FPREV_COMPENSATED || x->replay_mismatches == 0);
}

static int reveal(FILE *f, const fprev_command *c)
{
    fprev_reply r;
    bool list = c->json && c->request.all_elements;
    int exit = FPREV_EXIT_OK;
    fprev_session(&c->request, &r);
    if (r.exit) {
        fprintf(stderr, "exblas-fprev: %s\n", r.error);
        return r.exit;
    }
    fputs(list ? "[" : "", f);
    for (int k = 0; k < r.n_records; k++) {
        fputs(list && k ? ",\n" : "", f);
        (c->json ? fprev_report_json : fprev_report_text)(f, &c->request, &r, &r.record[k]);
        exit = is_good(&r.record[k].result) ? exit : FPREV_EXIT_FOUND_BAD;
    }
    fputs(list ? "]\n" : c->json ? "\n" : "", f);
    fprev_reply_free(&r);
    return exit;
}

int main(int argc, char **argv)
{
    fprev_command c;
    int exit;
    if (!fprev_parse(argc, argv, &c, &exit))
        return exit;
    FILE *f = c.file ? fopen(c.file, "w") : stdout;
    if (!f) {
        fprintf(stderr, "exblas-fprev: cannot write %s: %s\n", c.file, strerror(errno));
        return FPREV_EXIT_USAGE;
    }
    exit = (c.compare ? fprev_compare : reveal)(f, &c);
    if (fflush(f) != 0 || (c.file && fclose(f) != 0)) {
        fprintf(stderr, "exblas-fprev: cannot write the result: %s\n", strerror(errno));
        return FPREV_EXIT_USAGE;
    }
    return exit;
}
