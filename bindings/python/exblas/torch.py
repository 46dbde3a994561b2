"""PyTorch's products and sums on the CPU, exact: exblas.torch.enable().

Kernels of the dispatcher (torch.library) are replaced for tensors of float32, float64, complex64 and complex128 on the
CPU: mm, bmm, addmm, baddbmm, mv, addmv, dot, vdot, sum and mean, and with them matmul, linear, einsum and the
gradients of all of these; the products also for bfloat16 and float16. Each element of a result is the exact value of
its expression, rounded once. Attention is what PyTorch composes of such products and its own softmax. Tensors of other
types, results of other types, and products that PyTorch computes by other kernels (convolutions) stay as they are."""
from typing import Any

import exblas
from exblas import _products

_library: Any = None
_originals: dict[str, Any] = {}


def _has_16_bits(x):
    return x.is_floating_point() and x.itemsize == 2


def _is_ours(torch, *tensors):
    """Dense tensors of one type that exblas takes."""
    types = {x.dtype for x in tensors}
    return len(types) == 1 and (types <= {torch.float32, torch.float64, torch.complex64, torch.complex128}
                                or _has_16_bits(tensors[0]))


def _array(torch, x):
    """The tensor's memory as an array of NumPy; of bfloat16, which NumPy lacks, unsigned integers with its bits."""
    x = x.detach().resolve_conj().resolve_neg()
    return (x.view(torch.uint16) if x.dtype == torch.bfloat16 else x).numpy()


def _tensor(torch, result, dtype):
    import numpy
    x = torch.from_numpy(numpy.ascontiguousarray(result).reshape(numpy.shape(result)))
    return x.view(dtype) if x.dtype == torch.uint16 else x.to(dtype)


def _product_16(a, b, alpha=1, beta=0, c=None):
    """RN(alpha a b + beta c) of arrays of 16-bit numbers. ValueError: alpha or beta is no such number."""
    import numpy
    shape = a.shape[:-1] + b.shape[max(b.ndim - 1, 1):]
    p, q = a if a.ndim > 1 else a[None], b if b.ndim > 1 else b[:, None]
    result = numpy.empty(p.shape[:-1] + q.shape[-1:], a.dtype)
    if c is not None:
        result[...] = c.reshape(result.shape)
    _products._gemm(numpy, p, q, result, (float(alpha), 0.0), (float(beta), 0.0))
    return result.reshape(shape)


def _fits(*shapes):
    """Vectors and matrices (stacks of them) that can be multiplied; else PyTorch words the error."""
    return shapes[0][-1] == shapes[1][-2 if len(shapes[1]) > 1 else 0] and shapes[0][:-2] == shapes[1][:-2]


def _product(function, n_dims):
    """In place of a kernel of two tensors: what it gives, or None where PyTorch's own has to answer."""
    def call(torch, a, b):
        if (a.dim(), b.dim()) != n_dims or not _is_ours(torch, a, b) or not _fits(a.shape, b.shape):
            return None
        return (_product_16 if _has_16_bits(a) else function)(_array(torch, a), _array(torch, b))
    return call


def _affine(n_dims):
    """RN(beta c + alpha a b)."""
    def call(torch, c, a, b, *, beta=1, alpha=1):
        if (a.dim(), b.dim()) != n_dims or not _is_ours(torch, a, b, c) or not _fits(a.shape, b.shape) or (
                not a.is_complex() and isinstance(beta + alpha, complex)):
            return None
        shape = (*a.shape[:-1], b.shape[-1]) if b.dim() > 1 else a.shape[:-1]
        x, y, z = _array(torch, a), _array(torch, b), _array(torch, c.expand(shape))
        try:
            if _has_16_bits(a):
                return _product_16(x, y, alpha, beta, z)
            if b.dim() == 1:
                return exblas.gemv(x, y, alpha, beta, z)
            if b.dim() == 2:
                return exblas.gemm(x, y, alpha, beta, z)
            return [exblas.gemm(p, q, alpha, beta, r) for p, q, r in zip(x, y, z)] or z
        except ValueError:  # alpha or beta is no number of the matrices' type
            return None
    return call


