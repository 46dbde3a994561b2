#!/usr/bin/env python3
"""Makes the interposer's functions that lead to others, from one list of MPI's.

    doors.py complete OUT.c   those that complete requests
    doors.py large OUT.c      MPI 4's forms with counts of type MPI_Count
    doors.py openmpi OUT.c    Fortran's names in Open MPI
    doors.py mpich OUT.c      those of mpi_f08 in MPICH
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
C_TYPES = {"in": "const void *", "out": "void *", "count": "int ", "counts": "const int *", "type": "MPI_Datatype ",
           "op": "MPI_Op ", "root": "int ", "comm": "MPI_Comm ", "request": "MPI_Request *",
           "requests": "MPI_Request *", "status": "MPI_Status *", "statuses": "MPI_Status *"}
LARGE_TYPES = {**C_TYPES, "count": "MPI_Count ", "counts": "const MPI_Count *"}
BANNER = "/* Made by lib/mpi/pmpi/doors.py. */\n"


def declare(words, types, other="int *"):
    return ", ".join(types.get(w, other) + w for w in words)


def complete(name, words):
    """What has a rule of its own is in completion.c."""
    if name in ("Wait", "Waitall", "Request_get_status"):
        return ""
    several = "count" in words
    count, requests = ("count", "requests") if several else ("1", "request")
    return (f"int MPI_{name}({declare(words, C_TYPES)})\n{{\n"
            f"    exb_pending *p = exb_pending_take({count}, {requests});\n"
            f"    int wrong = PMPI_{name}({', '.join(words)});\n"
            f"    return exb_pending_give_back(p, {requests}, wrong);\n}}\n\n")


def large(name, words):
    """Reduce and Allreduce go piece by piece, in large_count.c; the others take counts that fit into an int."""
    if name in ("Reduce", "Allreduce"):
        return ""
    head = f"int MPI_{name}_c({declare(words, LARGE_TYPES)})\n{{\n"
    plain = f"        return PMPI_{name}_c({', '.join(words)});\n"
    if "counts" in words:
        values = ", ".join("small" if w == "counts" else w for w in words)
        return (f"{head}    if (!exb_is_exact_sum(type, op))\n{plain}"
                f"    int *small, wrong = exb_int_counts(counts, comm, &small);\n    if (!wrong)\n"
                f"        wrong = MPI_{name}({values});\n    free(small);\n    return wrong;\n}}\n\n")
    values = ", ".join("(int)count" if w == "count" else w for w in words)
    return (f"{head}    if (!exb_is_exact_sum(type, op) || count < 0)\n{plain}"
            f"    return exb_fits_int(count) ? MPI_{name}({values}) : exb_mpi_error(comm, MPI_ERR_COUNT);\n}}\n\n")


FROM_FORTRAN = {"in": "buffer_of(in)", "out": "buffer_of(out)", "count": "*count", "counts": "counts",
                "type": "MPI_Type_f2c(*type)", "op": "MPI_Op_f2c(*op)", "root": "*root", "comm": "MPI_Comm_f2c(*comm)",
                "request": "&made"}


def openmpi_reduction(name, words):
    starts = "request" in words
    values = ", ".join(FROM_FORTRAN[w] for w in words)
    made, give = ("    MPI_Request made;\n", "give_request(request, made, ") if starts else ("", "give_error(")
    return f"{made}    int wrong = MPI_{name}({values});\n    {give}error, wrong);\n"


def openmpi_completion(name, words):
    """How many statuses there are then: of one request none after an error, of several those that an error is in."""
    several = "count" in words
    requests, status = ("requests", words[-1]) if several else ("request", "status")
    values = [{"count": "*count", "requests": "set.request", "index": "&at", "status": "set.status",
               "request": "set.request" + ("[0]" if name == "Request_get_status" else ""),
               "statuses": "set.status"}.get(w, w) for w in words]
    statuses = ("n" if "n_done" in words else "*flag ? set.n : 0" if name == "Testall"
                else "are_told(wrong) ? set.n : 0" if name == "Waitall"
                else "!wrong && *flag" if "flag" in words else "!wrong")
    return ("    request_set set;\n" + ("    *flag = 0;\n" if "flag" in words else "")
            + ("    int at = MPI_UNDEFINED;\n" if "index" in words else "")
            + f"    int wrong = make_set(&set, {'*count' if several else '1'}, {requests}, {status});\n"
            f"    if (!wrong)\n        wrong = MPI_{name}({', '.join(values)});\n"
            + ("    *index = from_one(at);\n" if "index" in words else "")
            + ("    int n = are_told(wrong) && *n_done != MPI_UNDEFINED ? *n_done : 0;\n"
               "    count_from_one(n, indices);\n" if "n_done" in words else "")
            + f"    end_set(&set, {statuses}, {requests}, {status}, error, wrong);\n")


def openmpi(name, words):
    """mpi_f08 calls ompi_wait_f, but pmpi_test_."""
    words = words + ["error"]
    lower = name.lower()
    body = (openmpi_reduction if name in REDUCTIONS else openmpi_completion)(name, words[:-1])
    parameters = declare(words, {"in": "void *", "out": "void *"}, "MPI_Fint *")
    others = ["mpi_", "pmpi_"] if name in COMPLETIONS and not name.startswith("Wait") else ["mpi_"]
    return (f"void ompi_{lower}_f({parameters})\n{{\n{body}}}\n"
            + "".join(f'void {prefix}{lower}_({parameters}) __attribute__((alias("ompi_{lower}_f")));\n'
                      for prefix in others) + "\n")


def mpich(name, words):
    values = ", ".join({"count": "*count", "status": "status_of(status)", "statuses": "status_of(statuses)",
                        "request": "*request" if name == "Request_get_status" else "request"}.get(w, w) for w in words)
    types = {"request": "MPI_Request *", "requests": "MPI_Request *", "status": "void *", "statuses": "void *"}
    return (f"void mpi_{name.lower()}_f08_({declare([*words, 'error'], types)})\n{{\n"
            f"    give_error(error, MPI_{name}({values}));\n"
            + ("    *index = from_one(*index);\n" if "index" in words else "")
            + ("    count_from_one(*n_done, indices);\n" if "n_done" in words else "")
            + ("    *flag = *flag != 0;\n" if "flag" in words else "") + "}\n\n")


MAKERS = {"complete": (complete, "pending.h", COMPLETIONS), "large": (large, "large_count.h", REDUCTIONS),
          "openmpi": (openmpi, "fortran_openmpi.h", {**REDUCTIONS, **COMPLETIONS}),
          "mpich": (mpich, "fortran_mpich.h", COMPLETIONS)}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in MAKERS:
        sys.exit(__doc__)
    make, header, functions = MAKERS[sys.argv[1]]
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(f'{BANNER}#include "mpi/pmpi/{header}"\n\n#include <stdlib.h>\n\n'
                  "#pragma GCC visibility push(default)\n\n"
                  + "".join(make(name, words.split()) for name, words in functions.items())
                  + "#pragma GCC visibility pop\n")


if __name__ == "__main__":
    main()
