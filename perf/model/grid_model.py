#!/usr/bin/env python3
"""usage: perf/model/grid_model.py [options]

Time, efficiency and memory of expdgemm_ on square grids of processes, one core each, by a model of
messages (alpha, beta) and of the rates that one core was measured at; doc/mpi-model.md explains it.

  --rate GF        products of bytes, as 10^9 operations on doubles a second (37.7)
  --convert NS     for each element of a panel of op(A) or op(B) (6.2)
  --alpha US       a message (2)
  --node GB        10^9 bytes a second into and out of a node (25)
  --cores N        processes that share a node (64)
  --check N M...   seconds for one matrix of order N, predicted and M measured on 1, 2, 4 ... processes;
                   with the bandwidth of one node's memory as --node
"""
import argparse
import math

BLOCK, PANEL, RESIDUES = 64, 1024, 24  # columns of a block, terms of a panel, bytes kept for an element
WORKSPACE = 1 << 22                    # elements


def shape_of(processes):
    rows = max(r for r in range(1, math.isqrt(processes) + 1) if processes % r == 0)
    return rows, processes // rows


def panels_of(m, n_own, k):
    """Windows of columns, and terms of a panel; one of each where rows are had whole."""
    if m * k <= 2 * WORKSPACE:
        return 1, k
    columns = max(WORKSPACE, m * n_own) * 8 / (RESIDUES * m)
    return math.ceil(n_own / columns), min(PANEL, k)


def gemm(order, processes, o, broadcasts=False):
    """Seconds of computing and of messages, MiB of operands, and MiB besides, of a process."""
    rows, cols = shape_of(processes)
    m, n_own = order / rows, order / cols
    windows, panel = panels_of(m, n_own, order)
    compute = 2 * m * n_own * order / (o.rate * 1e9) + (m * windows + n_own) * order * o.convert * 1e-9
    # Owners of a panel's terms send it to all that need it: fewer owners than processes send more each.
    uneven_a = 1 if broadcasts else max(1, cols * BLOCK / panel)
    uneven_b = 1 if broadcasts else max(1, rows * BLOCK / panel)
    byte = o.cores / (o.node * 1e9)
    from_a = 8 * m * order * windows * (1 - 1 / cols) * uneven_a
    from_b = 8 * n_own * order * (1 - 1 / rows) * uneven_b
    n_panels = math.ceil(order / panel)
    messages = n_panels * windows * (min(cols - 1, panel / BLOCK) * uneven_a + min(rows - 1, panel / BLOCK) * uneven_b)
    travel = (from_a + from_b) * byte + messages * o.alpha * 1e-6
    share = 3 * 8 * order * order / processes
    if windows == 1 and panel == order:
        more = 8 * WORKSPACE
    else:
        more = RESIDUES * m * n_own / windows + 8 * PANEL * (m + n_own / windows) + 17 * PANEL * (m + n_own / windows)
    return compute, travel, share / 2**20, more / 2**20


def print_table(o):
    print("| n | P | computing s | messages s | efficiency | broadcasts | overlapped | operands MiB | besides MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for order in (10000, 30000, 100000, 300000, 1000000):
        for processes in (16, 256, 4096, 16384):
            compute, travel, share, more = gemm(order, processes, o)
            if share > 4096 or order * order / processes < 100 * 100:
                continue  # more than a core has, or nothing to do for it
            alone = 2 * order**3 / (o.rate * 1e9)
            _, sent_on, _, _ = gemm(order, processes, o, broadcasts=True)
            times = (compute + travel, compute + sent_on, max(compute, sent_on))
            efficiencies = " | ".join(f"{alone / processes / t:.2f}" for t in times)
            print(f"| {order} | {processes} | {compute:.3g} | {travel:.3g} | {efficiencies} | {share:.0f} | {more:.0f} |")


def print_check(o):
    order, *measured = o.check
    print("| processes | predicted s | measured s |")
    print("|---|---|---|")
    for i, seconds in enumerate(measured):
        compute, travel, _, _ = gemm(order, 2**i, o)
        print(f"| {2**i} | {compute + travel:.3g} | {seconds:.3g} |")


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("--rate", type=float, default=37.7)
    parser.add_argument("--convert", type=float, default=6.2)
    parser.add_argument("--alpha", type=float, default=2)
    parser.add_argument("--node", type=float, default=25)
    parser.add_argument("--cores", type=int, default=64)
    parser.add_argument("--check", type=float, nargs="+")
    o = parser.parse_args()
    print_check(o) if o.check else print_table(o)


main()