def _reduction(function):
    def call(torch, a, dim=None, keepdim=False, *, dtype=None):
        if not a.dim() or not _is_ours(torch, a) or _has_16_bits(a) or dtype not in (None, a.dtype):
            return None
        axis = None if dim is None or not isinstance(dim, int) and not len(dim) else dim
        axis = axis if axis is None or isinstance(axis, int) else tuple(axis)
        try:
            return function(_array(torch, a), axis=axis, keepdims=bool(keepdim))
        except ValueError:  # no such dimension
            return None
    return call


KERNELS = {
    "mm": _product(exblas.matmul, (2, 2)), "bmm": _product(exblas.matmul, (3, 3)), "mv": _product(exblas.matmul, (2, 1)),
    "dot": _product(exblas.dot, (1, 1)), "vdot": _product(exblas.vdot, (1, 1)),
    "addmm": _affine((2, 2)), "baddbmm": _affine((3, 3)), "addmv": _affine((2, 1)),
    "sum.dim_IntList": _reduction(exblas.sum), "mean.dim": _reduction(exblas.mean),
}


def _kernel(torch, name, ours):
    original = _originals[name]

    def call(keys, *arguments, **options):
        result = ours(torch, *arguments, **options)
        if result is None:
            return original.call_boxed(keys, *arguments, **options)
        return _tensor(torch, result, arguments[0].dtype)
    return call


def _attention(q, k, v, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    """In place of the fused kernel: PyTorch's composition of two products and its softmax, of 16 bits by floats."""
    import torch
    result, _ = torch.ops.aten._scaled_dot_product_attention_math(
        q, k, v, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=q.shape[1] != k.shape[1])
    if q.stride() != result.stride():
        result = torch.empty_like(q).copy_(result)  # models take views that need the fused kernel's layout, which is q's
    return result, q.new_empty(0)  # the second is for the fused kernel's own gradient


def _linear(x, w, b=None):
    """One rounding, bias included, for tensors of any layout; all else as PyTorch composes it."""
    import torch
    if b is not None and (w.dim(), b.dim()) == (2, 1) and x.dim() and x.layout == w.layout == torch.strided and _is_ours(
            torch, x, w, b) and x.shape[-1] == w.shape[1] and b.shape[0] in (1, w.shape[0]):
        rows = x.reshape(x.shape[:-1].numel(), x.shape[-1])
        return torch.addmm(b, rows, w.t()).reshape(*x.shape[:-1], w.shape[0])
    return torch.ops.aten.linear.default.decompose(x, w, b)


def enable() -> None:
    """From now on the products and sums of PyTorch on the CPU are exact, rounded once, for the whole process. Needs
    PyTorch 2.9 or later and NumPy; ImportError or RuntimeError where they are not there."""
    global _library
    import numpy  # noqa: F401 -- tensors are handed over as its arrays
    import torch
    if _library is not None:
        return
    if not hasattr(torch.library, "get_kernel"):
        raise RuntimeError(f"PyTorch {torch.__version__} cannot keep a kernel that is replaced: 2.9 or later is needed")
    for name in KERNELS:
        _originals[name] = torch.library.get_kernel(f"aten::{name}", "CPU")
    _library = torch.library.Library("aten", "IMPL")
    for name, ours in KERNELS.items():
        _library.impl(name, _kernel(torch, name, ours), "CPU", with_keyset=True, allow_override=True)
    for key in ("CPU", "AutogradCPU"):  # above gradients, so that these are those of the composition
        _library.impl("_scaled_dot_product_flash_attention_for_cpu", _attention, key, allow_override=True)
        _library.impl("linear", _linear, key, allow_override=True)


def disable() -> None:
    """Undoes enable()."""
    global _library
    if _library is not None:
        _library._destroy()
        _library = None
        _originals.clear()
