/* From a function to its class: find, mark, replay. */
#include "check.h"
#include "format.h"
#include "marks.h"
#include "order.h"
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>

const char *fprev_status_text(fprev_status status)
{
    static const char *const text[] = {
        [FPREV_OK] = "ok",
        [FPREV_E_NAN] = "the function returned NaN for finite terms",
        [FPREV_E_CALL] = "the function gave up",
        [FPREV_E_NO_MEMORY] = "out of memory",
        [FPREV_E_ARGUMENT] = "number of terms or element out of range",
    };
    return text[status];
}

const char *fprev_class_name(fprev_class class_)
{
    static const char *const name[] = {"tree", "fused", "exact", "compensated", "inconsistent"};
    return name[class_];
}

static void note(fprev_result *r, const char *text)
{
    snprintf(r->note, sizeof r->note, "%s", text);
}

static void drop_tree(fprev_result *r)
{
    fprev_tree_free(&r->tree);
    r->fma = FPREV_FMA_NA;
    r->n_wide = 0;
}

/* No tree, or one that does not replay. Exact: right in the whole range of the format.
 * Compensated: always as near to the exact sums as errors of errors allow, or, with
 * a tree that describes the main sums, much nearer than that tree. */
static void classify_without_tree(fprev_probe *p, const fprev_options *o, fprev_result *r,
                                  const fprev_replay *replay)
{
    int full;
    fprev_adder none;
    fprev_replay exact;
    fprev_replay_tree(p, NULL, o->seed, &none, &exact);
    r->exact_bits = fprev_exact_span(p, o->seed, &full);
    r->replay_runs = exact.runs;
    r->replay_mismatches = exact.mismatches;
    r->class_ = FPREV_INCONSISTENT;
    if (exact.unstable) {
        note(r, "two calls with the same terms gave different results");
    } else if (exact.mismatches == 0 && r->exact_bits == full) {
        r->class_ = FPREV_EXACT;
        drop_tree(r);
    } else if (replay->runs ? 2 * replay->error < replay->tree_error : !exact.unfaithful) {
        r->class_ = FPREV_COMPENSATED;
        r->replay_runs = replay->runs ? replay->runs : exact.runs;
        r->replay_mismatches = replay->runs ? replay->mismatches : exact.mismatches;
        note(r, replay->runs ? "the tree is that of the main sums; their errors are added too"
                             : "nearly exact; the order of the additions does not show");
    } else if (replay->runs) {
        r->replay_runs = replay->runs;
        r->replay_mismatches = replay->mismatches;
        note(r, "the tree that was found does not replay");
    } else {
        note(r, "the results fit no tree");
    }
}

static void classify_tree(fprev_probe *p, const fprev_options *o, fprev_result *r)
{
    fprev_replay replay;
    bool fused = fprev_has_fused_nodes(&r->tree);
    if (!p->f->absolute)
        fprev_mark_wide(p, &r->tree);
    fprev_mark_fused(p, &r->tree);
    r->fma = fprev_count_fused(p->f, &r->tree);
    r->n_wide = fprev_count_wide(&r->tree);
    fprev_replay_tree(p, &r->tree, o->seed, &r->adder, &replay);
    if (fused && r->fma == FPREV_FMA_NONE) /* no leaf in an addition of two: the model knows */
        r->fma = r->adder.extra_bits == FPREV_UNKNOWN ? FPREV_FMA_NA : FPREV_FMA_ALL;
    r->class_ = fused ? FPREV_FUSED_NODES : FPREV_TREE;
    r->replay_runs = replay.runs;
    r->replay_mismatches = replay.mismatches;
    if (p->status != FPREV_OK || replay.mismatches + replay.unstable == 0)
        return;
    if (!fused || replay.unstable)
        classify_without_tree(p, o, r, &replay);
    else
        note(r, "no known model of a fused addition replays");
}

static void classify(fprev_probe *p, const fprev_options *o, fprev_outcome outcome, fprev_result *r)
{
    static const fprev_replay none;
    r->class_ = FPREV_INCONSISTENT;
    if (outcome == FPREV_FOUND) {
        classify_tree(p, o, r);
        return;
    }
    fprev_tree_free(&r->tree);
    if (p->status == FPREV_OK)
        classify_without_tree(p, o, r, &none);
}

fprev_status fprev_reveal(const fprev_function *f, const fprev_options *o, fprev_result *r)
{
    *r = (fprev_result){.fma = FPREV_FMA_NA, .adder = {FPREV_UNKNOWN, false}};
    if (f->n_terms < 1 || f->n_terms >= 1 << 30 || o->element < 0 || o->element >= f->n_results)
        return FPREV_E_ARGUMENT;
    fprev_probe p;
    if (fprev_probe_start(&p, f, o->element, o->call)) {
        fprev_outcome outcome = fprev_order(&p, o, &r->tree);
        r->calls = p.n_calls;
        classify(&p, o, outcome, r);
        r->total_calls = p.n_calls;
    }
    char *text = p.status == FPREV_OK && r->tree.n_nodes ? fprev_tree_text(&r->tree) : NULL;
    r->hash = text ? fprev_hash(text) : 0;
    free(text);
    fprev_probe_stop(&p);
    return p.status;
}

void fprev_result_free(fprev_result *r)
{
    fprev_tree_free(&r->tree);
}
