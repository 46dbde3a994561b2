"""The library, by ctypes: structures and functions of its headers."""
import ctypes
import os
import sys
from ctypes import POINTER, Structure, c_char_p, c_double, c_float, c_int, c_int64, c_void_p

HERE = os.path.dirname(os.path.realpath(__file__))
NAME = "libexblas.0.dylib" if sys.platform == "darwin" else "libexblas.so.0"
# In a build tree, installed; else where the system looks.
PLACES = (os.path.join(HERE, place, NAME) for place in ("../../lib", "../.."))
library = ctypes.CDLL(next(filter(os.path.exists, PLACES), NAME))


class Accumulator(Structure):
    """exblas_acc; all bytes 0 are a sum of 0."""
    _fields_ = [("word", c_int64 * 81), ("n_free", c_int), ("special", c_int)]


class Moment(Structure):
    """exblas_moment"""
    _fields_ = [("n", c_int64), ("n_pairs", c_int), ("xy", POINTER(Accumulator)), ("x", POINTER(Accumulator) * 2),
                ("y", POINTER(Accumulator) * 2)]


class SolverOptions(Structure):
    """exblas_dsolver_options"""
    _fields_ = [("tolerance", c_double), ("most_steps", c_int), ("restart", c_int), ("precondition", c_void_p),
                ("precondition_context", c_void_p), ("dot", c_void_p), ("dot_context", c_void_p), ("step", c_void_p),
                ("step_context", c_void_p), ("history", c_void_p), ("history_size", c_int)]


class SolverResult(Structure):
    """exblas_solver_result"""
    _fields_ = [("reason", c_int), ("steps", c_int), ("residual", c_double)]


STEP = ctypes.CFUNCTYPE(c_int, c_void_p, c_int, c_double, c_void_p)  # exblas_dstep_fn
SINGLE, DOUBLE = 24, 53
ROW_MAJOR, NO_TRANS = 101, 111
ENOMEM, ERANGE, ESINGULAR = 2, 3, 8
BREAKDOWN, REASONS = 3, ("", "converged", "not converged", "breakdown", "stopped")

LETTERS = {"p": c_void_p, "i": c_int, "l": c_int64, "d": c_double, "f": c_float, "s": c_char_p, "v": None}
# The result, the arguments, and the functions that have them.
for signature, names in (
        ("s", "exblas_version"), ("ss", "exblas_info"), ("is", "exblas_set_method"), ("vi", "exblas_set_num_threads"),
        ("vplpl", "exblas_acc_add_vector exblas_acc_add_vector_f exblas_acc_add_magnitudes exblas_acc_add_magnitudes_f"),
        ("vplplpl", "exblas_acc_add_dot exblas_acc_add_dot_f"), ("vpp", "exblas_acc_merge"),
        ("dpi", "exblas_acc_to_format exblas_acc_root_to_format"), ("dpdi", "exblas_acc_quotient_to_format"),
        ("dpli", "exblas_moment_to_format"), ("dlpl", "excblas_dsum_64"), ("viiilllfplplfpl", "excblas_sgemm_64"),
        ("viiillldplpldpl", "excblas_dgemm_64"), ("illplplplp", "exblas_sgesv_64 exblas_dgesv_64"),
        ("illlplplplp", "exblas_sgels_64 exblas_dgels_64"), ("illlpppppp", "exblas_dcoo_to_csr_64"),
        ("illpppppp", "exblas_dcsr_transpose_64 exblas_dcsr_block_inverse_64"), ("illpppp", "exblas_dcsr_create_64"),
        ("vp", "exblas_dcsr_free"), ("ilpppppp", "exblas_dcg_64 exblas_dbicgstab_64 exblas_dgmres_64")):
    result, *arguments = map(LETTERS.get, signature)
    for name in names.split():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


def address(x, at=0):
    """Of an element of an array."""
    return x.buffer_info()[0] + at * x.itemsize
