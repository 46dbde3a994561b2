"""demo, info: what the library promises, seen in a second."""
import functools
import operator
from array import array

from native import address, library
from show import FINDING, OK, json_number, json_string, number

N = 300000
METHODS = b"auto", b"superacc", b"fpe2", b"fpe4", b"fpe8ee"


def numbers():
    """Magnitudes from 1e-8 to 1e8 of both signs (xorshift64)."""
    s, mask = 88172645463325252, 2 ** 64 - 1
    scales = list(functools.reduce(lambda scales, _: [*scales, scales[-1] * 10], range(15), [1e-8]))
    for _ in range(N):
        s ^= s << 13 & mask
        s ^= s >> 7
        s ^= s << 17 & mask
        yield ((s >> 11) * 2.0 ** -53 - 0.5) * scales[s & 15]


def plain_sum(x):
    """One after the other: Python's own takes errors along."""
    return functools.reduce(operator.add, x, 0.0)


def lanes(x, n):
    """As a compiler or a thread pool does: n sums, added at the end."""
    return plain_sum(plain_sum(x[k::n]) for k in range(n))


def pairwise(x):
    return plain_sum(x) if len(x) < 8 else pairwise(x[:len(x) // 2]) + pairwise(x[len(x) // 2:])


def exact_sums(x):
    for n_threads in range(1, 5):
        library.exblas_set_num_threads(n_threads)
        for method in METHODS:
            library.exblas_set_method(method)
            for step in (1, -1):
                yield library.excblas_dsum_64(N, address(x), step)
    library.exblas_set_method(None)
    library.exblas_set_num_threads(0)


def report_json(results):
    shown = ", ".join(json_number(x, False) for x in results)
    return f'{{"runs": {len(results)}, "different": {len(set(results))}, "results": [{shown}]}}'


def demo(q):
    x = array("d", numbers())
    plain = {"forwards": plain_sum(x), "backwards": plain_sum(reversed(x)), "2 lanes (SSE2)": lanes(x, 2),
             "4 lanes (AVX2)": lanes(x, 4), "8 lanes (AVX-512)": lanes(x, 8),
             "64 lanes (AVX-512, unrolled)": lanes(x, 64), "pairwise": pairwise(x)}
    exact = list(exact_sums(x))
    n_different = len(set(exact))
    if q.json:
        print(f'{{"command": "demo", "n": {N}, "plain": {report_json(list(plain.values()))}, "exblas": {report_json(exact)}}}')
    else:
        print(f"The sum of {N} numbers between 1e-8 and 1e8.\n\nPlain loops:")
        for how, value in plain.items():
            print(f"  {how:30} {number(value, False)}")
        print(f"  {len(set(plain.values()))} different answers out of {len(plain)}\n")
        print("ExBLAS, 1 to 4 threads, forwards and backwards, 5 methods:")
        print(f"  {'every one':30} {number(exact[0], False)}")
        print(f"  {n_different} different answer{'s' * (n_different != 1)} out of {len(exact)}")
    return OK if n_different == 1 else FINDING


def info(q):
    known = {key: (library.exblas_info(key.encode()) or b"").decode()
             for key in ("version", "isa", "isas", "threads", "method", "compiler")}
    if q.json:
        print('{"command": "info", ' + ", ".join(f'"{key}": {json_string(value)}' for key, value in known.items()) + "}")
    else:
        for key, value in known.items():
            print(f"{key:9} {value}")
    return OK
