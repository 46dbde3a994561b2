"""Run examples/analysis.py with OpenBLAS and with ExBLAS, and compare the answers.

    compare.py --root DIR --build DIR [--quick]

Called by tools/quickstart once everything is installed and built.
Exit status: 0 the claim holds, 1 it does not, 2 the comparison cannot be made.
"""
import argparse
import os
import sys

import numpy as np

import exact
import kernels
import report
import runs
from terminal import bold, count, progress, say


def load_analysis(bench):
    """analysis.py as a module, for its loader and its constants."""
    sys.path.insert(0, os.path.dirname(bench.program))
    sys.dont_write_bytecode = True
    import analysis
    return analysis


def exact_answers(bench):
    analysis = load_analysis(bench)
    stations = analysis.load(bench.stations)
    return exact.answers(stations, analysis.RULE,
                         lambda name: progress(f"MPFR: {name}"))


def compare(bench, quick):
    say("The data: 20,000 hours of weather at eight stations (made here, the same on every")
    say("    machine), and NIST's Longley and Filip tables.")
    bench.make_stations()
    found, version = runs.usable_kernels(bench, quick)
    threads = kernels.thread_counts()
    threads = threads[:1] + threads[-1:] if quick and len(threads) > 2 else threads
    runs.check_exblas(bench, found[0]._replace(side="ExBLAS"))
    say(f"The processors: {version} carries kernels for each of these and may choose any;")
    for kernel in found:
        say(f"    {kernel.core:15} {kernel.label}")
    say(f"    this machine, {kernels.processor_name()}, can run them all.")

    n_runs = len(found) * len(threads)
    choice = " or ".join(str(n) for n in threads)
    say(f"Plain: {count(n_runs, 'run')} of  python3 examples/analysis.py  (Debian's NumPy and "
        f"OpenBLAS),\n    one for each of these processors with {choice} "
        f"thread{'s' if threads[-1] > 1 else ''}")
    plain = runs.all_runs(bench, "plain", found, threads)
    if len(plain) < 2:
        raise runs.Impossible("the program did not run with OpenBLAS")
    usable = {answer.run.core for answer in plain}
    found = [kernel for kernel in found if kernel.core in usable]
    say("ExBLAS: the same again, each through  exblas-run python3 examples/analysis.py ,"
        "\n    limited to the instructions of the same processor")
    ours = runs.all_runs(bench, "ExBLAS", found, threads)
    say("Exact: MPFR computes the answers without any rounding, then rounds each once")
    truth = exact_answers(bench)
    progress("")
    reference = bench.analyse(runs.Run("netlib", "any", "", 1, ""))
    show(bench, plain, ours, reference, truth)


def show(bench, plain, ours, reference, truth):
    say()
    report.print_table(plain, ours, truth)
    say("wrongly rounded: numbers that are not the exact result, rounded once; blank where LAPACK's")
    say("own roundings are in the result. (NumPy scales a covariance and takes the root of a norm's")
    say("square itself: there it is the sum of products that is exact.)")
    say()
    name = "pressure x temperature"
    index = report.most_spread(plain, name)
    row, column = (str(i + 1) for i in np.unravel_index(index, truth[name].shape))
    say(f"One of these numbers, {name} ({row}, {column}), with processor type and threads:")
    report.print_example(plain, ours, name, index, truth[name])
    name = "normal equations: solution"
    say(f"And one that has gone through more steps, {name} (1):")
    report.print_example(plain, ours, name, 0)
    say()
    report.print_sides((("OpenBLAS", plain), ("netlib (untuned, serial)", [reference]),
                        ("ExBLAS", ours)), truth)
    say()
    say(f"All hashes: {report.write_hashes(bench, plain, ours)}")
    say(f"Fingerprint of six exact results, the same on every machine: {report.fingerprint(ours)}")
    say()
    varying, faults = report.verdict(plain, ours, truth)
    if faults:
        raise runs.Failure("\n    ".join(faults))
    report.headlines(plain, ours, truth, varying)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    bench = runs.Bench(args.root, args.build)
    try:
        compare(bench, args.quick)
    except runs.Failure as fault:
        progress("")
        say(bold("QUICKSTART FAILED: the claim does not hold on this machine"))
        say(f"    {fault}")
        return 1
    except runs.Impossible as reason:
        progress("")
        say(bold("QUICKSTART STOPPED: the comparison cannot be made here"))
        say(f"    {reason}")
        return 2
    finally:
        bench.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
