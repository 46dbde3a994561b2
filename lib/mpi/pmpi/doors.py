#!/usr/bin/env python3
"""Makes the interposer's functions from one list of MPI's, each under its MPI_ and its PMPI_ name: those that start
sums, and those that complete requests. Fortran's interfaces call one or the other; MPI's own functions are those that
stand behind the interposer's.

    doors.py OUT.c           those with counts of type int
    doors.py OUT.c large     also MPI 4's forms with counts of type MPI_Count
"""
import sys

REDUCTIONS = {
    "Reduce": "in out count type op root comm", "Allreduce": "in out count type op comm",
    "Reduce_scatter": "in out counts type op comm", "Reduce_scatter_block": "in out count type op comm",
    "Ireduce": "in out count type op root comm request", "Iallreduce": "in out count type op comm request",
    "Ireduce_scatter": "in out counts type op comm request",
    "Ireduce_scatter_block": "in out count type op comm request"}
COMPLETIONS = {
    "Wait": "request status", "Waitall": "count requests statuses",
    "Waitany": "count requests index status", "Waitsome": "count requests n_done indices statuses",
    "Test": "request flag status", "Testall": "count requests flag statuses",
    "Testany": "count requests index flag status", "Testsome": "count requests n_done indices statuses",
    "Request_get_status": "request flag status"}
TYPES = {"in": "const void *", "out": "void *", "count": "int ", "counts": "const int *", "type": "MPI_Datatype ",
         "op": "MPI_Op ", "root": "int ", "comm": "MPI_Comm ", "request": "MPI_Request *", "requests": "MPI_Request *",
         "status": "MPI_Status *", "statuses": "MPI_Status *"}
LARGE = {"count": "MPI_Count ", "counts": "const MPI_Count *"}
BY_VALUE = {"request": "MPI_Request "}


def door(name, words, body, other_types=None):
    parameters = ", ".join({**TYPES, **(other_types or {})}.get(w, "int *") + w for w in words)
    return (f"static __typeof__(PMPI_{name}) *own_{name};\n\n"
            f"int MPI_{name}({parameters})\n{{\n{body}}}\n\n"
            f'__typeof__(PMPI_{name}) PMPI_{name} __attribute__((alias("MPI_{name}")));\n\n')


def own(name, words):
    return f"own_{name}({', '.join(words)})"


def reduction(name, words, suffix=""):
    wrong = "count <= 0 || " if "count" in words else ""
    verb = ("exb_i" if "request" in words else "exb_") + ("reduce_scatter" if "scatter" in name else "reduce")
    last = ", request" if "request" in words else ""
    head = (f"    exb_reduction r;\n    if ({wrong}!exb_is_exact_sum(type, op))\n"
            f"        return {own(name + suffix, words)};\n    EXB_TRY(exb_reduction_of(type, comm, &r));\n"
            + ("    r.root = root;\n    r.to_all = false;\n" if "root" in words else ""))
    if "block" not in name:
        sizes = "counts" if "counts" in words else "count"
        return head + f"    return {verb}(&r, in == MPI_IN_PLACE ? out : in, out, {sizes}{last});\n"
    return (head + "    int *counts = exb_equal_counts(&r, count);\n"
            "    if (!counts)\n        return exb_mpi_error(comm, MPI_ERR_NO_MEM);\n"
            f"    int wrong = {verb}(&r, in == MPI_IN_PLACE ? out : in, out, counts{last});\n"
            "    free(counts);\n    return wrong;\n")


def large(name, words):
    """Of a blocking reduce any count; the others take counts that fit into an int."""
    if name in ("Reduce", "Allreduce"):
        return reduction(name, words, "_c")
    plain = f"        return {own(name + '_c', words)};\n"
    if "counts" in words:
        values = ", ".join("small" if w == "counts" else w for w in words)
        return (f"    if (!exb_is_exact_sum(type, op))\n{plain}"
                f"    int *small, wrong = exb_int_counts(counts, comm, &small);\n    if (!wrong)\n"
                f"        wrong = MPI_{name}({values});\n    free(small);\n    return wrong;\n")
    values = ", ".join("(int)count" if w == "count" else w for w in words)
    return (f"    if (!exb_is_exact_sum(type, op) || count < 0)\n{plain}"
            f"    return exb_fits_int(count) ? MPI_{name}({values}) : exb_mpi_error(comm, MPI_ERR_COUNT);\n")


def completion(name, words):
    """What waits for all looks at their counts first. Where completion is seen and the request stays, the sums are
    made, and not again."""
    count, requests = ("count", "requests") if "count" in words else ("1", "request")
    stays = name == "Request_get_status"
    requests = "&request" if stays else requests
    waits = ", &differs" if name in ("Wait", "Waitall") else ""
    return (("    int differs;\n" if waits else "")
            + f"    exb_pending *p = exb_pending_take{'_all' if waits else ''}({count}, {requests}{waits});\n"
            f"    int wrong = {own(name, words)};\n"
            + ("    wrong = exb_first_error(differs, wrong);\n" if waits else "")
            + ("    if (p && !wrong && *flag)\n        wrong = exb_pending_sum(p);\n" if stays else "")
            + f"    return exb_pending_give_back(p, {requests}, wrong);\n")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    doors = [(n, w.split(), reduction, None, "") for n, w in REDUCTIONS.items()]
    doors += [(n, w.split(), completion, BY_VALUE if n == "Request_get_status" else None, "")
              for n, w in COMPLETIONS.items()]
    if sys.argv[2:] == ["large"]:
        doors += [(n, w.split(), large, LARGE, "_c") for n, w in REDUCTIONS.items()]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write('/* Made by lib/mpi/pmpi/doors.py. */\n#include "mpi/pmpi/doors.h"\n\n'
                  "#pragma GCC visibility push(default)\n\n"
                  + "".join(door(name + suffix, words, make(name, words), types)
                            for name, words, make, types, suffix in doors)
                  + "#pragma GCC visibility pop\n\n__attribute__((constructor)) static void find_all(void)\n{\n"
                  + "".join(f'    exb_find_next("PMPI_{name}{suffix}", &own_{name}{suffix});\n'
                            for name, _, _, _, suffix in doors)
                  + "}\n")


if __name__ == "__main__":
    main()
